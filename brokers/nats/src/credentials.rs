//! Who the addresses say that connects.

use async_nats::{ConnectOptions, ServerAddr};

/// The client's default options, with the credentials of the first address that has any.
///
/// NOTE: the client reads the userinfo of an address and does nothing with it.
pub(crate) fn options(addrs: &[ServerAddr]) -> ConnectOptions {
    let named = addrs.iter().find_map(|addr| {
        let name = addr.username()?;
        Some((decoded(name), addr.password().map(decoded)))
    });
    match named {
        Some((user, Some(password))) => ConnectOptions::with_user_and_password(user, password),
        Some((token, None)) => ConnectOptions::with_token(token),
        None => ConnectOptions::new(),
    }
}

/// Undoes the `%` escapes of an address; what is none stays as it is.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = (first == b'%').then(|| after.get(..2)).flatten();
        let escaped = escaped.filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        let escaped = escaped.and_then(|hex| str::from_utf8(hex).ok());
        if let Some(byte) = escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_not_text| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-12
    #[test]
    fn escapes_are_undone_and_anything_else_stays() {
        for (written, meant) in [
            ("desk", "desk"),
            ("s%40%3a%C3%BC", "s@:ü"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%+1", "%zz%+1"),
            ("%ff", "%ff"),
        ] {
            assert_eq!(decoded(written), meant);
        }
    }
}
