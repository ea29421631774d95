use proptest::collection::vec;
use proptest::prelude::*;
use ruststream_core::HeaderMap;

fn name() -> impl Strategy<Value = String> {
    "[a-dA-D-]{1,3}"
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => vec(any::<u8>(), 0..8),
        1 => Just(Vec::new()),
        1 => Just(vec![b'v'; 60 * 1024]),
    ]
}

/// What the map has to do, said with a plain list.
#[derive(Default)]
struct Model(Vec<(String, Vec<u8>)>);

impl Model {
    fn insert(&mut self, name: &str, value: Vec<u8>) -> Option<Vec<u8>> {
        let name = name.to_ascii_lowercase();
        if let Some((_, old)) = self.0.iter_mut().find(|(known, _)| *known == name) {
            return Some(std::mem::replace(old, value));
        }
        self.0.push((name, value));
        None
    }

    fn remove(&mut self, name: &str) -> Option<Vec<u8>> {
        let name = name.to_ascii_lowercase();
        let position = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.remove(position).1)
    }
}

#[derive(Debug, Clone)]
enum Step {
    Insert(String, Vec<u8>),
    Remove(String),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (name(), value()).prop_map(|(name, value)| Step::Insert(name, value)),
        1 => name().prop_map(Step::Remove),
    ]
}

fn flip_case(name: &str) -> String {
    let flip = |c: char| {
        if c.is_ascii_uppercase() {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        }
    };
    name.chars().map(flip).collect()
}

proptest! {
    // CORE-080, CORE-081, CORE-088
    #[test]
    fn it_behaves_as_an_ordered_list_of_lowercase_names(steps in vec(step(), 0..24)) {
        let mut headers = HeaderMap::new();
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Insert(name, value) => prop_assert_eq!(
                    headers.insert(name.clone(), value.clone()).map(Vec::from),
                    model.insert(&name, value)
                ),
                Step::Remove(name) => prop_assert_eq!(
                    headers.remove(&name).map(Vec::from),
                    model.remove(&name)
                ),
            }
        }

        let listed: Vec<_> = headers.iter().map(|(n, v)| (n.to_owned(), v.to_vec())).collect();
        prop_assert_eq!(&listed, &model.0);
        prop_assert_eq!(headers.len(), model.0.len());
        prop_assert_eq!(headers.is_empty(), model.0.is_empty());
        for (name, value) in &model.0 {
            prop_assert_eq!(headers.get(&flip_case(name)), Some(&value[..]));
        }
    }

    // CORE-082
    #[test]
    fn equality_is_that_of_the_sets(entries in vec((name(), value()), 0..8), shift in 0usize..8) {
        let headers = HeaderMap::from_iter(entries);
        let mut rotated: Vec<_> = headers.clone().into_iter().collect();
        if !rotated.is_empty() {
            let by = shift % rotated.len();
            rotated.rotate_left(by);
        }

        prop_assert_eq!(&HeaderMap::from_iter(rotated), &headers);
    }

    // CORE-087
    #[test]
    fn overwriting_is_inserting_each(
        under in vec((name(), value()), 0..6),
        over in vec((name(), value()), 0..6),
    ) {
        let mut merged = HeaderMap::from_iter(under.clone());
        merged.overwrite_with(HeaderMap::from_iter(over.clone()));

        let mut inserted = HeaderMap::from_iter(under);
        for (name, value) in HeaderMap::from_iter(over) {
            inserted.insert(name, value);
        }
        prop_assert!(merged.iter().eq(inserted.iter()));
    }
}
