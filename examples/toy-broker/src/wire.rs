//! The protocol: a frame is a line, words with a space between them, odd bytes as `%XX`.
//!
//! A client sends `PUB queue letter`, `SUB queue`, `UNSUB queue`, `ACK id`, `DROP id`,
//! `REQUEUE id`, `PING`. Each is answered in order, `OK` or `ERR reason`. Between the answers come
//! deliveries: `MSG queue id letter`. A letter is `payload (name value)*`.

use std::fmt::{self, Write};

use ruststream::{Bytes, HeaderMap, Str};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines, ReadHalf,
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// The contents of a message, read.
pub(crate) struct Letter {
    pub(crate) payload: Bytes,
    pub(crate) headers: HeaderMap,
}

impl Letter {
    pub(crate) fn read(letter: &str) -> Option<Self> {
        let mut words = letter.split(' ').map(unescaped);
        let payload = words.next()??;
        let mut headers = HeaderMap::new();
        while let Some(name) = words.next() {
            headers.insert(Str::try_from(name?).ok()?, words.next()??);
        }
        Some(Self { payload, headers })
    }
}

impl fmt::Debug for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Letter").finish_non_exhaustive()
    }
}

/// The contents of a message, written.
pub(crate) fn letter(payload: &[u8], headers: &HeaderMap) -> String {
    headers.iter().fold(word(payload), |letter, (name, value)| {
        format!("{letter} {} {}", word(name), word(value))
    })
}

pub(crate) fn word(bytes: impl AsRef<[u8]>) -> String {
    let mut word = String::new();
    for &byte in bytes.as_ref() {
        match byte {
            b'%' | ..=b' ' | 0x7f.. => write!(word, "%{byte:02X}").expect("memory takes it"),
            _ => word.push(byte.into()),
        }
    }
    word
}

fn unescaped(word: &str) -> Option<Bytes> {
    let mut parts = word.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(part[2..].bytes());
    }
    Some(bytes.into())
}

/// Both ways of a connection: a task of the current runtime writes the lines sent to the one.
pub(crate) fn split<S>(stream: S) -> (UnboundedSender<String>, Lines<BufReader<ReadHalf<S>>>)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (reading, mut writing) = tokio::io::split(stream);
    let (sender, mut lines) = unbounded_channel::<String>();
    tokio::spawn(async move {
        while let Some(line) = lines.recv().await
            && writing
                .write_all(format!("{line}\n").as_bytes())
                .await
                .is_ok()
        {}
        drop(writing.shutdown().await);
    });
    (sender, BufReader::new(reading).lines())
}
