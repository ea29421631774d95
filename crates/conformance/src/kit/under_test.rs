use ruststream_core::{Broker, Connected, Publisher, Subscriber, SubscriptionSource};

use super::Inbox;

/// What a caller hands a suite, as one parameter of its rooms.
pub(crate) trait UnderTest {
    type Broker: Broker;
    type Source: SubscriptionSource<Connected<Self::Broker>>;
    type Publisher: Publisher;

    fn broker(&self) -> Self::Broker;
    fn source(&self, name: &str) -> Self::Source;
    fn publisher(&self, connected: &Connected<Self::Broker>) -> Self::Publisher;
}

type ConnectedOf<U> = Connected<<U as UnderTest>::Broker>;
pub(crate) type SubscriberOf<U> =
    <<U as UnderTest>::Source as SubscriptionSource<ConnectedOf<U>>>::Subscriber;
pub(crate) type MessageOf<U> = <SubscriberOf<U> as Subscriber>::Message;
type ErrorOf<U> = <SubscriberOf<U> as Subscriber>::Error;
pub(crate) type InboxOf<'s, U> = Inbox<'s, MessageOf<U>, ErrorOf<U>>;

/// The three factories of a caller.
pub(crate) struct Factories<MkBroker, MkSrc, MkPub> {
    pub(crate) brokers: MkBroker,
    pub(crate) sources: MkSrc,
    pub(crate) publishers: MkPub,
}

impl<B, Src, Pub, MkBroker, MkSrc, MkPub> UnderTest for Factories<MkBroker, MkSrc, MkPub>
where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    type Broker = B;
    type Source = Src;
    type Publisher = Pub;

    fn broker(&self) -> B {
        (self.brokers)()
    }

    fn source(&self, name: &str) -> Src {
        (self.sources)(name)
    }

    fn publisher(&self, connected: &Connected<B>) -> Pub {
        (self.publishers)(connected)
    }
}
