//! Lines of a stream, in bounded memory.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// The lines of `reader`, without their line feeds.
///
/// Of a line longer than the limit, one byte more than the limit is kept; the rest is skipped.
pub(crate) struct Lines<Reader> {
    reader: Reader,
    limit: usize,
    bytes: u64,
}

impl<Reader: AsyncBufRead + Unpin> Lines<Reader> {
    pub(crate) const fn new(reader: Reader, limit: usize) -> Self {
        Self {
            reader,
            limit,
            bytes: 0,
        }
    }

    /// How many bytes were read.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line; none at the end. A line feed at the end of the stream begins no line.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let mut line = BytesMut::new();
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok((!line.is_empty()).then(|| line.freeze()));
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let room = self.limit + 1 - line.len();
            line.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            self.bytes += used as u64;
            if end.is_some() {
                return Ok(Some(line.freeze()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    /// Every line of `text` read through a buffer of `capacity` bytes, cut after 4 + 1.
    async fn lines(text: &str, capacity: usize) -> Vec<String> {
        let mut lines = Lines::new(BufReader::with_capacity(capacity, text.as_bytes()), 4);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(String::from_utf8(line.to_vec()).unwrap());
        }
        assert_eq!(lines.bytes(), text.len() as u64);
        read
    }

    #[tokio::test]
    async fn lines_come_whole_whatever_the_buffer_holds() {
        for capacity in [1, 3, 64] {
            assert_eq!(lines("ab\n\ncd\r\n", capacity).await, ["ab", "", "cd\r"]);
            assert_eq!(lines("ab\nc", capacity).await, ["ab", "c"]);
            assert!(lines("", capacity).await.is_empty());
        }
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_cut_one_byte_after_it() {
        for capacity in [1, 3, 64] {
            assert_eq!(
                lines("four\nfive5\nseven77\nend", capacity).await,
                ["four", "five5", "seven", "end"]
            );
            assert_eq!(lines("seven77", capacity).await, ["seven"]);
        }
    }
}
