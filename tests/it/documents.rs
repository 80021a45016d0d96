//! Documents are true: what they list is what the program has.

use crate::support::program::{arb, run};
use crate::support::root;

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_architecture_shows_the_catalogue_of_topics() {
    let said = run(arb().args(["topics", "list"]));
    assert!(said.out.contains("odds.ticks.v1"));
    assert!(read("ARCHITECTURE.md").contains(&said.out), "paste this:\n{}", said.out);
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
fn the_readme_names_every_command() {
    let help = run(arb().arg("--help")).out;
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let readme = read("README.md");
    for command in commands.lines().filter_map(|line| line.split_whitespace().next()) {
        assert!(command == "help" || readme.contains(&format!("`arb {command}")), "arb {command}");
    }
}

#[test]
fn paths_that_documents_name_exist() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for path in read(document).split('`').skip(1).step_by(2) {
            let is_path =
                path.contains('/') && path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            let is_ours = ["schemas/", "pipeline/", "api/", "tests/", "deploy/", ".ci/", ".cargo/"];
            if is_path && is_ours.iter().any(|start| path.starts_with(start)) {
                assert!(root().join(path).exists(), "{document} names {path}");
            }
        }
    }
}
