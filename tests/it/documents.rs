//! Documents are true: what they list is what the program has.

use std::path::{Path, PathBuf};

use crate::support::generated::assert_table;
use crate::support::program::{arb, run};
use crate::support::root;

pub(crate) fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The rows of a table that the program prints, below its head.
pub(crate) fn rows(table: &str) -> &str {
    table.splitn(3, '\n').nth(2).unwrap()
}

#[test]
fn the_page_of_topics_has_the_catalogue() {
    let printed = run(arb().args(["topics", "list"])).out;
    assert!(printed.contains("odds.ticks.v1"));
    assert_table("docs/operations/topics.md", "# Topics", rows(&printed));
}

#[test]
fn the_architecture_lists_every_invariant() {
    let code = read("pipeline/engine/src/invariants.rs");
    let architecture = read("ARCHITECTURE.md");
    let numbered: Vec<_> = code.lines().filter_map(|line| line.trim().strip_prefix("/// I")).collect();
    assert!(numbered.len() >= 6);
    for invariant in numbered {
        assert!(architecture.contains(&format!("I{invariant}")), "I{invariant}");
    }
}

#[test]
fn the_page_of_commands_names_every_command() {
    let help = run(arb().arg("--help")).out;
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let page = read("docs/operations/commands.md");
    for command in commands.lines().filter_map(|line| line.split_whitespace().next()) {
        assert!(command == "help" || page.contains(&format!("`arb {command}")), "arb {command}");
    }
}

/// Every document: those at the root, and all pages of `docs/` and `deploy/docs/`.
pub(crate) fn documents() -> Vec<String> {
    let mut found =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "BENCHMARKS.md"].map(str::to_owned).to_vec();
    let mut folders = vec!["docs".to_owned(), "deploy/docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap().map(Result::unwrap) {
            let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                folders.push(name);
            } else if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                found.push(name);
            }
        }
    }
    found
}

#[test]
fn paths_that_documents_name_exist() {
    for document in documents() {
        for path in read(&document).split('`').skip(1).step_by(2) {
            let is_path =
                path.contains('/') && path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            let is_ours = ["schemas/", "pipeline/", "api/", "tests/", "deploy/", "docs/", ".ci/", ".cargo/"];
            if is_path && is_ours.iter().any(|start| path.starts_with(start)) {
                assert!(root().join(path).exists(), "{document} names {path}");
            }
        }
    }
}

/// The targets of a page's links that are files of ours, without the place within them.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    files.filter_map(|target| target.split('#').next())
}

#[test]
fn links_of_documents_lead_somewhere() {
    let mut followed = 0;
    for document in documents() {
        let folder = root().join(&document).parent().unwrap().to_owned();
        for target in links(&read(&document)) {
            assert!(folder.join(target).exists(), "{document} links to {target}");
            followed += 1;
        }
    }
    assert!(followed > 5, "only {followed} links were found");
}

/// A page that is longer is not read to its end.
#[test]
fn the_first_two_pages_are_short() {
    for (name, most) in [("README.md", 6 * 1024), ("ARCHITECTURE.md", 12 * 1024)] {
        let bytes = read(name).len();
        assert!(bytes <= most, "{name} has {bytes} bytes");
    }
}

/// The best of the documentation is what the server has; who starts it is led there.
#[test]
fn the_first_pages_lead_to_what_the_server_documents() {
    for page in ["README.md", "docs/quickstart.md"] {
        let text = read(page);
        for path in ["/docs", "/openapi.json", "/llms.txt"] {
            assert!(
                text.contains(&format!("](http://127.0.0.1:8080{path})")),
                "{page} does not link to {path}"
            );
        }
    }
}

/// The files that a page links to.
fn linked(page: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(page).unwrap();
    let folder = page.parent().unwrap();
    links(&text).map(|target| folder.join(target).canonicalize().unwrap()).collect()
}

#[test]
fn every_page_of_the_docs_is_two_clicks_from_the_readme() {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let first = linked(&root().join("README.md").canonicalize().unwrap());
    let second = first.iter().filter(|path| is_page(path)).flat_map(|page| linked(page));
    let reached: Vec<_> = second.chain(first.iter().cloned()).collect();
    for page in documents().iter().filter(|page| page.starts_with("docs/") && !page.starts_with("docs/adr/0"))
    {
        let path = root().join(page).canonicalize().unwrap();
        assert!(reached.contains(&path), "{page} is further than two clicks from README.md");
    }
    let decisions = linked(&root().join("docs/adr/README.md"));
    for page in documents().iter().filter(|page| page.starts_with("docs/adr/0")) {
        assert!(decisions.contains(&root().join(page).canonicalize().unwrap()), "{page} is not listed");
    }
}
