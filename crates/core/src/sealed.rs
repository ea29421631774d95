//! Closes the vocabularies to this crate. One trait for each, so that the compiler lists the words
//! of the vocabulary at hand.

pub trait CopyPath {}

pub trait DestinationForm {}

pub trait HeadersContract {}

pub trait PayloadForm {}
