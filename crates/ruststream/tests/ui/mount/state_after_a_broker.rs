// RUN-015, MAC 5.2: the state is produced before the first broker
use ruststream::memory::prelude::*;

fn main() {
    let app =
        RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |_| {});
    let _ = app.on_startup(async |()| Ok::<_, std::io::Error>(7));
}
