//! Keys that the standard allows, for the names that authors gave (API-62).

use std::collections::{BTreeMap, BTreeSet};

use crate::names::free_name;

/// The keys of one map of the document whose names the standard does not allow, and what is
/// written in their place.
#[derive(Debug)]
pub(crate) struct LegalKeys(BTreeMap<String, String>);

impl LegalKeys {
    /// The keys of a map under `components`.
    pub(crate) fn of_components<V>(map: &BTreeMap<String, V>) -> Self {
        Self::of(map.keys(), |character| {
            character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_')
        })
    }

    /// The keys of the servers.
    pub(crate) fn of_servers<V>(map: &BTreeMap<String, V>) -> Self {
        Self::of(map.keys(), |character| {
            character.is_ascii_alphanumeric() || matches!(character, '-' | '_')
        })
    }

    fn of<'k>(keys: impl Iterator<Item = &'k String>, legal: impl Fn(char) -> bool) -> Self {
        let (kept, replaced): (Vec<_>, Vec<_>) =
            keys.partition(|key| !key.is_empty() && key.chars().all(&legal));
        // A legal key is never the one that gives way.
        let mut taken: BTreeSet<String> = kept.into_iter().cloned().collect();
        let mut written = BTreeMap::new();
        for key in replaced {
            let mut stem: String = key
                .chars()
                .map(|character| if legal(character) { character } else { '_' })
                .collect();
            if stem.is_empty() {
                stem.push('_');
            }
            let free = free_name(stem, |name| taken.contains(name));
            taken.insert(free.clone());
            written.insert(key.clone(), free);
        }
        Self(written)
    }

    /// What is written for `key`.
    pub(crate) fn written<'k>(&'k self, key: &'k str) -> &'k str {
        self.0.get(key).map_or(key, String::as_str)
    }

    /// `map` under the keys that are written.
    pub(crate) fn apply<V>(
        &self,
        map: impl IntoIterator<Item = (String, V)>,
    ) -> BTreeMap<String, V> {
        map.into_iter()
            .map(|(key, value)| (self.written(&key).to_owned(), value))
            .collect()
    }

    /// The names that are written differently, and how.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, written)| (name.as_str(), written.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(names: &[&str]) -> Vec<String> {
        let map: BTreeMap<_, _> = names.iter().map(|name| ((*name).to_owned(), 0)).collect();
        let keys = LegalKeys::of_components(&map);
        names
            .iter()
            .map(|name| keys.written(name).to_owned())
            .collect()
    }

    // API-62
    #[test]
    fn illegal_characters_become_underscores() {
        assert_eq!(
            written(&["Plain-1.0_x", "Größe in cm", "a/b", ""]),
            ["Plain-1.0_x", "Gr__e_in_cm", "a_b", "_"]
        );
    }

    // API-62
    #[test]
    fn keys_that_would_meet_are_numbered_in_order() {
        assert_eq!(written(&["a b", "a~b", "a/b"]), ["a_b", "a_b_3", "a_b_2"]);
    }

    // API-62
    #[test]
    fn a_legal_key_stays_what_it_is_beside_one_that_is_not() {
        assert_eq!(written(&["a b", "a_b", "a_b_2"]), ["a_b_3", "a_b", "a_b_2"]);
    }

    // API-62
    #[test]
    fn a_server_name_has_no_dot() {
        let map = BTreeMap::from([("eu.north".to_owned(), 0)]);
        assert_eq!(LegalKeys::of_servers(&map).written("eu.north"), "eu_north");
        assert_eq!(
            LegalKeys::of_components(&map).written("eu.north"),
            "eu.north"
        );
    }
}
