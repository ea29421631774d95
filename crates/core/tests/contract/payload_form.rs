//! How the framework couples its buffers to a publisher's payload form.

use ruststream_core::{BytesMut, Filled, HeldPayload, Lend, PayloadForm, Take};

fn stale() -> BytesMut {
    BytesMut::from(&b"left over from the last message"[..])
}

fn write<'b>(buf: &mut BytesMut) -> Result<Filled<'b>, &'static str> {
    if !buf.is_empty() {
        return Err("something was left in the buffer");
    }
    buf.extend_from_slice(b"fresh");
    Ok(Filled::InBuffer)
}

// CORE-221
#[test]
fn a_value_that_writes_finds_an_empty_buffer() {
    let mut buf = stale();
    let address = buf.as_ptr();

    let lent = Lend::fill(&mut buf, write).unwrap();
    assert_eq!((lent, lent.as_ptr()), (&b"fresh"[..], address));
    let taken = Take::fill(&mut buf, write).unwrap();
    assert_eq!(taken, &b"fresh"[..]);
}

// CORE-221
#[test]
fn a_value_that_lends_is_copied_only_where_it_is_kept() {
    let own = b"own".to_vec();
    let mut buf = BytesMut::new();

    let lent = Lend::fill(&mut buf, |_| Ok::<_, ()>(Filled::Own(&own))).unwrap();
    assert_eq!(lent.as_ptr(), own.as_ptr());
    let taken = Take::fill(&mut buf, |_| Ok::<_, ()>(Filled::Own(&own))).unwrap();
    assert_eq!(taken, &own[..]);
    assert_eq!(buf.capacity(), 0);
}

// CORE-222
#[test]
fn a_failure_to_write_is_the_value_s_own() {
    let mut buf = stale();

    assert_eq!(Lend::fill(&mut buf, |_| Err("broken")), Err("broken"));
    assert_eq!(Take::fill(&mut buf, |_| Err("broken")), Err("broken"));
}

// CORE-111, CORE-112, PUB-150
#[test]
fn holding_and_releasing_moves_no_bytes_in_the_publisher_s_own_form() {
    let bytes = b"body".to_vec();
    let mut lent = Lend::hold(&bytes);
    assert_eq!(Lend::release(&mut lent).as_ptr(), bytes.as_ptr());

    let buffer = stale();
    let address = buffer.as_ptr();
    let mut owned = Take::hold(buffer);
    assert_eq!(owned.as_slice(), &stale()[..]);
    assert_eq!(Take::release(&mut owned).as_ptr(), address);
}

// CORE-111
#[test]
fn bytes_of_somebody_else_are_copied_once_for_a_publisher_that_keeps() {
    let mut lent = HeldPayload::Lent(b"body");
    assert_eq!(Take::release(&mut lent), &b"body"[..]);

    let mut owned = HeldPayload::Owned(BytesMut::from(&b"body"[..]));
    assert_eq!(Lend::release(&mut owned), b"body");
}

// CORE-112, CORE-212
#[cfg(feature = "json")]
#[test]
fn encoding_clears_the_lent_buffer_and_leaves_it_alone_where_bytes_are_given_away() {
    use ruststream_core::codec::JsonCodec;

    let mut buf = stale();
    let address = buf.as_ptr();
    let lent = Lend::encode(&JsonCodec, &[1, 2], &mut buf).unwrap();
    assert_eq!((lent, lent.as_ptr()), (&b"[1,2]"[..], address));

    let mut untouched = stale();
    assert_eq!(
        Take::encode(&JsonCodec, &[1, 2], &mut untouched).unwrap(),
        &b"[1,2]"[..]
    );
    assert_eq!(untouched, stale());
}
