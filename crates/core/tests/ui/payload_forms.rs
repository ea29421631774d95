// CORE-100, PUB-150: a publisher reads the bytes or keeps them, and there is no third form
use ruststream_core::{BytesMut, PayloadForm};

struct Mine;

impl PayloadForm for Mine {
    type Form<'a> = BytesMut;
}

fn main() {}
