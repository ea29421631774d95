//! Nothing: the tests of this crate build against a facade without codecs.
