//! Where replies arrive: single-use inboxes, beside the subscriptions and not among them.

use std::collections::HashMap;
use std::future::poll_fn;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::task::{Poll, Waker};

use bytes::Bytes;

use crate::block::Block;
use crate::bus::Bus;
use crate::error::ShutDown;
use crate::sync::replace_waker;

const PREFIX: &str = "_inbox.";
/// Decimal digits of the largest inbox number.
const DIGITS: usize = 20;

/// The number in an inbox name, spelled the way [`address`] spells it.
#[inline]
pub(crate) fn number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(PREFIX)?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    let shortest = digits.len() == 1 || !digits.starts_with('0');
    (plain && shortest).then(|| digits.parse().ok())?
}

/// The name of inbox `number`, in one block of just its size.
fn address(number: u64) -> Bytes {
    let mut text = [0; PREFIX.len() + DIGITS];
    let mut start = text.len();
    let mut left = number;
    loop {
        start -= 1;
        text[start] = b'0' + u8::try_from(left % 10).unwrap_or_default();
        left /= 10;
        if left == 0 {
            break;
        }
    }
    let from = start - PREFIX.len();
    text[from..start].copy_from_slice(PREFIX.as_bytes());
    Bytes::copy_from_slice(&text[from..])
}

/// The open inboxes of a bus.
#[derive(Default)]
pub(crate) struct Inboxes {
    next: u64,
    open: HashMap<u64, State, BuildHasherDefault<Sequential>>,
}

/// What an open inbox holds.
pub(crate) enum State {
    Waiting(Option<Waker>),
    Replied(Arc<Block>),
    ShutDown,
}

impl Inboxes {
    pub(crate) fn open(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.open.insert(number, State::Waiting(None));
        number
    }

    pub(crate) fn is_open(&self, number: u64) -> bool {
        self.open.contains_key(&number)
    }

    /// Hands the inbox its first message; further ones are dropped.
    pub(crate) fn deliver(&mut self, number: u64, reply: Arc<Block>) -> Option<Waker> {
        let state = self.open.get_mut(&number)?;
        let State::Waiting(waker) = state else {
            return None;
        };
        let waker = waker.take();
        *state = State::Replied(reply);
        waker
    }

    /// Takes the reply and closes the inbox, or waits. A waker that this replaces goes to `replaced`.
    pub(crate) fn poll(
        &mut self,
        number: u64,
        waker: &Waker,
        replaced: &mut Option<Waker>,
    ) -> Poll<Result<Arc<Block>, ShutDown>> {
        if let Some(State::Waiting(waiting)) = self.open.get_mut(&number) {
            *replaced = replace_waker(waiting, waker);
            return Poll::Pending;
        }
        match self.open.remove(&number) {
            Some(State::Replied(reply)) => Poll::Ready(Ok(reply)),
            Some(State::Waiting(_) | State::ShutDown) | None => Poll::Ready(Err(ShutDown)),
        }
    }

    pub(crate) fn close(&mut self, number: u64) -> Option<State> {
        self.open.remove(&number)
    }

    /// Ends every request that waits: on a bus that takes no publish no reply can come.
    pub(crate) fn shut_down(&mut self, mut wake: impl FnMut(Waker)) {
        for state in self.open.values_mut() {
            if let State::Waiting(waker) = state {
                waker.take().into_iter().for_each(&mut wake);
                *state = State::ShutDown;
            }
        }
    }
}

/// An inbox for as long as its request runs; dropping it, at whatever point, closes it.
pub(crate) struct Inbox<'a> {
    bus: &'a Bus,
    number: u64,
    open: bool,
}

impl<'a> Inbox<'a> {
    pub(crate) fn open(bus: &'a Bus) -> Result<Self, ShutDown> {
        bus.open_inbox().map(|number| Self {
            bus,
            number,
            open: true,
        })
    }

    pub(crate) fn address(&self) -> Bytes {
        address(self.number)
    }

    /// The first message that arrives.
    pub(crate) async fn reply(&mut self) -> Result<Arc<Block>, ShutDown> {
        let reply = poll_fn(|cx| self.poll(cx.waker())).await?;
        self.open = false;
        Ok(reply)
    }

    /// The message that has arrived already.
    pub(crate) fn arrived(&mut self) -> Result<Option<Arc<Block>>, ShutDown> {
        match self.poll(Waker::noop()) {
            Poll::Ready(reply) => reply.map(Some),
            Poll::Pending => Ok(None),
        }
    }

    fn poll(&self, waker: &Waker) -> Poll<Result<Arc<Block>, ShutDown>> {
        self.bus.poll_inbox(self.number, waker)
    }
}

impl Drop for Inbox<'_> {
    fn drop(&mut self) {
        if self.open {
            self.bus.close_inbox(self.number);
        }
    }
}

/// Spreads numbers that are handed out one after the other.
#[derive(Default)]
struct Sequential(u64);

impl Hasher for Sequential {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 << 8 | u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // The table takes its groups from the low bits and its tags from the high ones.
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inbox_is_found_by_its_address() {
        for n in [0, 7, 10, 4_294_967_296, u64::MAX] {
            let address = address(n);
            let name = std::str::from_utf8(&address).expect("ASCII");
            assert_eq!(name, format!("_inbox.{n}"));
            assert_eq!(number(name), Some(n));
        }
    }

    #[test]
    fn other_names_are_no_inboxes() {
        for name in [
            "_inbox.",
            "_inbox.07",
            "_inbox.+7",
            "_inbox.7.x",
            "inbox.7",
            "_inbox.99999999999999999999999",
        ] {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
