/// An operation on the toy broker that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToyError {
    /// The broker was given no address.
    #[error("`{0}` is not the address of a toy server: write `host:port`")]
    Address(String),
    /// Nobody answers at this address.
    #[error("no toy server answers at `{0}`: {1}")]
    Connect(String, #[source] std::io::Error),
    /// The connection reads this queue already.
    #[error("this connection reads `{0}` already: give that subscription more workers instead")]
    AlreadyRead(String),
    /// The server did not do what it was asked; it says why.
    #[error("the toy server refused: {0}")]
    Refused(String),
    /// The connection was shut down or lost, or the server is silent.
    #[error("the connection to the toy server is closed")]
    Closed,
}
