// MAC-20, RUN-190
use ruststream::subscriber;
use serde::Deserialize;

struct Silent;

#[subscriber("parcels")]
async fn no_input(_silent: &Silent) {}

#[derive(Deserialize)]
struct Borrowed<'a> {
    id: &'a str,
}

#[subscriber("parcels")]
async fn decoded_view(view: &Borrowed<'_>) {
    let _ = view.id;
}

fn main() {}
