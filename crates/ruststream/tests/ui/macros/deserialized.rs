// MAC-68
use ruststream::Deserialized;

#[derive(Deserialized)]
struct Decoded {
    id: u64,
}

#[derive(Deserialized)]
struct TwoFields<'a>(&'a [u8], u8);

#[derive(Deserialized)]
struct TwoLifetimes<'a, 'b>(&'a [u8], &'b [u8]);

#[derive(Deserialized)]
struct Unit;

fn main() {}
