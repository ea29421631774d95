//! What a package may be called.

use super::error::ToolError;

/// Names that cargo refuses, because a crate of that name could not be used.
const RESERVED: [&str; 6] = ["core", "std", "alloc", "proc_macro", "proc-macro", "test"];

/// Rust's words, which a crate can't be named after.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Refuses what cargo would refuse, before anything is written.
pub(super) fn check(name: &str) -> Result<(), ToolError> {
    let refuse = |why| {
        Err(ToolError::Name {
            name: name.to_owned(),
            why,
        })
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return refuse("it must begin with a letter");
    }
    if !name.chars().all(allowed) {
        return refuse("it may have ASCII letters, digits, `-` and `_`");
    }
    if KEYWORDS.contains(&name) || RESERVED.contains(&name) || name == "ruststream" {
        return refuse("Rust or the service needs that word");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_would_refuse_is_refused_with_the_reason() {
        for name in ["demo", "my-service", "depot_2", "_private"] {
            assert!(check(name).is_ok(), "{name}");
        }
        for (name, why) in [
            ("", "begin with a letter"),
            ("2depot", "begin with a letter"),
            ("dépôt", "ASCII letters"),
            ("de pot", "ASCII letters"),
            ("de.pot", "ASCII letters"),
            ("async", "needs that word"),
            ("test", "needs that word"),
            ("ruststream", "needs that word"),
        ] {
            let told = check(name).unwrap_err().to_string();
            assert!(
                told.contains(why) && told.contains(&format!("`{name}`")),
                "{told}"
            );
        }
    }
}
