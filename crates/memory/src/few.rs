//! A list that is nearly always short.

const INLINE: usize = 4;

/// Values to act on once the locks are released; the first few need no heap.
pub(crate) struct Few<T> {
    len: usize,
    first: [Option<T>; INLINE],
    rest: Vec<T>,
}

impl<T> Few<T> {
    pub(crate) const fn new() -> Self {
        Self {
            len: 0,
            first: [const { None }; INLINE],
            rest: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, value: T) {
        match self.first.get_mut(self.len) {
            Some(place) => *place = Some(value),
            None => self.rest.push(value),
        }
        self.len += 1;
    }

    /// Calls `each` on every value, in the order they were pushed.
    pub(crate) fn each(self, mut each: impl FnMut(T)) {
        if self.len == 0 {
            return;
        }
        self.first.into_iter().flatten().for_each(&mut each);
        self.rest.into_iter().for_each(each);
    }
}
