//! Who hears a publish on NATS in process, and what is refused, against a second reading of the rules
//! (NATS-41, NATS-53, NATS-102, NATS-905 to NATS-908).
#![no_main]

use std::collections::HashMap;
use std::pin::pin;

use arbitrary::{Arbitrary, Unstructured};
use futures_util::{FutureExt, StreamExt};
use libfuzzer_sys::fuzz_target;
use ruststream::testing::{InProcess, TestableBroker};
use ruststream::{BytesMut, IncomingMessage, OutgoingMessage, Publisher, Subscriber};
use ruststream::{RedeliveryAddressed, SubscriptionSource};
use ruststream_nats::{
    ConnectedNatsBroker, CoreSubject, CoreWildcard, JetStreamSubject, NatsBroker, NatsError,
    NatsPublish, NatsSubscriber,
};

/// Mostly a few tokens that meet each other.
#[derive(Debug)]
struct Text(String);

const TOKENS: [&str; 8] = ["a", "b", "*", ">", "a*", "", "a b", "\u{e9}\u{2003}"];

impl<'a> Arbitrary<'a> for Text {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let count = bytes.int_in_range(0..=15_u8)?;
        if count == 0 {
            return String::arbitrary(bytes).map(Self);
        }
        let tokens = (0..count.div_ceil(4)).map(|_| bytes.choose(&TOKENS).copied());
        let tokens: arbitrary::Result<Vec<&str>> = tokens.collect();
        Ok(Self(tokens?.join(".")))
    }
}

#[derive(Debug, Arbitrary)]
enum Step {
    Core(Text),
    Wildcard(Text, Option<Text>),
    Stream { subject: Text, filter: Option<Text>, stream: Option<Text> },
    Publish(Text),
}

/// An open subscription, and what it is owed.
struct Open {
    subscriber: NatsSubscriber,
    pattern: String,
    group: Option<String>,
    owed: Vec<Vec<u8>>,
}

/// What a line holds.
const LONGEST: usize = 4000;

fn has_blank(text: &str) -> bool {
    text.contains([' ', '\t', '\r', '\n'])
}

fn fits(text: &str) -> bool {
    !text.is_empty() && !has_blank(text) && text.len() <= LONGEST
}

fn can_be_read(subject: &str) -> bool {
    let tokens: Vec<&str> = subject.split('.').collect();
    let (last, before) = tokens.split_last().expect("one at least");
    fits(subject) && !tokens.contains(&"") && !before.contains(&">") && !last.is_empty()
}

/// From the end, where the code reads from the beginning.
fn hears(pattern: &[&str], subject: &[&str]) -> bool {
    match (pattern, subject) {
        ([], []) => true,
        ([">"], [_, ..]) => true,
        ([first @ .., one], [before @ .., token]) if *one != ">" => {
            (*one == "*" || one == token) && hears(first, before)
        }
        ([first @ .., ">"], [before @ .., _]) if before.len() >= first.len() => {
            hears(first, &before[..first.len()])
        }
        _ => false,
    }
}

fn reaches(pattern: &str, subject: &str) -> bool {
    let (pattern, subject): (Vec<_>, Vec<_>) =
        (pattern.split('.').collect(), subject.split('.').collect());
    !subject.contains(&"") && hears(&pattern, &subject)
}

fn open<S>(broker: &ConnectedNatsBroker, source: S) -> Result<NatsSubscriber, NatsError>
where
    S: SubscriptionSource<ConnectedNatsBroker, Subscriber = NatsSubscriber> + Send,
{
    let opened = pin!(source.subscribe(broker)).now_or_never().expect("at once");
    // The error of a source is the broker's.
    opened.map_err(|error| {
        let error: Box<dyn std::any::Any> = Box::new(error);
        *error.downcast::<NatsError>().expect("the broker's error")
    })
}

fn core(broker: &ConnectedNatsBroker, subject: String, opened: &mut Vec<Open>) {
    let result = open(broker, CoreSubject::new(subject.as_str()));
    let is_pattern = subject.split('.').any(|token| token == "*" || token == ">");
    match result {
        Err(NatsError::InvalidOptions(_)) => assert!(subject.is_empty() || is_pattern),
        Err(NatsError::Subscribe(_)) => assert!(!is_pattern && !can_be_read(&subject)),
        Err(other) => panic!("{other}"),
        Ok(subscriber) => {
            assert!(!is_pattern && can_be_read(&subject), "{subject:?}");
            opened.push(Open { subscriber, pattern: subject, group: None, owed: Vec::new() });
        }
    }
}

fn wildcard(
    broker: &ConnectedNatsBroker,
    subject: String,
    group: Option<String>,
    opened: &mut Vec<Open>,
) {
    let mut source = CoreWildcard::new(subject.as_str());
    if let Some(group) = &group {
        source = source.queue_group(group.as_str());
    }
    let is_group = |group: &str| fits(group) && subject.len() + group.len() <= LONGEST;
    let is_group = group.as_deref().is_none_or(is_group);
    match open(broker, source) {
        Err(NatsError::InvalidOptions(_)) => assert!(subject.is_empty()),
        Err(NatsError::Subscribe(_)) => assert!(!can_be_read(&subject) || !is_group),
        Err(other) => panic!("{other}"),
        Ok(subscriber) => {
            assert!(can_be_read(&subject) && is_group, "{subject:?} of {group:?}");
            opened.push(Open { subscriber, pattern: subject, group, owed: Vec::new() });
        }
    }
}

fn stream(
    broker: &ConnectedNatsBroker,
    subject: String,
    filter: Option<String>,
    stream: Option<String>,
    opened: &mut Vec<Open>,
) {
    // One stream, so that who stores a message is no question; other names are only refused.
    let name = stream.unwrap_or_else(|| "LEDGER".to_owned());
    let is_name = (1..=255).contains(&name.len())
        && !name.contains(|c: char| c.is_whitespace() || ['.', '*', '>', '/', '\\'].contains(&c));
    if is_name && name != "LEDGER" {
        return;
    }
    let mut source = JetStreamSubject::new(subject.as_str(), name);
    if let Some(filter) = &filter {
        source = source.filter_subject(filter.as_str());
    }
    let pattern = filter.unwrap_or_else(|| subject.clone());
    match open(broker, source.clone()) {
        Err(NatsError::InvalidOptions(_)) => assert!(subject.is_empty()),
        Err(NatsError::JetStream(_)) => assert!(!is_name || !can_be_read(&pattern)),
        Err(other) => panic!("{other}"),
        Ok(subscriber) => {
            assert!(!subject.is_empty() && is_name && can_be_read(&pattern), "{pattern:?}");
            let address = pin!(source.redelivery_address(broker)).now_or_never();
            let address = address.expect("at once").expect("a stream that stores what it reads");
            assert!(reaches(&pattern, address.as_str()), "{pattern:?} to {address:?}");
            opened.push(Open { subscriber, pattern, group: None, owed: Vec::new() });
        }
    }
}

fn publish(broker: &ConnectedNatsBroker, subject: &str, number: usize, opened: &mut [Open]) {
    let payload = number.to_string().into_bytes();
    let message = OutgoingMessage::produced(subject, BytesMut::from(&payload[..]));
    let publisher = broker.publisher(NatsPublish);
    let sent = pin!(publisher.publish(message, None)).now_or_never().expect("at once");
    match sent {
        Err(NatsError::Publish(_)) => return assert!(!fits(subject), "{subject:?}"),
        Err(other) => panic!("{other}"),
        Ok(()) => assert!(fits(subject), "{subject:?}"),
    }
    for open in opened {
        if open.group.is_none() && reaches(&open.pattern, subject) {
            open.owed.push(payload.clone());
        }
    }
}

fn read(subscriber: &mut NatsSubscriber) -> Vec<Vec<u8>> {
    let mut stream = pin!(subscriber.stream());
    let mut read = Vec::new();
    while let Some(Some(item)) = stream.next().now_or_never() {
        read.push(item.expect("no error").payload().to_vec());
    }
    read
}

fuzz_target!(|steps: Vec<Step>| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _entered = runtime.enter();
    let broker = NatsBroker::new("localhost").connect_in_process();
    let broker = pin!(broker).now_or_never().expect("at once").expect("connects");
    let mut opened = Vec::new();
    let mut published = Vec::new();
    for (number, step) in steps.into_iter().take(64).enumerate() {
        match step {
            Step::Core(subject) => core(&broker, subject.0, &mut opened),
            Step::Wildcard(subject, group) => {
                let group = group.map(|group| group.0);
                wildcard(&broker, subject.0, group, &mut opened);
            }
            Step::Stream { subject, filter, stream: name } => {
                let (filter, name) = (filter.map(|f| f.0), name.map(|n| n.0));
                stream(&broker, subject.0, filter, name, &mut opened);
            }
            Step::Publish(subject) => {
                let subject = subject.0;
                publish(&broker, &subject, number, &mut opened);
                // Each group that hears it owes it once, to one of its members.
                let groups: Vec<(String, Vec<usize>)> = {
                    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
                    for (at, open) in opened.iter().enumerate() {
                        let hears = fits(&subject) && reaches(&open.pattern, &subject);
                        if let Some(group) = open.group.as_ref().filter(|_| hears) {
                            groups.entry(group.clone()).or_default().push(at);
                        }
                    }
                    groups.into_iter().collect()
                };
                published.push((number.to_string().into_bytes(), groups));
                let names: Vec<&str> = vec![subject.as_str()];
                let _ = broker.routes(&subject, &names);
            }
        }
    }
    let read: Vec<_> = opened.iter_mut().map(|open| read(&mut open.subscriber)).collect();
    for (open, read) in opened.iter().zip(&read) {
        if open.group.is_none() {
            assert_eq!(&open.owed, read, "{:?}", open.pattern);
        }
    }
    for (payload, groups) in published {
        for (group, members) in groups {
            let got = members.iter().filter(|at| read[**at].contains(&payload)).count();
            assert_eq!(got, 1, "members of {group:?} that got {payload:?}");
        }
    }
});
