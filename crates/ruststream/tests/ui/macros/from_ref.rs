// MAC-74
use ruststream::FromRef;

struct Pool;

#[derive(FromRef)]
struct TwoOfAType {
    reads: Pool,
    writes: Pool,
}

#[derive(FromRef)]
struct Unnamed(Pool);

#[derive(FromRef)]
struct Generic<T> {
    pool: T,
}

#[derive(FromRef)]
struct NothingLeft {
    #[from_ref(skip)]
    pool: Pool,
}

fn main() {}
