//! What is kept for each destination that is published to.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// A destination computed for each delivery, such as the inbox of a requester, never comes again:
/// only so many names are kept.
const KEPT: usize = 1024;

/// One value for each name, made on its first use.
#[derive(Debug)]
pub(crate) struct Names<T>(RwLock<HashMap<Box<str>, Arc<T>>>);

impl<T> Names<T> {
    pub(crate) fn new() -> Self {
        Self(RwLock::default())
    }

    /// The value of `name`; beyond the names that are kept, a new one each time.
    pub(crate) fn get(&self, name: &str, make: impl FnOnce(&str) -> T) -> Arc<T> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = kept.get(name) {
            return Arc::clone(value);
        }
        let full = kept.len() >= KEPT;
        drop(kept);
        let value = Arc::new(make(name));
        if full {
            return value;
        }
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(kept.entry(name.into()).or_insert(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_value_and_no_more_names_are_kept_than_fit() {
        let names = Names::new();
        for n in 0..KEPT + 10 {
            names.get(&n.to_string(), |_| n);
        }

        assert_eq!(*names.get("7", |_| unreachable!("it is kept")), 7);
        assert_eq!(*names.get("1030", |_| 0), 0);
        assert_eq!(names.0.read().unwrap().len(), KEPT);
    }
}
