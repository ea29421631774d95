use std::error::Error as _;

use ruststream_core::{
    BytesMut, HeaderMap, Lend, OutgoingFor, OutgoingMessage, OwnedTransactions, PairError,
    Publisher, Take, Transaction, TransactionalPublisher,
};

use crate::support::{Refused, now};

#[derive(Debug, Clone, Default, PartialEq)]
struct Options {
    urgency: Option<u8>,
}

struct Keeping;

impl Publisher for Keeping {
    type Payload = Take;
    type Error = Refused;
    type Options = Options;

    async fn publish(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        options: Option<&Options>,
    ) -> Result<(), Refused> {
        let urgency = options.and_then(|options| options.urgency).unwrap_or(0);
        if urgency > 3 {
            return Err(Refused("urgency"));
        }
        assert_eq!(Vec::from(msg.into_payload()), b"body");
        Ok(())
    }
}

struct Reading;

impl Publisher for Reading {
    type Payload = Lend;
    type Error = Refused;
    type Options = ();

    async fn publish(
        &self,
        msg: OutgoingMessage<'_, &[u8]>,
        _: Option<&()>,
    ) -> Result<(), Refused> {
        assert_eq!(msg.payload(), b"body");
        Ok(())
    }
}

/// A wrapper over any publisher, which never looks into the form.
struct Stamped<P> {
    inner: P,
    base: HeaderMap,
}

impl<P: Publisher> Publisher for Stamped<P> {
    type Payload = P::Payload;
    type Error = P::Error;
    type Options = P::Options;

    async fn publish(
        &self,
        msg: OutgoingFor<'_, Self::Payload>,
        options: Option<&Self::Options>,
    ) -> Result<(), Self::Error> {
        self.inner.publish(msg, options).await
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        Some(&self.base)
    }
}

// CORE-100, CORE-110
#[test]
fn a_wrapper_forwards_whatever_form_its_publisher_has() {
    fn sent<P: Publisher>(publisher: &P) -> Result<(), P::Error> {
        now(publisher.publish(OutgoingMessage::new("parcels", b"body"), None))
    }

    let base = HeaderMap::from_iter([("tenant", "north")]);
    sent(&Stamped {
        inner: Keeping,
        base: base.clone(),
    })
    .unwrap();
    sent(&Stamped {
        inner: Reading,
        base,
    })
    .unwrap();
}

// CORE-115, CORE-117, PUB-153
#[test]
fn options_belong_to_one_publish() {
    let urgent = Options { urgency: Some(9) };

    let refused = now(Keeping.publish(OutgoingMessage::new("parcels", b"body"), Some(&urgent)));
    assert_eq!(refused, Err(Refused("urgency")));
    now(Keeping.publish(OutgoingMessage::new("parcels", b"body"), None)).unwrap();
}

// CORE-120
#[test]
fn a_handle_without_constants_lays_nothing_under_its_publishes() {
    assert!(Keeping.base_headers().is_none());
}

// Section 8
#[test]
fn a_pair_error_keeps_its_source_and_says_it() {
    let new = PairError::new(Refused("no producer id"));
    let boxed = PairError::from_boxed(Box::new(Refused("no producer id")));

    for error in [new, boxed] {
        assert!(error.to_string().contains("no producer id"));
        assert!(error.source().unwrap().is::<Refused>());
    }
}

/// What a broker asks of the options of its own: nothing but the bounds of the contract.
#[derive(Clone)]
struct Plain;

struct Constant(HeaderMap);

impl Publisher for Constant {
    type Payload = Lend;
    type Error = Refused;
    type Options = Plain;

    async fn publish(
        &self,
        _: OutgoingMessage<'_, &[u8]>,
        options: Option<&Plain>,
    ) -> Result<(), Refused> {
        match options {
            Some(Plain) => Err(Refused("options")),
            None => Ok(()),
        }
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        Some(&self.0)
    }
}

// PUB-154: it is lent, so the handle keeps the map.
#[test]
fn the_constants_of_a_handle_are_the_map_that_it_holds() {
    let constant = Constant(HeaderMap::from_iter([("tenant", "north")]));

    let lent = constant.base_headers().map(std::ptr::from_ref);
    assert_eq!(lent, Some(&raw const constant.0));
    assert_eq!(constant.base_headers().map(std::ptr::from_ref), lent);
}

// PUB-230
#[test]
fn options_need_to_be_cloned_and_nothing_more() {
    let constant = Constant(HeaderMap::new());
    let options = Plain.clone();
    let message = || OutgoingMessage::new("parcels", b"body");

    let refused = now(constant.publish(message(), Some(&options)));
    assert_eq!(refused, Err(Refused("options")));
    assert_eq!(now(constant.publish(message(), None)), Ok(()));
}

/// A buffer that keeps payloads its publisher only reads.
struct Buffer(Vec<BytesMut>);

impl Transaction for Buffer {
    type Payload = Take;
    type Error = Refused;
    type Options = Options;

    async fn publish(
        &mut self,
        msg: OutgoingMessage<'_, BytesMut>,
        _: Option<&Options>,
    ) -> Result<(), Refused> {
        self.0.push(msg.into_payload());
        Ok(())
    }

    async fn commit(self) -> Result<(), Refused> {
        if self.0.is_empty() {
            Err(Refused("nothing to commit"))
        } else {
            Ok(())
        }
    }

    async fn abort(self) -> Result<(), Refused> {
        Ok(())
    }
}

impl OwnedTransactions for Reading {
    type Transaction = Buffer;

    async fn transaction(&self) -> Result<Buffer, Refused> {
        Ok(Buffer(Vec::new()))
    }
}

impl TransactionalPublisher for Reading {
    async fn begin_transaction(&self) -> Result<(), Refused> {
        Ok(())
    }

    async fn commit(&self) -> Result<(), Refused> {
        Ok(())
    }

    async fn abort(&self) -> Result<(), Refused> {
        Ok(())
    }
}

// CORE-154, CORE-155, PUB-236
#[test]
fn a_transaction_has_a_form_of_its_own_and_a_publisher_may_have_both_kinds() {
    fn both<P: OwnedTransactions + TransactionalPublisher>(publisher: &P) -> Result<(), P::Error> {
        now(publisher.begin_transaction())?;
        now(TransactionalPublisher::commit(publisher))
    }

    both(&Reading).unwrap();
    let mut open = now(Reading.transaction()).unwrap();
    assert!(open.base_headers().is_none());
    now(open.publish(OutgoingMessage::new("parcels", b"body"), None)).unwrap();
    now(open.commit()).unwrap();
    now(now(Reading.transaction()).unwrap().abort()).unwrap();
}
