// MAC-81, TEST-66, TEST-70
use ruststream_core::register_testable_broker;

struct Neither;

register_testable_broker!(Neither);

fn main() {}
