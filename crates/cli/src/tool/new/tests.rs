use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A directory that is gone after the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let nth = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ruststream-new-{}-{nth}", process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn project(&self, name: &str, template: Template) -> Project {
        Project {
            path: self.0.join(name),
            template,
            checkout: None,
        }
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The repository that this crate is built in.
fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

// CLI-19, CLI-21
#[test]
fn a_project_is_the_template_with_its_name_filled_in() {
    for template in Template::ALL {
        let scratch = Scratch::new();

        let made = make(&scratch.project("demo", template)).unwrap();

        let manifest = scratch.read("demo/Cargo.toml");
        assert!(manifest.contains("name = \"demo\""), "{manifest}");
        assert!(!manifest.contains("path = "), "{manifest}");
        for file in template.files() {
            let text = scratch.read(&format!("demo/{}", file.target()));
            assert!(
                !text.contains("{{") && !text.contains("{%"),
                "{}: {text}",
                file.path
            );
        }
        assert!(!scratch.0.join("demo/Cargo.toml.liquid").exists());
        assert!(made.to_string().contains("cargo run -- run"), "{made}");
    }
}

// CLI-20
#[test]
fn templates_hold_no_block_that_would_take_code_away() {
    for template in Template::ALL {
        for file in template.files() {
            for odd in ["{% else", "{% unless", "{% if !"] {
                assert!(!file.text.contains(odd), "{}: {odd}", file.path);
            }
        }
    }
}

// CLI-19: what is on disk is what is embedded.
#[test]
fn every_file_of_a_template_is_embedded() {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.push(path);
            }
        }
    }
    for template in Template::ALL {
        let folder = checkout().join("templates").join(template.name());
        let mut found = Vec::new();
        walk(&folder, &mut found);

        found.retain(|path| path.file_name() != Some("cargo-generate.toml".as_ref()));
        let mut found: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(&folder).unwrap().to_str().unwrap())
            .collect();
        found.sort_unstable();
        let mut embedded: Vec<_> = template.files().iter().map(|file| file.path).collect();
        embedded.sort_unstable();
        assert_eq!(found, embedded);
        assert!(folder.join("cargo-generate.toml").is_file());
    }
}

#[test]
fn a_checkout_takes_the_place_of_the_registry() {
    let scratch = Scratch::new();
    let project = Project {
        checkout: Some(checkout()),
        ..scratch.project("demo", Template::Nats)
    };

    make(&project).unwrap();

    let manifest = scratch.read("demo/Cargo.toml");
    for part in [
        "ruststream = { path = \"/",
        "ruststream-nats = { path = \"/",
        "brokers/nats\"",
    ] {
        assert!(manifest.contains(part), "{manifest}");
    }
    assert!(!manifest.contains("version = \"0.7"), "{manifest}");
}

// The registry may hold an older one of the same line, which does less.
#[test]
fn a_new_service_asks_for_the_version_that_made_it() {
    for template in Template::ALL {
        let mut files = template.files().iter();
        let manifest = files
            .find(|file| file.path.starts_with("Cargo.toml"))
            .unwrap();
        let ours = |line: &&str| line.starts_with("ruststream");
        let asked: Vec<_> = manifest.text.lines().filter(ours).collect();
        assert!(asked.len() >= 2, "{asked:?}");
        for line in asked {
            let version = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");
            assert!(line.contains(version), "{line}");
        }
    }
}

#[test]
fn a_directory_that_is_no_checkout_is_refused_before_anything_is_written() {
    let scratch = Scratch::new();
    let project = Project {
        checkout: Some(scratch.0.clone()),
        ..scratch.project("demo", Template::Memory)
    };

    let told = make(&project).unwrap_err().to_string();

    assert!(told.contains("no checkout of RustStream"), "{told}");
    assert!(told.contains("`crates/ruststream`"), "{told}");
    assert!(!scratch.0.join("demo").exists());
}

#[test]
fn a_directory_must_be_empty() {
    let scratch = Scratch::new();
    let project = scratch.project("demo", Template::Memory);
    fs::create_dir(&project.path).unwrap();

    make(&project).unwrap();
    let told = make(&project).unwrap_err().to_string();

    assert!(
        told.contains("is not empty") && !told.contains('\n'),
        "{told}"
    );
}

#[test]
fn a_place_that_cannot_be_written_to_is_named() {
    let scratch = Scratch::new();
    fs::write(scratch.0.join("file"), "").unwrap();

    let told = make(&scratch.project("file/demo", Template::Memory))
        .unwrap_err()
        .to_string();

    assert!(told.contains("file/demo"), "{told}");
}

#[test]
fn the_name_is_the_last_part_of_the_path() {
    let scratch = Scratch::new();

    let told = make(&scratch.project("2depot", Template::Memory))
        .unwrap_err()
        .to_string();

    assert!(told.contains("`2depot`"), "{told}");
}
