//! What the NATS crate reads of a message, and what it writes, against a second reading of the rules
//! (NATS-70, NATS-73, NATS-150 to NATS-153, NATS-170).
//!
//! The files are compiled in here: what they offer is the crate's own.
#![no_main]
#![allow(dead_code)]

#[path = "../../brokers/nats/src/ack.rs"]
mod ack;
#[path = "../../brokers/nats/src/error.rs"]
mod error;
#[path = "../../brokers/nats/src/message/headers.rs"]
mod headers;
#[path = "../../brokers/nats/src/in_hand.rs"]
mod in_hand;
#[path = "../../brokers/nats/src/subscriber/pull/status.rs"]
mod status;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use arbitrary::Arbitrary;
use async_nats::{HeaderName, HeaderValue, Message, StatusCode};
use libfuzzer_sys::fuzz_target;
use ruststream::HeaderMap;

use self::ack::{Answer, DeliveryInfo};
use self::headers::{DeliveredHeaders, inbound, outbound};
use self::in_hand::InHand;
use self::status::Status;

#[derive(Debug, Arbitrary)]
enum Input {
    Delivery {
        reply: Option<Reply>,
        headers: Vec<(String, String)>,
        status: Option<u16>,
        description: Option<Said>,
        is_core: bool,
    },
    Outgoing(Vec<(String, Vec<u8>)>),
    Delay(Duration),
    Arrivals(Vec<(u64, bool)>),
}

#[derive(Debug, Arbitrary)]
enum Reply {
    Any(String),
    Acknowledgement { long: Option<(String, String, bool)>, names: (String, String), numbers: [u64; 5] },
}

#[derive(Debug, Arbitrary)]
enum Said {
    Any(String),
    Deleted,
    Shutdown,
    Leader,
    Completed,
    Size,
}

impl Reply {
    fn written(&self) -> String {
        match self {
            Self::Any(text) => text.clone(),
            Self::Acknowledgement { long, names: (stream, consumer), numbers: [a, b, c, d, e] } => {
                let short = format!("{stream}.{consumer}.{a}.{b}.{c}.{d}.{e}");
                match long {
                    None => format!("$JS.ACK.{short}"),
                    Some((domain, account, false)) => format!("$JS.ACK.{domain}.{account}.{short}"),
                    Some((domain, account, true)) => format!("$JS.ACK.{domain}.{account}.{short}.x"),
                }
            }
        }
    }
}

impl Said {
    fn written(&self) -> &str {
        match self {
            Self::Any(text) => text,
            Self::Deleted => "Consumer Deleted",
            Self::Shutdown => "Server Shutdown",
            Self::Leader => "Leadership Change",
            Self::Completed => "Batch Completed",
            Self::Size => "Message Size Exceeds MaxBytes",
        }
    }
}

/// The tokens in the places that the rule names, and nothing else.
fn acknowledgement(subject: &str) {
    let told = DeliveryInfo::parse(subject);
    let tokens: Vec<&str> = subject.split('.').collect();
    let from = match tokens.len() {
        9 => 2,
        11 | 12 => 4,
        _ => return assert_eq!(told, None, "{subject:?}"),
    };
    let number = |at: usize| tokens[from + at].parse::<u64>().ok();
    let numbers = tokens[from + 2].parse::<i64>().ok().zip(number(3)).zip(number(4)).zip(number(6));
    let expected = numbers.filter(|_| tokens[..2] == ["$JS", "ACK"]);
    let Some((((delivered, stored), sent), pending)) = expected else {
        return assert_eq!(told, None, "{subject:?}");
    };
    let told = told.expect(subject);
    assert_eq!((told.stream, told.consumer), (tokens[from], tokens[from + 1]));
    assert_eq!((told.delivered, told.pending), (delivered, pending));
    assert_eq!((told.stream_sequence, told.consumer_sequence), (stored, sent));
    let names = format!("{}.{}.", told.stream, told.consumer);
    assert!(subject[told.names_at..].starts_with(&names), "{subject:?}");
}

fn delivery(message: &Message, sent: &[(String, String)], is_core: bool) {
    let read = DeliveredHeaders::default();
    let map = read.of(message, is_core);
    assert!(std::ptr::eq(map, read.of(message, is_core)), "made once");
    let reply = message.reply.as_deref().filter(|_| is_core);
    for (name, value) in map.iter() {
        assert_eq!(name, name.to_ascii_lowercase());
        if name == "reply-to" && reply.is_some() {
            assert_eq!(Some(value), reply.map(str::as_bytes));
            continue;
        }
        // The first of one spelling; which spelling wins is nobody's.
        let mut spellings: Vec<&str> = Vec::new();
        let firsts = sent.iter().filter(|(sent, _)| {
            let first = sent.eq_ignore_ascii_case(name) && !spellings.contains(&sent.as_str());
            spellings.push(sent);
            first
        });
        let mut firsts = firsts.map(|(_, value)| value.as_bytes());
        assert!(firsts.any(|first| first == value), "{name:?}");
    }
    for (name, _) in sent {
        assert!(map.contains(name), "{name:?}");
    }
    assert!(reply.is_none() || map.contains("reply-to"));
    // What came in goes out as it is, the reply subject aside.
    let Some(headers) = &message.headers else { return };
    let again = outbound(&inbound(headers)).expect("it was on the wire");
    let again = again.as_ref().map_or_else(HeaderMap::new, inbound);
    assert_eq!(again, inbound(headers));
}

fn outgoing(entries: Vec<(String, Vec<u8>)>) {
    let map: HeaderMap = entries.into_iter().collect();
    let fits = map.iter().all(|(name, value)| {
        let named = !name.is_empty() && name.bytes().all(|b| (33..127).contains(&b) && b != b':');
        let valued = std::str::from_utf8(value).is_ok_and(|text| !text.contains(['\r', '\n']));
        named && valued
    });
    match outbound(&map) {
        Err(error) => {
            assert!(!fits, "{error}");
            assert!(matches!(error, error::NatsError::Publish(_)), "{error}");
        }
        Ok(None) => assert!(map.is_empty()),
        Ok(Some(headers)) => {
            assert!(fits && headers.len() == map.len());
            assert_eq!(inbound(&headers).len(), map.len());
            for (name, value) in map.iter() {
                let carried = headers.get(name).map(|value| value.as_str().as_bytes());
                assert_eq!(carried, Some(value), "{name:?}");
            }
        }
    }
}

fn arrivals(steps: Vec<(u64, bool)>) {
    let in_hand = Arc::new(InHand::default());
    let mut open = std::collections::BTreeMap::new();
    let mut reached = None;
    for (sequence, settles) in steps {
        let tracked = in_hand.arrived(sequence);
        reached = reached.max(Some(sequence));
        if settles {
            tracked.settled();
            open.remove(&sequence);
        } else {
            open.insert(sequence, tracked);
        }
        let first = open.keys().next().copied();
        assert_eq!(in_hand.resumes_at(), first.or(reached.map(|reached| reached.saturating_add(1))));
    }
}

fuzz_target!(|input: Input| match input {
    Input::Delivery { reply, headers, status, description, is_core } => {
        let reply = reply.map(|reply| reply.written()).filter(|reply| !reply.is_empty());
        if let Some(reply) = &reply {
            acknowledgement(reply);
        }
        let mut map = async_nats::HeaderMap::new();
        let mut sent = Vec::new();
        for (name, value) in headers {
            let parsed = HeaderName::from_str(&name).ok().zip(HeaderValue::from_str(&value).ok());
            // The client lets an empty name through, the crate does not send one.
            if let Some((parsed, carried)) = parsed.filter(|_| !name.is_empty()) {
                map.append(parsed, carried);
                sent.push((name, value));
            }
        }
        let status = status.and_then(|code| StatusCode::from_u16(code).ok());
        let message = Message {
            subject: "desk".into(),
            reply: reply.map(Into::into),
            payload: bytes::Bytes::new(),
            headers: (!sent.is_empty()).then_some(map),
            status,
            description: description.map(|said| said.written().to_owned()),
            length: 0,
        };
        delivery(&message, &sent, is_core);
        if let Some(code) = status {
            let _ = Status::read(code, &message);
        }
    }
    Input::Outgoing(entries) => outgoing(entries),
    Input::Delay(delay) => {
        let said = Answer::AgainAfter(delay).bytes();
        let json = said.strip_prefix(b"-NAK ").expect("its word");
        let body: serde_json::Value = serde_json::from_slice(json).expect("an object");
        let asked = u128::try_from(body["delay"].as_i64().expect("an integer")).expect("not below 0");
        assert_eq!(asked, delay.as_nanos().min(i64::MAX as u128));
    }
    Input::Arrivals(steps) => arrivals(steps),
});
