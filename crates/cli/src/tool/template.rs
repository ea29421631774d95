//! The templates, which are those of `templates/` in the repository, and how they are filled in.
//!
//! They are written for `cargo generate`; of its language they use the project's name alone.

/// What a new service begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Template {
    /// The in-process broker: works without a server.
    #[default]
    Memory,
    /// NATS.
    Nats,
}

/// One file of a template.
pub(super) struct File {
    /// Relative to the project, with `/`.
    pub(super) path: &'static str,
    pub(super) text: &'static str,
}

/// The files of one folder of `templates/`.
macro_rules! files {
    ($folder:literal: $($path:literal),* $(,)?) => {
        &[$(File {
            path: $path,
            text: include_str!(concat!("../../templates/", $folder, "/", $path)),
        }),*]
    };
}

const MEMORY: &[File] = files!("memory":
    ".gitignore",
    "Cargo.toml.liquid",
    "README.md",
    "src/main.rs",
    "src/orders.rs",
    "src/routes.rs",
);

const NATS: &[File] = files!("nats":
    ".gitignore",
    "Cargo.toml.liquid",
    "README.md",
    "src/main.rs",
    "src/orders.rs",
    "src/routes.rs",
);

impl Template {
    pub(super) const ALL: [Self; 2] = [Self::Memory, Self::Nats];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Nats => "nats",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|template| template.name() == name)
    }

    pub(super) const fn files(self) -> &'static [File] {
        match self {
            Self::Memory => MEMORY,
            Self::Nats => NATS,
        }
    }
}

impl File {
    /// Where it goes: cargo must not take a template's manifest for one.
    pub(super) fn target(&self) -> &'static str {
        self.path.strip_suffix(".liquid").unwrap_or(self.path)
    }

    /// Its text in a project of that name.
    pub(super) fn rendered(&self, project: &str) -> String {
        self.text.replace("{{project-name}}", project)
    }
}
