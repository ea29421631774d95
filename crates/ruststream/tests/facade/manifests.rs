//! What the manifests promise: which crate may know which, and what a feature turns on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The keys of one table of a manifest, each with the text of its value.
type Table = BTreeMap<String, String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A table of a manifest, comments left out.
fn table(manifest: &str, name: &str) -> Table {
    let header = format!("[{name}]");
    let lines = manifest
        .lines()
        .map(|line| line.split(" #").next().unwrap_or(line).trim());
    let lines = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .skip_while(|line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['));
    let mut table = Table::new();
    let mut entry = String::new();
    for line in lines {
        entry.push_str(line);
        // A list may go on over several lines.
        if entry.matches('[').count() == entry.matches(']').count() {
            let (key, value) = entry.split_once('=').expect("an entry");
            table.insert(key.trim().to_owned(), value.trim().to_owned());
            entry.clear();
        }
    }
    table
}

/// The manifests of the crates in a folder, by the name of theirs.
fn crates_of(folder: &str) -> Vec<(String, String)> {
    let folder = root().join(folder);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("Cargo.toml").exists())
        .map(|path| {
            let name = path.file_name().expect("a folder").to_string_lossy();
            (name.into_owned(), read(&path.join("Cargo.toml")))
        })
        .collect()
}

fn of_the_framework(table: &Table) -> Vec<&str> {
    let names = table.keys().map(String::as_str);
    names
        .filter(|name| name.starts_with("ruststream"))
        .collect()
}

// CORE-001
#[test]
fn the_contract_knows_no_other_crate_and_all_are_pinned_to_each_other() {
    let core = read(&root().join("crates/core/Cargo.toml"));
    assert_eq!(of_the_framework(&table(&core, "dependencies")), [""; 0]);

    let workspace = read(&root().join("Cargo.toml"));
    let version = table(&workspace, "workspace.package")["version"].clone();
    let pin = format!("version = \"={}\"", version.trim_matches('"'));
    let dependencies = table(&workspace, "workspace.dependencies");
    let of_ours = of_the_framework(&dependencies);
    assert!(of_ours.len() >= 10, "{of_ours:?}");
    for name in of_ours {
        assert!(dependencies[name].contains(&pin), "{name}: {pin}");
    }
    for (name, manifest) in crates_of("crates") {
        assert_eq!(
            table(&manifest, "package")["version.workspace"],
            "true",
            "{name}"
        );
        let dependencies = table(&manifest, "dependencies");
        for ours in of_the_framework(&dependencies) {
            assert!(
                dependencies[ours].contains("workspace = true"),
                "{name}: {ours}"
            );
        }
    }
}

// CORE-001, CORE-270
#[test]
fn brokers_and_services_depend_on_the_facade_alone() {
    let workspace = read(&root().join("Cargo.toml"));
    let facade = &table(&workspace, "workspace.dependencies")["ruststream"];
    assert!(facade.contains("default-features = false"), "{facade}");
    for (name, manifest) in crates_of("brokers")
        .into_iter()
        .chain(crates_of("examples"))
    {
        let package = table(&manifest, "package");
        // Of one minor line with the core.
        assert_eq!(package["version.workspace"], "true", "{name}");
        let dependencies = table(&manifest, "dependencies");
        for ours in of_the_framework(&dependencies) {
            assert!(
                ours == "ruststream" || ours == "ruststream-nats",
                "{name}: {ours}"
            );
        }
        assert!(
            dependencies["ruststream"].contains("workspace = true"),
            "{name}"
        );
    }
}

// CORE-002
#[test]
fn every_crate_is_of_one_edition_and_documented() {
    let workspace = read(&root().join("Cargo.toml"));
    let package = table(&workspace, "workspace.package");
    assert_eq!(
        (&*package["edition"], &*package["rust-version"]),
        ("\"2024\"", "\"1.95\"")
    );
    let lints = table(&workspace, "workspace.lints.rust");
    assert_eq!(lints["unsafe_code"], "\"deny\"");
    // What is only warned about here is an error in `scripts/lint`.
    for lint in ["missing_docs", "missing_debug_implementations"] {
        assert_eq!(lints[lint], "\"warn\"", "{lint}");
    }
    assert!(
        read(&root().join("scripts/lint")).contains("--all-features --all-targets -- -D warnings")
    );
    for (name, manifest) in crates_of("crates").into_iter().chain(crates_of("brokers")) {
        let package = table(&manifest, "package");
        assert_eq!(package["edition.workspace"], "true", "{name}");
        assert_eq!(package["rust-version.workspace"], "true", "{name}");
        assert_eq!(table(&manifest, "lints")["workspace"], "true", "{name}");
    }
}

// CORE-005
#[test]
fn the_features_turn_on_what_is_said_and_nothing_else_of_the_facade() {
    let manifest = read(&root().join("crates/ruststream/Cargo.toml"));
    let features = table(&manifest, "features");
    let expected = [
        ("asyncapi", &["json"][..]),
        ("cbor", &[]),
        ("cli", &[]),
        ("conformance", &["testing"]),
        ("default", &["json"]),
        ("json", &[]),
        ("logging", &[]),
        ("macros", &[]),
        ("memory", &[]),
        ("metrics", &[]),
        ("msgpack", &[]),
        ("otel", &[]),
        ("poll-diagnostics", &[]),
        ("testing", &[]),
    ];
    assert_eq!(
        features.keys().collect::<Vec<_>>(),
        expected.map(|(name, _)| name)
    );
    for (name, implied) in expected {
        let turned_on = features[name]
            .split(['[', ']', ','])
            .map(|item| item.trim().trim_matches('"'));
        let of_the_facade: Vec<_> = turned_on
            .filter(|item| !item.is_empty() && !item.contains(['/', ':']))
            .collect();
        assert_eq!(of_the_facade, implied, "{name}");
    }
}

// CORE-321
#[test]
fn a_broker_forwards_the_features_of_its_tests_and_documents_and_is_lean_by_default() {
    for (name, manifest) in crates_of("brokers") {
        let features = table(&manifest, "features");
        assert!(
            features["testing"].contains("\"ruststream/testing\""),
            "{name}"
        );
        assert!(
            features["asyncapi"].contains("\"ruststream/asyncapi\""),
            "{name}"
        );
        assert!(!features.contains_key("default"), "{name}");
        // Neither is on in the dependency itself.
        let facade = &table(&manifest, "dependencies")["ruststream"];
        assert!(!facade.contains("features"), "{name}: {facade}");
    }
}

// CORE-002
#[test]
fn unsafe_code_is_in_one_file_of_the_framework() {
    for folder in ["crates", "brokers"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder") {
            let lib = entry.expect("an entry").path().join("src/lib.rs");
            let forbids = read(&lib).contains("#![forbid(unsafe_code)]");
            assert_eq!(
                forbids,
                !lib.ends_with("core/src/lib.rs"),
                "{}",
                lib.display()
            );
        }
    }
    let manifest = read(&root().join("Cargo.toml"));
    assert_eq!(
        table(&manifest, "workspace.lints.rust")["unsafe_code"],
        "\"deny\""
    );
    let exceptions: Vec<_> = sources(&root().join("crates/core/src"))
        .into_iter()
        .filter(|path| read(path).contains("(unsafe_code"))
        .collect();
    assert!(
        matches!(&exceptions[..], [only] if only.ends_with("codec/text.rs")),
        "{exceptions:?}"
    );
}

/// The source files in `folder`, at whatever depth.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

// MEM-01, MEM-03
#[test]
fn the_in_process_broker_has_one_feature_and_nothing_to_reach_a_network_with() {
    let memory = read(&root().join("crates/memory/Cargo.toml"));
    let features = table(&memory, "features");
    assert_eq!(features.keys().collect::<Vec<_>>(), ["testing"]);
    let dependencies = table(&memory, "dependencies");
    assert!(
        !dependencies["tokio"].contains("net") && !dependencies["tokio"].contains("fs"),
        "{dependencies:?}"
    );

    let facade = table(
        &read(&root().join("crates/ruststream/Cargo.toml")),
        "features",
    );
    assert!(facade["testing"].contains("\"ruststream-memory?/testing\""));
}

// TEST-04
#[test]
fn a_broker_crate_forwards_the_testing_feature() {
    for manifest in ["brokers/nats/Cargo.toml", "examples/toy-broker/Cargo.toml"] {
        let features = table(&read(&root().join(manifest)), "features");
        assert_eq!(
            features["testing"], "[\"ruststream/testing\"]",
            "{manifest}"
        );
        assert!(
            !features
                .get("default")
                .is_some_and(|on| on.contains("testing"))
        );
    }
}

// NATS-01, NATS-02
#[test]
fn the_nats_crate_has_two_features_and_promises_the_line_of_its_client() {
    let nats = read(&root().join("brokers/nats/Cargo.toml"));
    let features = table(&nats, "features");
    assert_eq!(features.keys().collect::<Vec<_>>(), ["asyncapi", "testing"]);
    let client = &table(&nats, "dependencies")["async-nats"];
    assert!(client.contains("version = \"0.50\""), "{client}");

    assert!(read(&root().join("brokers/nats/src/lib.rs")).contains("#![forbid(unsafe_code)]"));
    assert_eq!(table(&nats, "lints")["workspace"], "true");
}
