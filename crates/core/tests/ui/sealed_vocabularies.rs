// CORE-100, CORE-202, CORE-301, PUB-101
use ruststream_core::{CopyPath, DestinationForm, HeadersContract};

#[derive(Default)]
struct Mine;

impl CopyPath for Mine {
    const MOVED_BY_BROKER: bool = false;
}

impl DestinationForm for Mine {}

impl HeadersContract for Mine {}

fn main() {}
