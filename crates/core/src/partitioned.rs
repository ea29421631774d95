/// A message or publisher with a partition key.
///
/// For the broker's own code: keyed workers read
/// [`IncomingMessage::partition_key`](crate::IncomingMessage::partition_key), which a partitioned
/// delivery overrides with the same key. The two methods share a name, so this trait belongs in no
/// prelude.
pub trait Partitioned {
    /// The key, `None` where this value has none.
    fn partition_key(&self) -> Option<&[u8]>;
}
