//! A JSON Schema as nested lists.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::writer::Writer;

/// The keywords that hold the definitions.
const DEFINITIONS: [&str; 2] = ["definitions", "$defs"];

/// Keywords whose value is a schema, or a list of schemas, and how they are introduced.
const NESTED: [(&str, &str); 13] = [
    ("items", "each item"),
    ("additionalItems", "each further item"),
    ("contains", "an item at least"),
    ("additionalProperties", "every other property"),
    ("propertyNames", "every property's name"),
    ("oneOf", "one of"),
    ("anyOf", "any of"),
    ("allOf", "all of"),
    ("not", "not"),
    ("if", "if"),
    ("then", "then"),
    ("else", "else"),
    ("prefixItems", "in this order"),
];

/// Keywords shown elsewhere than in the list of what is left.
const SHOWN: [&str; 9] = [
    "$schema",
    "$ref",
    "title",
    "type",
    "description",
    "properties",
    "required",
    "definitions",
    "$defs",
];

/// A whole schema; its definitions can be linked to.
pub(super) struct Schema<'a> {
    root: &'a Value,
    anchor: String,
    /// By the reference to it.
    definitions: BTreeMap<String, Definition<'a>>,
}

struct Definition<'a> {
    name: &'a str,
    anchor: String,
    schema: &'a Value,
}

impl<'a> Schema<'a> {
    pub(super) fn new(root: &'a Value, anchor: String) -> Self {
        let mut definitions = BTreeMap::new();
        for keyword in DEFINITIONS {
            let Some(Value::Object(named)) = root.get(keyword) else {
                continue;
            };
            for (name, schema) in sorted(named) {
                let anchor = format!("{anchor}-{}", definitions.len() + 1);
                let definition = Definition {
                    name,
                    anchor,
                    schema,
                };
                definitions.insert(format!("#/{keyword}/{name}"), definition);
            }
        }
        Self {
            root,
            anchor,
            definitions,
        }
    }

    pub(super) fn write(&self, page: &mut Writer) {
        page.anchored("schema", &self.anchor);
        self.schema(page, self.root);
        for Definition {
            name,
            anchor,
            schema,
        } in self.definitions.values()
        {
            page.anchored("definition", anchor);
            page.within("h5", |page| page.text(name));
            page.raw("\n");
            self.schema(page, schema);
            page.raw("</div>\n");
        }
        page.raw("</div>\n");
    }

    /// A schema: what it is on one line, then what it consists of.
    fn schema(&self, page: &mut Writer, schema: &Value) {
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Bool(true) => return page.raw("<p>anything</p>\n"),
            Value::Bool(false) => return page.raw("<p>nothing</p>\n"),
            other => return page.json(other),
        };
        page.raw("<p>");
        self.kind(page, keywords);
        page.raw("</p>\n");
        self.parts(page, keywords);
    }

    /// Type, constraints and references.
    fn kind(&self, page: &mut Writer, keywords: &Map<String, Value>) {
        if let Some(kind) = keywords.get("type") {
            page.within("em", |page| page.text(&types(kind)));
            page.raw(" ");
        }
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            self.reference(page, reference);
            page.raw(" ");
        }
        for (keyword, value) in left(keywords) {
            page.within("span class=\"constraint\"", |page| {
                page.text(keyword);
                page.raw(": ");
                page.code(&value.to_string());
            });
            page.raw(" ");
        }
    }

    fn reference(&self, page: &mut Writer, reference: &str) {
        let decoded = crate::write::decoded(reference);
        match self.definitions.get(&decoded) {
            Some(definition) => page.link(&definition.anchor, definition.name),
            None if reference == "#" => page.link(&self.anchor, "the whole"),
            None => page.code(reference),
        }
    }

    fn parts(&self, page: &mut Writer, keywords: &Map<String, Value>) {
        page.prose(keywords.get("description").and_then(Value::as_str));
        let required = required(keywords);
        for keyword in ["properties", "patternProperties"] {
            let Some(Value::Object(properties)) = keywords.get(keyword) else {
                continue;
            };
            page.raw("<ul>\n");
            for (name, schema) in sorted(properties) {
                page.raw("<li>");
                page.code(name);
                if required.contains(&name) {
                    page.raw(" <strong>required</strong>");
                }
                page.raw("\n");
                self.schema(page, schema);
                page.raw("</li>\n");
            }
            page.raw("</ul>\n");
        }
        for (keyword, introduced) in NESTED {
            let Some(nested) = keywords.get(keyword) else {
                continue;
            };
            page.within("p class=\"nested\"", |page| page.text(introduced));
            page.raw("\n<ul>\n");
            let alternatives = match nested {
                Value::Array(alternatives) => alternatives.as_slice(),
                one => std::slice::from_ref(one),
            };
            for alternative in alternatives {
                page.raw("<li>");
                self.schema(page, alternative);
                page.raw("</li>\n");
            }
            page.raw("</ul>\n");
        }
    }
}

fn types(kind: &Value) -> String {
    match kind {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" or "),
        other => other.to_string(),
    }
}

fn required(keywords: &Map<String, Value>) -> Vec<&str> {
    let names = keywords.get("required").and_then(Value::as_array);
    names
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// The keywords that have no place of their own.
fn left(keywords: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let elsewhere = |keyword: &str| {
        SHOWN.contains(&keyword)
            || keyword == "patternProperties"
            || NESTED.iter().any(|(nested, _)| *nested == keyword)
    };
    sorted(keywords).filter(move |(keyword, _)| !elsewhere(keyword))
}

fn sorted(fields: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let fields: BTreeMap<_, _> = fields
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .collect();
    fields.into_iter()
}
