// PUB-700, CORE-290, CORE-123: transactions on a publisher that has none
use ruststream::memory::MemoryRequester;
use ruststream::memory::prelude::*;

async fn borrowed(publisher: &MemoryRequester) {
    let _ = publisher.begin().await;
}

async fn owned(publisher: &MemoryRequester) {
    let _ = publisher.owned_transaction().await;
}

fn main() {}
