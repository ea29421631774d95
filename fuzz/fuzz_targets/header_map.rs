//! The header map against a plain list that follows CORE-080 to CORE-085 word for word.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use ruststream_core::HeaderMap;

#[derive(Debug, Arbitrary)]
enum Step {
    Insert(String, Vec<u8>),
    Remove(String),
    Clone,
    Overwrite(Vec<(String, Vec<u8>)>),
}

#[derive(Debug, Default, Clone)]
struct Model(Vec<(String, Vec<u8>)>);

impl Model {
    fn insert(&mut self, name: &str, value: Vec<u8>) -> Option<Vec<u8>> {
        let name = name.to_ascii_lowercase();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.0.push((name, value));
                None
            }
        }
    }

    fn remove(&mut self, name: &str) -> Option<Vec<u8>> {
        let name = name.to_ascii_lowercase();
        let at = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.remove(at).1)
    }
}

fuzz_target!(|steps: Vec<Step>| {
    let (mut map, mut model) = (HeaderMap::new(), Model::default());
    for step in steps {
        match step {
            Step::Insert(name, value) => {
                let old = map.insert(name.as_str(), value.clone()).map(|old| old.to_vec());
                assert_eq!(old, model.insert(&name, value));
            }
            Step::Remove(name) => {
                assert_eq!(map.remove(&name).map(|old| old.to_vec()), model.remove(&name));
            }
            Step::Clone => {
                let copy = map.clone();
                assert_eq!(copy, map);
                map = copy;
            }
            Step::Overwrite(entries) => {
                let other: HeaderMap =
                    entries.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
                for (name, value) in other.iter() {
                    model.insert(name, value.to_vec());
                }
                map.overwrite_with(other);
            }
        }
        assert_eq!(map.len(), model.0.len());
        let seen: Vec<_> = map.iter().map(|(name, value)| (name, value)).collect();
        let told: Vec<_> =
            model.0.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        assert_eq!(seen, told);
        for (name, value) in &model.0 {
            assert_eq!(map.get(&name.to_ascii_uppercase()), Some(value.as_slice()));
        }
    }
    let _ = format!("{map:?}");
});
