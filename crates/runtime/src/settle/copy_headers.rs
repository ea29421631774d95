//! The headers that a copy of a delivery leaves with.

use ruststream_core::{HeaderMap, RETRY_COUNT_HEADER, Str};

/// How often the delivery was brought back by a copy. A missing or unreadable count is 0.
pub(crate) fn copies_made(headers: &HeaderMap) -> u64 {
    let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    headers
        .get_str(RETRY_COUNT_HEADER)
        .filter(digits)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// The headers of a retry copy: those of the delivery as it arrived, and one more in the count.
pub(crate) fn of_retry_copy(delivered: &HeaderMap) -> HeaderMap {
    let mut headers = delivered.clone();
    let count = copies_made(delivered).saturating_add(1);
    headers.insert(Str::from_static(RETRY_COUNT_HEADER), count.to_string());
    headers
}

/// The headers of a dead letter: those of the delivery as it arrived, the count included.
///
/// This is the one place that decides so. The public 0.7 line raised the count here as on any
/// copy.
pub(crate) fn of_dead_letter(delivered: &HeaderMap) -> HeaderMap {
    delivered.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
        headers
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    fn counted(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(RETRY_COUNT_HEADER, value)])
    }

    // RUN-336
    #[test]
    fn the_count_is_a_decimal_number_and_anything_else_is_zero() {
        assert_eq!(copies_made(&HeaderMap::new()), 0);
        assert_eq!(copies_made(&counted("0")), 0);
        assert_eq!(copies_made(&counted("2")), 2);
        assert_eq!(copies_made(&counted("4294967296")), 4_294_967_296);
        for unreadable in [
            "",
            " ",
            "two",
            "-1",
            "+1",
            "1.0",
            " 1",
            "0x2",
            "99999999999999999999999",
        ] {
            assert_eq!(copies_made(&counted(unreadable)), 0, "{unreadable:?}");
        }
        let binary = HeaderMap::from_iter([(RETRY_COUNT_HEADER, &b"\xff\x00"[..])]);
        assert_eq!(copies_made(&binary), 0);
    }

    // RUN-345
    #[test]
    fn a_retry_copy_keeps_every_header_in_place_and_raises_the_count() {
        let delivered = HeaderMap::from_iter([
            ("tenant", &b"north"[..]),
            ("X-RustStream-Retry-Count", b"2"),
            ("trace", b"\x00\xff\r\n"),
        ]);

        let copy = of_retry_copy(&delivered);

        let mut expected = listed(&delivered);
        expected[1].1 = b"3".to_vec();
        assert_eq!(listed(&copy), expected);
    }

    // RUN-345, RUN-336
    #[test]
    fn the_first_copy_carries_one() {
        for delivered in [HeaderMap::new(), counted("unreadable")] {
            assert_eq!(
                of_retry_copy(&delivered).get_str(RETRY_COUNT_HEADER),
                Some("1")
            );
        }
    }

    // RUN-345
    #[test]
    fn a_count_at_the_end_of_its_range_stays_there() {
        let copy = of_retry_copy(&counted("18446744073709551615"));

        assert_eq!(
            copy.get_str(RETRY_COUNT_HEADER),
            Some("18446744073709551615")
        );
    }

    // RUN-346, D1
    #[test]
    fn a_dead_letter_leaves_with_the_headers_it_arrived_with() {
        let plain = HeaderMap::from_iter([("tenant", "north")]);
        for delivered in [HeaderMap::new(), plain, counted("2"), counted("unreadable")] {
            assert_eq!(listed(&of_dead_letter(&delivered)), listed(&delivered));
        }
    }
}
