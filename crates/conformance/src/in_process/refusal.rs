/// Something that a server refuses, to be refused in process as well.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Refusal<Src> {
    /// A payload of more than `limit` bytes. One of exactly `limit` bytes is taken.
    PayloadOver {
        /// A name to publish to, which a subscription can be opened on.
        name: String,
        /// The longest payload taken, in bytes.
        limit: usize,
    },
    /// A publish to a name that no message can go to.
    Publish {
        /// The name.
        name: String,
    },
    /// A subscription that cannot be opened.
    Subscription {
        /// Its source.
        source: Src,
    },
    /// A subscription that cannot be opened while another one is.
    Conflicting {
        /// The source that opens.
        open: Src,
        /// The source that is refused meanwhile.
        refused: Src,
    },
}
