//! The headers of W3C Trace Context, read and written.
//!
//! Read strictly: a `traceparent` that is not exactly what the standard says starts a new trace,
//! and the `tracestate` beside it is void then.

use std::fmt::Write as _;
use std::str::{self, FromStr};

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};
use ruststream_core::{Bytes, HeaderMap};

pub(super) const TRACEPARENT: &str = "traceparent";
pub(super) const TRACESTATE: &str = "tracestate";

/// `00-<32 digits>-<16 digits>-<2 digits>`.
const LENGTH: usize = 55;

/// The context that the headers carry; `None` where there is none, or none that is valid.
pub(super) fn extract(headers: &HeaderMap) -> Option<SpanContext> {
    let (trace_id, span_id, flags) = parse(headers.get(TRACEPARENT)?)?;
    let state = headers
        .get_str(TRACESTATE)
        .and_then(|state| TraceState::from_str(state).ok())
        .unwrap_or_default();
    Some(SpanContext::new(trace_id, span_id, flags, true, state))
}

fn parse(header: &[u8]) -> Option<(TraceId, SpanId, TraceFlags)> {
    let header = header.trim_ascii();
    let (known, more) = header.split_at_checked(LENGTH)?;
    if known[2] != b'-' || known[35] != b'-' || known[52] != b'-' {
        return None;
    }
    let version = digits(&known[..2])?;
    // Later versions may append; version 255 is forbidden.
    let ends = match version {
        0 => more.is_empty(),
        0xff => false,
        _ => more.first().is_none_or(|next| *next == b'-'),
    };
    let trace_id = TraceId::from(digits(&known[3..35])?);
    let span_id = SpanId::from(u64::try_from(digits(&known[36..52])?).ok()?);
    let flags = TraceFlags::new(u8::try_from(digits(&known[53..])?).ok()?);
    let valid = ends && trace_id != TraceId::INVALID && span_id != SpanId::INVALID;
    valid.then_some((trace_id, span_id, flags & TraceFlags::SAMPLED))
}

/// The number of so many hexadecimal digits, of which only the lower-case ones are allowed.
fn digits(text: &[u8]) -> Option<u128> {
    let allowed = |b: &u8| b.is_ascii_digit() || (b'a'..=b'f').contains(b);
    let text = text.iter().all(allowed).then_some(text)?;
    u128::from_str_radix(str::from_utf8(text).ok()?, 16).ok()
}

/// Makes `context` the one that the headers carry.
pub(super) fn inject(context: &SpanContext, headers: &mut HeaderMap) {
    // Of the very size, so that the header keeps this buffer.
    let mut parent = String::with_capacity(LENGTH);
    let written = write!(
        parent,
        "00-{:032x}-{:016x}-{:02x}",
        u128::from_be_bytes(context.trace_id().to_bytes()),
        u64::from_be_bytes(context.span_id().to_bytes()),
        context.trace_flags() & TraceFlags::SAMPLED
    );
    // Writing into a string does not fail.
    debug_assert!(written.is_ok() && parent.len() == LENGTH);
    headers.insert(TRACEPARENT, parent);
    let state = context.trace_state().header();
    if state.is_empty() {
        // What is there belongs to another context.
        headers.remove(TRACESTATE);
    } else {
        headers.insert(TRACESTATE, state);
    }
}

/// Copies the context that `from` carries, as it is written there.
pub(super) fn copy(from: &HeaderMap, to: &mut HeaderMap) {
    let Some(parent) = from.get_shared(TRACEPARENT) else {
        return;
    };
    to.insert(TRACEPARENT, parent);
    match from
        .get_shared(TRACESTATE)
        .filter(|state: &Bytes| !state.is_empty())
    {
        Some(state) => {
            to.insert(TRACESTATE, state);
        }
        None => {
            to.remove(TRACESTATE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().copied().collect()
    }

    fn extracted(parent: &'static str) -> Option<SpanContext> {
        extract(&headers(&[(TRACEPARENT, parent)]))
    }

    // OBS-18
    #[test]
    fn a_parent_is_read_whatever_the_case_of_its_header() {
        for name in ["traceparent", "Traceparent", "TRACEPARENT", "TraceParent"] {
            let context = extract(&headers(&[(name, PARENT)])).unwrap();

            assert_eq!(
                context.trace_id().to_string(),
                "0af7651916cd43dd8448eb211c80319c"
            );
            assert_eq!(context.span_id().to_string(), "b7ad6b7169203331");
            assert!(context.is_sampled() && context.is_remote() && context.is_valid());
        }
    }

    // OBS-18
    #[test]
    fn of_the_flags_the_sampled_one_is_read() {
        let flags = |parent| extracted(parent).unwrap().trace_flags();

        for (parent, sampled) in [
            (
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
                false,
            ),
            (
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-02",
                false,
            ),
            (
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff",
                true,
            ),
        ] {
            let sampled = if sampled {
                TraceFlags::SAMPLED
            } else {
                TraceFlags::NOT_SAMPLED
            };
            assert_eq!(flags(parent), sampled, "{parent}");
        }
    }

    // OBS-18
    #[test]
    fn what_the_standard_does_not_allow_is_no_parent() {
        for parent in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
            "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-001",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "zz-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-B7AD6B7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0A",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-+1",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01,00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert!(extracted(parent).is_none(), "{parent}");
        }
        let mut binary = HeaderMap::new();
        binary.insert(TRACEPARENT, vec![0xff; LENGTH]);
        assert!(extract(&binary).is_none());
    }

    // OBS-18
    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        for parent in [
            "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-comes.next",
            " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 ",
        ] {
            assert!(extracted(parent).is_some(), "{parent}");
        }
        assert!(extracted("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.x").is_none());
    }

    // OBS-18
    #[test]
    fn the_state_comes_with_its_parent_and_void_without() {
        let state = |state| {
            let context = extract(&headers(&[(TRACEPARENT, PARENT), (TRACESTATE, state)]));
            context.unwrap().trace_state().header()
        };

        assert_eq!(state("foo=1,bar=2"), "foo=1,bar=2");
        assert_eq!(state("foo=1 ,\t bar=2, ,"), "foo=1,bar=2");
        // What comes twice is kept as it is.
        assert_eq!(state("foo=1,foo=2"), "foo=1,foo=2");
        assert_eq!(state("foo"), "");
        assert!(extract(&headers(&[(TRACESTATE, "foo=1")])).is_none());
    }

    // OBS-18, trap 14
    #[test]
    fn a_context_is_written_with_its_state_alone() {
        let context = extract(&headers(&[(TRACEPARENT, PARENT), (TRACESTATE, "foo=1")])).unwrap();
        let mut written = headers(&[("Traceparent", "old"), (TRACESTATE, "old=1")]);

        inject(&context, &mut written);
        assert_eq!(
            written,
            headers(&[(TRACEPARENT, PARENT), (TRACESTATE, "foo=1")])
        );

        inject(&extracted(PARENT).unwrap(), &mut written);
        assert_eq!(written, headers(&[(TRACEPARENT, PARENT)]));
    }

    // OBS-19
    #[test]
    fn a_copy_replaces_what_is_there_and_needs_a_parent() {
        let mut reply = headers(&[(TRACEPARENT, "old"), (TRACESTATE, "old=1"), ("a", "b")]);

        copy(&headers(&[(TRACESTATE, "foo=1")]), &mut reply);
        assert_eq!(reply.get_str(TRACEPARENT), Some("old"));

        copy(&headers(&[(TRACEPARENT, PARENT)]), &mut reply);
        assert_eq!(reply, headers(&[(TRACEPARENT, PARENT), ("a", "b")]));

        copy(
            &headers(&[(TRACEPARENT, PARENT), (TRACESTATE, "foo=1")]),
            &mut reply,
        );
        assert_eq!(reply.get_str(TRACESTATE), Some("foo=1"));
    }
}
