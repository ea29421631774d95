//! What the server keeps: messages that wait, who waits for them, and what is out.

use std::collections::{BTreeMap, HashMap, VecDeque};

use tokio::sync::mpsc::UnboundedSender;

/// A connection, known by the channel of the lines sent to it.
type Reader = UnboundedSender<String>;

#[derive(Debug, Default)]
pub(crate) struct Shelf {
    waiting: HashMap<String, VecDeque<String>>,
    /// Whose turn it is comes before the others of the same queue.
    readers: Vec<(String, Reader)>,
    out: BTreeMap<u64, Out>,
    last: u64,
    #[cfg(feature = "testing")]
    pub(crate) watch: crate::testing::Watch,
}

/// A delivery that is not settled.
#[derive(Debug)]
struct Out {
    queue: String,
    letter: String,
    reader: Reader,
    #[cfg(feature = "testing")]
    _counted: Option<crate::testing::Counted>,
}

impl Shelf {
    pub(crate) fn publish(&mut self, queue: &str, letter: &str) {
        #[cfg(feature = "testing")]
        self.watch.log(queue, letter);
        self.put(queue, letter.to_owned());
    }

    pub(crate) fn subscribe(&mut self, queue: &str, reader: &Reader) {
        self.readers.push((queue.to_owned(), reader.clone()));
        self.hand_out(queue);
    }

    pub(crate) fn unsubscribe(&mut self, queue: &str, reader: &Reader) {
        self.readers
            .retain(|(of, other)| of != queue || !other.same_channel(reader));
    }

    /// Forgets a delivery, or puts it back; false if there is no such delivery out.
    pub(crate) fn settle(&mut self, id: u64, requeue: bool) -> bool {
        let out = self.out.remove(&id);
        let found = out.is_some();
        if let Some(out) = out.filter(|_| requeue) {
            self.put(&out.queue, out.letter);
        }
        found
    }

    /// The connection is gone, and what it had not settled goes back.
    pub(crate) fn leave(&mut self, reader: &Reader) {
        self.readers
            .retain(|(_, other)| !other.same_channel(reader));
        let lost = self
            .out
            .extract_if(.., |_, out| out.reader.same_channel(reader));
        for (_, out) in lost.collect::<Vec<_>>() {
            self.put(&out.queue, out.letter);
        }
    }

    fn put(&mut self, queue: &str, letter: String) {
        self.waiting
            .entry(queue.to_owned())
            .or_default()
            .push_back(letter);
        self.hand_out(queue);
    }

    fn hand_out(&mut self, queue: &str) {
        while let Some(turn) = self.readers.iter().position(|(of, _)| of == queue)
            && let Some(letter) = self.waiting.get_mut(queue).and_then(VecDeque::pop_front)
        {
            let (queue, reader) = self.readers.remove(turn);
            self.readers.push((queue.clone(), reader.clone()));
            self.last += 1;
            let frame = format!("MSG {queue} {} {letter}", self.last);
            let out = Out {
                queue,
                letter,
                reader: reader.clone(),
                #[cfg(feature = "testing")]
                _counted: self.watch.count(),
            };
            self.out.insert(self.last, out);
            // If the connection ends before it is read, `leave` puts it back.
            drop(reader.send(frame));
        }
    }
}
