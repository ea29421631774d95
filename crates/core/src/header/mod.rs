mod entries;
mod error;
mod map;
mod show;
mod typed_read;
mod typed_write;
mod value;

pub use error::{DeserializeHeadersError, SerializeHeadersError};
pub use map::{HeaderIntoIter, HeaderIter, HeaderMap};
