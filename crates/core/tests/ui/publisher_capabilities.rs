// CORE-290
use ruststream_core::{OwnedTransactions, Publisher, RequestReply, TransactionalPublisher};

struct Idle;

fn publishes<P: Publisher>() {}
fn requests<P: RequestReply>() {}
fn transacts<P: TransactionalPublisher>() {}
fn opens<P: OwnedTransactions>() {}

fn main() {
    publishes::<Idle>();
    requests::<Idle>();
    transacts::<Idle>();
    opens::<Idle>();
}
