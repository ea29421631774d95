// CORE-018, CORE-060, CORE-153
use ruststream_core::{Broker, ConnectedBroker, IncomingMessage, Transaction};

async fn acknowledged_twice<M: IncomingMessage>(message: M) {
    let _ = message.ack().await;
    let _ = message.nack(true).await;
}

async fn committed_twice<T: Transaction>(transaction: T) {
    let _ = transaction.commit().await;
    let _ = transaction.abort().await;
}

async fn shut_down_twice<B: Broker>(broker: B) {
    let Ok(connected) = broker.connect().await else { return };
    let _ = connected.shutdown().await;
    let _ = connected.shutdown().await;
}

fn main() {}
