//! Destinations with placeholders: what a generated address builder is made of.

use std::fmt::Display;
use std::marker::PhantomData;

use ruststream_core::{MessageHeaders, NameTemplate, OutgoingDestination};

use super::builder::{MessageBody, PublishBuilder, assembled};
use super::error::PublishError;
use super::headers::{PublishHeaders, SatisfiesContract};
use super::scratch::Scratch;
use super::sink::PublishSink;
use super::wire::{MessageWire, WirePayload};

/// A message whose destination is a template; `.to()` on its builder calls [`begin`](Self::begin).
///
/// The derive `Outgoing` writes this for a name with placeholders. `Cont` is the unfinished
/// publish, which the address builder ends with [`PublishAt::publish_at`].
///
/// ```
/// use ruststream_runtime::{BoundSegment, MissingSegment, PublishAt, PublishError, TemplateAddress};
///
/// struct Arrived;
/// struct City; // the placeholder of `depot.{city}.arrivals`
///
/// struct ArrivedAddress<Cont, Segment> {
///     publish: Cont,
///     city: Segment,
/// }
///
/// impl<Cont> TemplateAddress<Cont> for Arrived {
///     type Builder = ArrivedAddress<Cont, MissingSegment<City>>;
///
///     fn begin(publish: Cont) -> Self::Builder {
///         ArrivedAddress { publish, city: MissingSegment::new() }
///     }
/// }
///
/// impl<Cont> ArrivedAddress<Cont, MissingSegment<City>> {
///     fn city(self, value: impl std::fmt::Display) -> ArrivedAddress<Cont, String> {
///         ArrivedAddress { publish: self.publish, city: value.to_string() }
///     }
/// }
///
/// impl<Cont, Segment> ArrivedAddress<Cont, Segment> {
///     async fn publish(self) -> Result<(), PublishError<Cont::Error>>
///     where
///         Cont: PublishAt,
///         Segment: BoundSegment,
///     {
///         self.publish.publish_at(&format!("depot.{}.arrivals", self.city)).await
///     }
/// }
/// ```
pub trait TemplateAddress<Cont> {
    /// The address builder, with every placeholder missing.
    type Builder;

    /// Opens the address builder over an unfinished publish.
    fn begin(cont: Cont) -> Self::Builder;
}

/// A placeholder that has its value.
#[diagnostic::on_unimplemented(
    message = "a placeholder of this destination is not bound: `{Self}`, call its setter after `.to()`",
    label = "this one has no value",
    note = "call the setter of each placeholder between `.to()` and `.publish()`"
)]
pub trait BoundSegment: Display {}

impl BoundSegment for String {}

/// A placeholder that still lacks its value; `S` names it.
#[derive(Debug, Clone, Copy, Default)]
pub struct MissingSegment<S>(PhantomData<fn() -> S>);

impl<S> MissingSegment<S> {
    /// The unbound placeholder.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// An unfinished publish that only lacks its destination.
pub trait PublishAt {
    /// The sink's error.
    type Error;

    /// Publishes to `name`; otherwise as the builder's `publish`.
    ///
    /// # Errors
    ///
    /// [`PublishError`], as for the builder's `publish`.
    fn publish_at(
        self,
        name: &str,
    ) -> impl Future<Output = Result<(), PublishError<Self::Error>>> + Send;
}

impl<Sink, T, Enc, Hdrs> PublishAt
    for PublishBuilder<Sink, MessageBody<'_, T>, Enc, Hdrs, NameTemplate>
where
    Sink: PublishSink,
    T: OutgoingDestination + MessageHeaders + MessageWire + Sync,
    T::Wire: WirePayload<T, Enc>,
    Enc: Send,
    Hdrs: PublishHeaders + SatisfiesContract<T::Contract> + Send,
{
    type Error = Sink::Error;

    async fn publish_at(self, name: &str) -> Result<(), PublishError<Sink::Error>> {
        let Self {
            mut sink,
            body,
            codec,
            headers,
            options,
            ..
        } = self;
        let mut buffer = Scratch::take();
        let message = assembled::<Sink::Payload, _, _, _, _>(
            name,
            body.0,
            &codec,
            headers,
            sink.base_headers(),
            &mut buffer,
        )?;
        sink.send(message, options.as_ref())
            .await
            .map_err(PublishError::Publish)
    }
}

#[cfg(all(test, feature = "json"))]
mod tests {
    use std::fmt::Display;

    use ruststream_core::Take;

    use super::*;
    use crate::publish::PublishExt;
    use crate::publish::testkit::{Arrived, Recorder, Refused, headers};

    pub(crate) struct City;

    pub(crate) struct Address<Cont, Segment> {
        publish: Cont,
        city: Segment,
    }

    impl<Cont> TemplateAddress<Cont> for Arrived {
        type Builder = Address<Cont, MissingSegment<City>>;

        fn begin(publish: Cont) -> Self::Builder {
            Address {
                publish,
                city: MissingSegment::new(),
            }
        }
    }

    impl<Cont> Address<Cont, MissingSegment<City>> {
        fn city(self, value: impl Display) -> Address<Cont, String> {
            Address {
                publish: self.publish,
                city: value.to_string(),
            }
        }
    }

    impl<Cont, Segment> Address<Cont, Segment> {
        async fn publish(self) -> Result<(), PublishError<Cont::Error>>
        where
            Cont: PublishAt,
            Segment: BoundSegment,
        {
            self.publish
                .publish_at(&format!("depot.{}.arrivals", self.city))
                .await
        }
    }

    // PUB-115, PUB-116, PUB-117
    #[tokio::test]
    async fn a_hand_written_template_renders_its_name_and_keeps_the_steps_before_it() {
        let publisher = Recorder::<Take>::new();

        publisher
            .message(&Arrived { parcel: 7 })
            .with_headers(headers([("lane", "3")]))
            .to()
            .city("lyon.east")
            .publish()
            .await
            .expect("publishes");

        let sent = publisher.only();
        assert_eq!(
            sent.name, "depot.lyon.east.arrivals",
            "values are not escaped"
        );
        assert_eq!(sent.headers, headers([("lane", "3")]));
        assert_eq!(sent.payload, br#"{"parcel":7}"#);
    }

    // PUB-116
    #[tokio::test]
    async fn a_template_publish_fails_with_the_sinks_error() {
        let publisher = Recorder::<Take>::new().refusing();
        let value = Arrived { parcel: 7 };
        let error = publisher
            .message(&value)
            .to()
            .city(1)
            .publish()
            .await
            .expect_err("fails");
        assert!(matches!(error, PublishError::Publish(Refused)));
    }
}
