//! What operations allocate. The first clone of a buffer made from a `Vec` or `String` allocates
//! that buffer's own count, so these tests use static and already shared buffers.

use allocation_counter::measure;
use ruststream_core::{Bytes, BytesMut, HeaderMap, OutgoingMessage, RawMessage, Str};
use serde::Serialize;

fn allocations(run: impl FnOnce()) -> u64 {
    measure(run).count_total
}

// CORE-085
#[test]
fn an_empty_map_touches_no_allocator() {
    let count = allocations(|| {
        let maps = [
            HeaderMap::new(),
            HeaderMap::default(),
            HeaderMap::with_capacity(0),
        ];
        drop(maps.clone());
        drop(std::iter::empty::<(Str, Bytes)>().collect::<HeaderMap>());
    });

    assert_eq!(count, 0);
}

// CORE-085
#[test]
fn the_first_insert_makes_one_block_and_lookups_none() {
    let count = allocations(|| {
        let mut headers = HeaderMap::new();
        headers.insert(Str::from_static("tenant"), "north");
        assert_eq!(headers.get_str("TENANT"), Some("north"));
        assert_eq!(headers.get("absent"), None);
        assert_eq!(headers.iter().count(), 1);
        headers.insert(Str::from_static("tenant"), "south");
    });

    assert_eq!(count, 1);
}

// CORE-085: one after the other, maps of the usual size live in one block; a larger one is freed.
#[test]
fn a_map_that_is_gone_leaves_its_block_to_the_next() {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let fill = |count| {
        let mut headers = HeaderMap::new();
        for name in &NAMES[..count] {
            headers.insert(Str::from_static(name), "1");
        }
        assert_eq!(headers.len(), count);
        assert!(headers.iter().all(|(_, value)| value == b"1"));
        headers
    };
    drop(fill(1));

    let again = allocations(|| (1..=4).for_each(|count| drop(fill(count))));
    assert_eq!(again, 0);
    let side_by_side = allocations(|| drop((fill(1), fill(2))));
    assert_eq!(side_by_side, 1);
    let held = measure(|| drop(fill(6))).count_current;
    assert_eq!(held, -1, "the block that grew is not kept");
}

// CORE-085
#[test]
fn a_name_in_lowercase_moves_in_and_one_with_capitals_is_copied() {
    let (lower, mixed) = (String::from("x-tenant"), String::from("X-Tenant"));
    let mut headers = HeaderMap::with_capacity(4);

    assert_eq!(allocations(|| drop(headers.insert(lower, "1"))), 0);
    assert_eq!(allocations(|| drop(headers.insert(mixed, "2"))), 1);
    assert_eq!(
        allocations(|| drop(headers.insert(Str::from_static("other"), "3"))),
        0
    );
}

// CORE-084
#[test]
fn a_clone_makes_one_block_and_copies_no_bytes() {
    let headers = HeaderMap::from_iter([
        (Str::from_static("a"), Bytes::from_static(b"1")),
        (Str::from_static("b"), Bytes::from_static(b"2")),
    ]);

    assert_eq!(allocations(|| drop(headers.clone())), 1);
}

// CORE-087
#[test]
fn overwriting_an_empty_map_moves_the_other_in() {
    let other = HeaderMap::from_iter([(Str::from_static("a"), "1")]);
    let mut headers = HeaderMap::new();

    assert_eq!(allocations(|| headers.overwrite_with(other)), 0);
}

// CORE-102, CORE-263, PUB-151
#[test]
fn a_message_is_taken_apart_without_an_allocation() {
    let headers = HeaderMap::from_iter([("a", "1")]);
    let payload = BytesMut::from(&b"body"[..]);

    let count = allocations(|| {
        let message = OutgoingMessage::produced("parcels", payload).with_headers(headers);
        let (name, payload, headers) = message.into_parts();
        assert_eq!((name, payload.len(), headers.len()), ("parcels", 4, 1));
    });
    assert_eq!(count, 0);
}

// CORE-103
#[test]
fn lending_copies_nothing_and_taking_copies_once() {
    let lent = allocations(|| {
        let message: OutgoingMessage<'_> = OutgoingMessage::new("parcels", b"body");
        assert_eq!(message.payload(), b"body");
    });
    let taken = allocations(|| {
        let message: OutgoingMessage<'_, BytesMut> = OutgoingMessage::new("parcels", b"body");
        assert_eq!(message.payload(), b"body");
    });

    assert_eq!((lent, taken), (0, 1));
}

// Section 4: cloning a snapshot copies neither name nor payload.
#[test]
fn a_snapshot_is_cloned_without_copying() {
    let message = RawMessage::new(Str::from_static("parcels"), Bytes::from_static(b"body"));

    assert_eq!(allocations(|| drop(message.clone())), 0);
    assert_eq!(allocations(|| drop(message.payload_bytes())), 0);
}

// CORE-090: one block of entries; numbers and short texts need none of their own.
#[test]
fn a_small_contract_is_written_with_one_allocation() {
    #[derive(Serialize)]
    struct Meta<'a> {
        depot: u32,
        tenant: &'a str,
        fragile: bool,
        weight: u64,
        shift: i64,
        ratio: f64,
    }

    let meta = Meta {
        depot: 4,
        tenant: "north",
        fragile: true,
        weight: u64::MAX,
        shift: i64::MIN,
        ratio: 0.1,
    };
    let mut headers = HeaderMap::new();
    assert_eq!(allocations(|| headers.insert_typed(&meta).unwrap()), 1);
    assert_eq!(allocations(|| drop(headers.clone())), 1);
}

#[cfg(feature = "json")]
mod json {
    use ruststream_core::codec::{Codec, JsonCodec};
    use ruststream_core::{Lend, PayloadForm, Take};

    use super::*;

    #[derive(Serialize, serde::Deserialize)]
    struct Parcel {
        depot: u32,
        weight: u64,
    }

    // CORE-212, CORE-262
    #[test]
    fn a_small_document_is_encoded_with_one_allocation_and_becomes_a_vec_with_none() {
        let count = allocations(|| {
            let buf = JsonCodec
                .encode(&Parcel {
                    depot: 4,
                    weight: 950,
                })
                .unwrap();
            let address = buf.as_ptr();
            let kept = Vec::from(buf);
            assert_eq!(kept.as_ptr(), address);
        });

        assert_eq!(count, 1);
    }

    // CORE-111
    #[test]
    fn freezing_an_encoded_buffer_costs_one_block() {
        let buf = JsonCodec
            .encode(&Parcel {
                depot: 4,
                weight: 950,
            })
            .unwrap();

        assert_eq!(allocations(|| drop(buf.freeze())), 1);
    }

    // CORE-112, CORE-261
    #[test]
    fn a_warm_buffer_is_lent_again_and_again_for_nothing() {
        let mut buf = BytesMut::with_capacity(256);

        let count = allocations(|| {
            for depot in 0..100 {
                let sent =
                    Lend::encode(&JsonCodec, &Parcel { depot, weight: 1 }, &mut buf).unwrap();
                assert!(!sent.is_empty());
            }
        });
        assert_eq!(count, 0);
    }

    // CORE-262
    #[test]
    fn taking_costs_the_buffer_of_the_codec_and_leaves_the_loop_s_alone() {
        let mut buf = BytesMut::new();

        let count = allocations(|| {
            let sent = Take::encode(
                &JsonCodec,
                &Parcel {
                    depot: 1,
                    weight: 1,
                },
                &mut buf,
            )
            .unwrap();
            assert!(!sent.is_empty());
        });
        assert_eq!((count, buf.capacity()), (1, 0));
    }

    // CORE-260
    #[test]
    fn decoding_a_value_without_owned_parts_allocates_nothing() {
        let count = allocations(|| {
            let parcel: Parcel = JsonCodec.decode(br#"{"depot":4,"weight":950}"#).unwrap();
            assert_eq!((parcel.depot, parcel.weight), (4, 950));
        });

        assert_eq!(count, 0);
    }
}
