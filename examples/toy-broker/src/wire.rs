//! The protocol: a frame is a line, words with a space between them, odd bytes as `%XX`.
//!
//! A client sends `PUB topic letter`, `SUB reader topic`, `UNSUB reader`, `ACK id`, `DROP id`,
//! `REQUEUE id`, `PING`. Each is answered in order, `OK` or `ERR reason`. Between the answers come
//! deliveries: `MSG reader id letter`. A letter is `payload (name value)*`.

use std::iter;

use futures_util::stream::{self, SplitStream, StreamExt};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
use ruststream::HeaderMap;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::codec::{Framed, LinesCodec};

const ODD: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

pub(crate) fn word(bytes: impl AsRef<[u8]>) -> String {
    percent_encode(bytes.as_ref(), ODD).to_string()
}

pub(crate) fn text(word: &str) -> String {
    percent_decode_str(word).decode_utf8_lossy().into_owned()
}

/// The contents of a message, written.
pub(crate) fn letter(payload: &[u8], headers: &HeaderMap) -> String {
    headers.iter().fold(word(payload), |letter, (name, value)| {
        format!("{letter} {} {}", word(name), word(value))
    })
}

/// The payload and the headers of a letter.
pub(crate) fn read(letter: &str) -> (Vec<u8>, HeaderMap) {
    let bytes = |word| percent_decode_str(word).collect();
    let mut words = letter.split(' ');
    let payload = words.next().map(bytes).unwrap_or_default();
    let headers = iter::from_fn(|| Some((text(words.next()?), bytes(words.next()?))));
    (payload, headers.collect())
}

/// Both ways of a connection: a task of the current runtime writes the frames sent to the one.
pub(crate) fn split<S>(stream: S) -> (UnboundedSender<String>, SplitStream<Framed<S, LinesCodec>>)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (written, read) = Framed::new(stream, LinesCodec::new()).split();
    let (out, mut frames) = unbounded_channel();
    let frames = stream::poll_fn(move |cx| frames.poll_recv(cx).map(|frame| frame.map(Ok)));
    tokio::spawn(frames.forward(written));
    (out, read)
}
