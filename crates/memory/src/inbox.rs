//! Where replies arrive: single-use inboxes, beside the subscriptions and not among them.
//!
//! Open inboxes lie in a table at the place that their number names, modulo its size. Numbers are
//! handed out one after the other; one whose place is still taken, by a request that waits for
//! long, is passed over. So an inbox is found without hashing, and none is ever moved but when the
//! table grows.

use std::future::poll_fn;
use std::mem;
use std::task::{Poll, Waker};

use bytes::Bytes;

use crate::bus::Bus;
use crate::entry::Message;
use crate::error::ShutDown;
use crate::sync::replace_waker;

const PREFIX: &str = "_inbox.";
/// Decimal digits of the largest inbox number.
const DIGITS: usize = 20;
const ADDRESS: usize = PREFIX.len() + DIGITS;

/// The number in an inbox name, spelled the way [`address`] spells it.
#[inline]
pub(crate) fn number(name: &str) -> Option<u64> {
    let digits = name.as_bytes().strip_prefix(PREFIX.as_bytes())?;
    let (&first, rest) = digits.split_first()?;
    if !first.is_ascii_digit() || (first == b'0' && !rest.is_empty()) || digits.len() > DIGITS {
        return None;
    }
    rest.iter()
        .try_fold(u64::from(first - b'0'), |number, &byte| {
            let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
            number.checked_mul(10)?.checked_add(u64::from(digit))
        })
}

/// The text of an address, at the end of its room.
struct Address {
    text: [u8; ADDRESS],
    from: u8,
}

impl AsRef<[u8]> for Address {
    fn as_ref(&self) -> &[u8] {
        self.text.get(usize::from(self.from)..).unwrap_or_default()
    }
}

/// The name of inbox `number`, in one block that its copies share.
fn address(number: u64) -> Bytes {
    let mut text = [0; ADDRESS];
    let mut start = ADDRESS;
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
    Bytes::from_owner(Address {
        text,
        from: u8::try_from(from).unwrap_or_default(),
    })
}

/// Places of a table that holds few inboxes; a power of two.
const FEW: usize = 16;
/// A larger table is not kept once its last inbox is closed.
const KEPT: usize = 4096;

/// The open inboxes of a bus.
#[derive(Default)]
pub(crate) struct Inboxes {
    next: u64,
    open: usize,
    /// None, or a power of two, of which at most half are open.
    places: Vec<Place>,
}

/// A place of the table.
struct Place {
    number: u64,
    state: State,
}

impl Place {
    const FREE: Self = Self {
        number: 0,
        state: State::Closed,
    };
}

/// What an inbox holds.
pub(crate) enum State {
    Closed,
    Waiting(Option<Waker>),
    Replied(Message),
    ShutDown,
}

impl Inboxes {
    pub(crate) fn open(&mut self) -> u64 {
        if self.open * 2 >= self.places.len() {
            self.grow();
        }
        self.open += 1;
        loop {
            let number = self.next;
            self.next += 1;
            let at = self.at(number);
            if let Some(place) = self.places.get_mut(at)
                && matches!(place.state, State::Closed)
            {
                *place = Place {
                    number,
                    state: State::Waiting(None),
                };
                return number;
            }
        }
    }

    pub(crate) fn is_open(&self, number: u64) -> bool {
        let place = self.places.get(self.at(number));
        place.is_some_and(|place| place.holds(number))
    }

    /// Hands the inbox its first message, which `reply` makes; further ones are dropped.
    pub(crate) fn deliver(
        &mut self,
        number: u64,
        reply: impl FnOnce() -> Message,
    ) -> Option<Waker> {
        let state = self.state(number)?;
        let State::Waiting(waker) = state else {
            return None;
        };
        let waker = waker.take();
        *state = State::Replied(reply());
        waker
    }

    /// Takes the reply and closes the inbox, or waits. A waker that this replaces goes to `replaced`.
    pub(crate) fn poll(
        &mut self,
        number: u64,
        waker: &Waker,
        replaced: &mut Option<Waker>,
    ) -> Poll<Result<Message, ShutDown>> {
        if let Some(State::Waiting(waiting)) = self.state(number) {
            *replaced = replace_waker(waiting, waker);
            return Poll::Pending;
        }
        match self.close(number) {
            State::Replied(reply) => Poll::Ready(Ok(reply)),
            State::Waiting(_) | State::ShutDown | State::Closed => Poll::Ready(Err(ShutDown)),
        }
    }

    /// Closes the inbox; what it held is returned, to be dropped without a lock.
    pub(crate) fn close(&mut self, number: u64) -> State {
        let Some(state) = self.state(number) else {
            return State::Closed;
        };
        let held = mem::replace(state, State::Closed);
        self.open -= 1;
        if self.open == 0 && self.places.len() > KEPT {
            self.places = Vec::new();
        }
        held
    }

    /// Ends every request that waits: on a bus that takes no publish no reply can come.
    pub(crate) fn shut_down(&mut self, mut wake: impl FnMut(Waker)) {
        for place in &mut self.places {
            if let State::Waiting(waker) = &mut place.state {
                waker.take().into_iter().for_each(&mut wake);
                place.state = State::ShutDown;
            }
        }
    }

    #[inline]
    fn at(&self, number: u64) -> usize {
        let mask = self.places.len().wrapping_sub(1);
        // Only the low bits count, so what a narrower `usize` cuts off does not.
        #[expect(clippy::cast_possible_truncation)]
        {
            number as usize & mask
        }
    }

    #[inline]
    fn state(&mut self, number: u64) -> Option<&mut State> {
        let at = self.at(number);
        let place = self.places.get_mut(at)?;
        place.holds(number).then_some(&mut place.state)
    }

    /// Doubles the table. Numbers that differ modulo its size differ modulo twice that.
    #[cold]
    fn grow(&mut self) {
        let room = (self.places.len() * 2).max(FEW);
        let before = mem::take(&mut self.places);
        self.places.resize_with(room, || Place::FREE);
        for place in before {
            if !matches!(place.state, State::Closed) {
                let at = self.at(place.number);
                self.places[at] = place;
            }
        }
    }
}

impl Place {
    #[inline]
    fn holds(&self, number: u64) -> bool {
        self.number == number && !matches!(self.state, State::Closed)
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
    pub(crate) async fn reply(&mut self) -> Result<Message, ShutDown> {
        let reply = poll_fn(|cx| self.poll(cx.waker())).await?;
        self.open = false;
        Ok(reply)
    }

    /// The message that has arrived already.
    pub(crate) fn arrived(&mut self) -> Result<Option<Message>, ShutDown> {
        match self.poll(Waker::noop()) {
            Poll::Ready(reply) => reply.map(Some),
            Poll::Pending => Ok(None),
        }
    }

    fn poll(&self, waker: &Waker) -> Poll<Result<Message, ShutDown>> {
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
            "_inbox.1/",
            "_inbox.1:",
            "_inbox.18446744073709551616",
            "_inbox.99999999999999999999999",
        ] {
            assert_eq!(number(name), None, "{name}");
        }
    }

    // MEM-66
    #[test]
    fn a_number_is_never_given_twice_however_long_others_stay_open() {
        let mut inboxes = Inboxes::default();
        let kept: Vec<u64> = (0..5).map(|_| inboxes.open()).collect();
        let mut last = 4;
        for _ in 0..10 * FEW {
            let number = inboxes.open();
            assert!(number > last);
            last = number;
            assert!(kept.iter().all(|kept| inboxes.is_open(*kept)));
            assert!(matches!(inboxes.close(number), State::Waiting(None)));
            assert!(!inboxes.is_open(number));
        }
        assert_eq!(inboxes.places.len(), FEW);
    }

    // MEM-67
    #[test]
    fn a_burst_of_requests_leaves_no_room_behind() {
        let mut inboxes = Inboxes::default();
        let open: Vec<u64> = (0..10_000).map(|_| inboxes.open()).collect();
        assert!(open.iter().all(|number| inboxes.is_open(*number)));
        for number in open {
            inboxes.close(number);
        }
        assert_eq!((inboxes.open, inboxes.places.len()), (0, 0));
    }
}
