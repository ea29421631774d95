// MAC-41, CLI-02: the one error of a binary whose builder is `async`
use ruststream::prelude::*;

#[ruststream::app]
async fn depot() -> impl App {
    RustStream::new(AppInfo::new("depot", "1.0.0"))
}
