//! A service on the broker.
