//! Batch registrations through the public surface: mounting, replies, retries, carried values.

mod carried;
mod depot;
mod mounting;
mod replies;
mod retries;
