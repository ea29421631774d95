//! What all suites are built from.
//!
//! | Piece | For |
//! |---|---|
//! | [`Check`], [`Step`] | naming what is being held, bounding it, failing it |
//! | [`Causes`] | an error with its sources, on one line |
//! | [`Inbox`] | reading a subscription: one delivery, silence, several at once |
//! | [`elsewhere`], [`on_own_thread`] | calling a broker from a runtime that ends, or from none |
//! | [`send`], [`taken`], [`settled`] | one publish, one settlement |
//! | [`Sample`], [`Difference`] | a message that has to arrive as it is, and how one did not |
//! | [`Outbox`] | publishing to the subject of a check |
//! | [`OwnPublish`] | publishing as a service on an in-process broker does |
//! | [`UnderTest`] | the factories of a caller, as one parameter |
//! | [`Lent`] | which values were lent back |
//! | [`Session`] | a connection, opened and closed within its limits |

mod causes;
mod elsewhere;
mod inbox;
mod letter;
mod outbox;
mod own_publish;
mod sample;
#[cfg(feature = "asyncapi")]
mod secret;
mod session;
mod step;
mod under_test;
mod values;

pub(crate) use causes::Causes;
pub(crate) use elsewhere::{elsewhere, on_own_thread};
pub(crate) use inbox::{Arrival, Inbox};
pub(crate) use letter::{Shown, send, send_with, settled, taken};
pub(crate) use outbox::{Outbox, payloads};
pub(crate) use own_publish::OwnPublish;
pub(crate) use sample::{Difference, Sample};
#[cfg(feature = "asyncapi")]
pub(crate) use secret::{Secret, bindings_tree, contains, server_tree};
pub(crate) use session::{Limits, Session};
pub(crate) use step::{Check, Step};
pub(crate) use under_test::{Factories, InboxOf, MessageOf, SubscriberOf, UnderTest};
pub(crate) use values::{Lent, two_distinct};
