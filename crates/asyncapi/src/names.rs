//! Names made out of other names.

/// The id of an operation on `name`: what is neither letter nor digit becomes `_` (API-28).
pub(crate) fn sanitized(name: &str) -> String {
    name.chars()
        .map(|character| {
            if character.is_alphanumeric() {
                character
            } else {
                '_'
            }
        })
        .collect()
}

/// `stem`, or else `stem_2`, `stem_3`, ..: the first that is not taken.
pub(crate) fn free_name(stem: String, taken: impl Fn(&str) -> bool) -> String {
    if !taken(&stem) {
        return stem;
    }
    (2..u64::MAX)
        .map(|n| format!("{stem}_{n}"))
        .find(|name| !taken(name))
        .unwrap_or(stem)
}

/// The name of a message that only its Rust type names: the type's path without its modules, at
/// every depth, and with `_` for what a key may not hold (API-29).
pub(crate) fn of_type(type_name: &str) -> String {
    let mut name = String::with_capacity(type_name.len());
    let mut word = String::new();
    for character in type_name.chars().chain([' ']) {
        match character {
            _ if character.is_alphanumeric() || character == '_' => word.push(character),
            // A path goes on: what came before was a module. A lifetime is no part of a name.
            ':' => word.clear(),
            _ if word.starts_with('\'') => {
                word.clear();
                name.push(character);
            }
            '\'' => word.push(character),
            _ => {
                name.push_str(&word);
                word.clear();
                name.push(character);
            }
        }
    }
    let legal =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    let mut key = String::with_capacity(name.len());
    let mut gap = false;
    for character in name.trim_end().chars() {
        if legal(character) {
            key.push(character);
        } else if !gap {
            key.push('_');
        }
        gap = !legal(character);
    }
    if gap && key.len() > 1 {
        key.pop();
    }
    key
}

/// The placeholders of a channel's address, `{name}` each, in the characters the standard allows.
pub(crate) fn placeholders(address: &str) -> impl Iterator<Item = &str> {
    address.split('{').skip(1).filter_map(|opened| {
        let (name, _) = opened.split_once('}')?;
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        (!name.is_empty() && name.bytes().all(legal)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // API-28
    #[test]
    fn letters_and_digits_of_any_script_stay() {
        assert_eq!(sanitized("sites.{site}.v1"), "sites__site__v1");
        assert_eq!(sanitized("a/+/b"), "a___b");
        assert_eq!(sanitized("Größe-7"), "Größe_7");
    }

    // API-29
    #[test]
    fn a_type_is_called_by_the_last_segment_of_its_path() {
        for (type_name, name) in [
            ("depot::Scan", "Scan"),
            ("alloc::vec::Vec<depot::Scan>", "Vec_Scan"),
            (
                "depot::Page<depot::Scan, alloc::string::String>",
                "Page_Scan_String",
            ),
            ("&[depot::Scan]", "_Scan"),
            ("u64", "u64"),
            ("()", "_"),
            ("depot::View<'_>", "View"),
            ("depot::Pair<'_, depot::Scan>", "Pair_Scan"),
            ("depot::r#type", "r_type"),
        ] {
            assert_eq!(of_type(type_name), name, "{type_name}");
        }
    }

    // API-24
    #[test]
    fn placeholders_stand_in_braces() {
        let all = |address| placeholders(address).collect::<Vec<_>>();
        assert_eq!(all("sites.{site}.{sensor}.v1"), ["site", "sensor"]);
        assert!(all("sites.*.>").is_empty());
        assert!(all("{}{a b}{open").is_empty());
    }
}
