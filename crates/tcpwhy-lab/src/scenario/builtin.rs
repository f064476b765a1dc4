//! The scenarios that come with the program: `scenarios/*.toml`.

use include_dir::{Dir, include_dir};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// The file's name without `.toml`.
    pub name: &'static str,
    /// TOML.
    pub text: &'static str,
}

/// All, by name.
pub fn builtins() -> Vec<Builtin> {
    let mut all: Vec<_> = FILES
        .files()
        .filter_map(|file| {
            let name = file.path().file_name()?.to_str()?.strip_suffix(".toml")?;
            Some(Builtin { name, text: file.contents_utf8()? })
        })
        .collect();
    all.sort_by_key(|b| b.name);
    all
}

/// The one of that name.
pub fn builtin(name: &str) -> Option<Builtin> {
    builtins().into_iter().find(|b| b.name == name)
}
