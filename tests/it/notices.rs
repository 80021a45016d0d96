//! `NOTICES`: what of others is in the binary, with the licences that ask for it, as Cargo and the build of the page list it.
//!
//! The file is generated: `ARB_WRITE_NOTICES=1 cargo test -p arb-tests --test it -- notices` writes it. It takes the licence
//! that each package states, and never guesses a text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::documents::read;
use crate::support::program::{arb, run};
use crate::support::root;

/// The platform whose packages are listed, whatever this machine is.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";
/// Sources of others within a package, with licences of their own.
const BUNDLED: [&str; 3] = ["librdkafka", "zstd", "jemalloc"];

const HEAD: &str = "\
What of others is in the program `arb`

The program itself is under the licences in LICENSE-MIT and LICENSE-APACHE, as you prefer. It contains the packages below. Where a
package may be used under the Apache License 2.0, it is: its text is LICENSE-APACHE. The texts of all other licences follow the list.
OpenSSL is used as the system has it. Kafka and ClickHouse are programs of their own: `cargo up` downloads them with their licences.

This file is generated (tests/it/notices.rs).
";

/// A package of Cargo's, as far as its licence needs it.
struct Package {
    name: String,
    licence: String,
    source: String,
    folder: PathBuf,
}

impl Package {
    fn new(package: &Value) -> Self {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        Self {
            name: format!("{} {}", text("name"), text("version")),
            licence: text("license"),
            source: text("repository"),
            folder: Path::new(&text("manifest_path")).parent().unwrap().to_owned(),
        }
    }

    /// Whether the Apache License is one of those to choose from.
    fn is_apache(&self) -> bool {
        let choices = self.licence.replace('/', " OR ");
        choices.split(" OR ").any(|choice| choice.trim() == "Apache-2.0")
    }

    /// The files of its own that must be shown: those of its licence, and notices; of the Apache License notices alone.
    fn own_texts(&self) -> Vec<PathBuf> {
        let is_apache = self.is_apache();
        files(&self.folder, |name| name.starts_with("notice") || !is_apache && is_licence(name))
    }

    /// All files that must be shown.
    fn texts(&self) -> Vec<PathBuf> {
        let bundled = BUNDLED.iter().flat_map(|name| files(&self.folder.join(name), is_licence));
        self.own_texts().into_iter().chain(bundled).collect()
    }
}

fn is_licence(name: &str) -> bool {
    ["licen", "copying", "unlicense"].iter().any(|start| name.starts_with(start))
}

/// The files of a folder by their names in small letters; none where there is no folder.
fn files(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let named = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().to_lowercase();
    let mut found: Vec<_> = entries.filter(|path| path.is_file() && is_wanted(&named(path))).collect();
    found.sort();
    found
}

/// The packages of others that the program is linked from, by name.
fn packages() -> Vec<Package> {
    let arguments = ["metadata", "--format-version=1", "--locked", "--filter-platform", PLATFORM];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        let items = list.as_array().unwrap().iter();
        items.map(|item| (item["id"].as_str().unwrap().to_owned(), item.clone())).collect()
    };
    let (packages, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let (program, _) = packages.iter().find(|(_, package)| package["name"] == "arb").unwrap();
    let (mut reached, mut next) = (BTreeSet::new(), vec![program.clone()]);
    while let Some(id) = next.pop() {
        let linked = nodes[&id]["deps"].as_array().unwrap().iter().filter(|dependency| {
            // Neither for tests nor for builds.
            dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null())
        });
        next.extend(linked.map(|dependency| dependency["pkg"].as_str().unwrap().to_owned()));
        next.retain(|id| !reached.contains(id));
        reached.insert(id);
    }
    let of_others = reached.iter().map(|id| &packages[id]).filter(|package| !package["source"].is_null());
    let mut found: Vec<_> = of_others.map(Package::new).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// A text without what editors add to its lines.
fn tidied(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// Each text once, with the names that it belongs to, in the order in which it is first met.
fn texts(packages: &[Package]) -> Vec<(String, Vec<String>)> {
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    for package in packages {
        for path in package.texts() {
            let text = tidied(&String::from_utf8_lossy(&fs::read(&path).unwrap()));
            let name = format!("{}: {}", package.name, path.strip_prefix(&package.folder).unwrap().display());
            match texts.iter_mut().find(|(found, _)| *found == text) {
                Some((_, names)) => names.push(name),
                None => texts.push((text, vec![name])),
            }
        }
    }
    texts
}

fn notices() -> String {
    let packages = packages();
    assert!(packages.len() > 200, "{}", packages.len());
    let mut out = format!("{HEAD}\n");
    for package in &packages {
        let missing = !package.is_apache() && package.own_texts().is_empty();
        let note = if missing { " (the package contains no text of it)" } else { "" };
        writeln!(out, "{}: {}{note} {}", package.name, package.licence, package.source).unwrap();
    }
    let page = tidied(&read("api/dashboard/dist/licences.md"));
    for (text, names) in texts(&packages).into_iter().chain([(page, vec!["the web page".to_owned()])]) {
        write!(out, "\n{}\n{}\n\n{text}\n", "-".repeat(100), names.join("\n")).unwrap();
    }
    out
}

#[test]
fn the_notices_are_those_of_what_is_linked() {
    let (path, notices) = (root().join("NOTICES"), notices());
    if std::env::var_os("ARB_WRITE_NOTICES").is_some() {
        fs::write(&path, &notices).unwrap();
    }
    let stored = fs::read_to_string(path).unwrap_or_default();
    let differs = notices.lines().zip(stored.lines()).find(|(new, old)| new != old);
    assert!(
        notices == stored,
        "NOTICES is another one at {differs:?}: run ARB_WRITE_NOTICES=1 cargo test -p arb-tests --test it -- notices"
    );
}

#[test]
fn the_program_shows_its_licences() {
    let shown = run(arb().arg("licences")).out;
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "NOTICES"] {
        assert!(shown.contains(&read(name)), "{name}");
    }
    for statement in ["Cargo.toml", "api/dashboard/package.json"] {
        assert!(read(statement).contains("\"MIT OR Apache-2.0\""), "{statement}");
    }
}
