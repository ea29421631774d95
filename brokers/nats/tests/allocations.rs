//! What a publish costs over the client (NATS-101, NATS-T62).

use allocation_counter::measure;
use bytes::Bytes;
use ruststream::{Broker, BytesMut, OutgoingMessage, Publisher};
use ruststream_nats::{NatsBroker, NatsPublish};
use ruststream_nats_servers::{Server, binaries};

const ROUNDS: u64 = 2000;

fn blocks(runtime: &tokio::runtime::Runtime, work: impl AsyncFn()) -> u64 {
    measure(|| {
        runtime.block_on(async {
            for _ in 0..ROUNDS {
                work().await;
            }
        });
    })
    .count_total
}

#[test]
fn a_publish_costs_two_blocks_over_the_client() {
    for binary in binaries() {
        let server = Server::start(&binary);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.expect("a runtime");
        let broker = runtime
            .block_on(NatsBroker::new(server.url()).connect())
            .expect("connects");
        let client = broker.client();
        let publisher = broker.publisher(NatsPublish);
        let raw = async || {
            let payload = Bytes::from(vec![7; 64]);
            client.publish("scans.belt", payload).await.expect("sent");
        };
        let ours = async || {
            let payload = BytesMut::from(&[7; 64][..]);
            let message = OutgoingMessage::produced("scans.belt", payload);
            publisher.publish(message, None).await.expect("sent");
        };
        let settle = || runtime.block_on(client.flush()).expect("flushed");
        blocks(&runtime, raw);
        blocks(&runtime, ours);
        settle();

        let by_the_client = blocks(&runtime, raw);
        settle();
        let by_the_crate = blocks(&runtime, ours);
        settle();

        let over = by_the_crate.saturating_sub(by_the_client);
        assert!(
            over <= 2 * ROUNDS + ROUNDS / 100,
            "{over} blocks over in {ROUNDS} publishes"
        );
    }
}
