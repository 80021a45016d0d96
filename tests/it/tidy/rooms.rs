//! Top-level modules ("rooms") of a crate: their imports, from their sources, and the names of their types.
//!
//! A room is a top-level module of a crate with all that is below it. It reads text and not a compiler's answer: paths that begin
//! with `crate` or `super`, outside tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{code, sources};
use crate::support::root;

/// Names that every source of ticks has: its four files are alike.
const ALIKE: [&str; 3] = ["Config", "Client", "Decoder"];

/// A file of a crate: the path of its module, and its code without comments and tests.
struct Module {
    path: Vec<String>,
    code: String,
}

/// The modules of every crate, by the crate's folder.
fn crates() -> BTreeMap<String, Vec<Module>> {
    let mut crates: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (path, text) in sources() {
        let path = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let Some((folder, file)) = path.split_once("/src/").filter(|(folder, _)| *folder != "tests") else {
            continue;
        };
        // Modules of tests in separate files, which a room's file declares after its code.
        if file.ends_with("/tests.rs") || file.contains("/tests/") {
            continue;
        }
        let lines: Vec<_> = code(&text).map(|line| line.split("//").next().unwrap_or_default()).collect();
        let module = Module { path: module_path(Path::new(file)), code: lines.join("\n") };
        crates.entry(folder.to_owned()).or_default().push(module);
    }
    crates
}

fn module_path(file: &Path) -> Vec<String> {
    let parts = file.with_extension("");
    let parts = parts.iter().map(|part| part.to_str().unwrap().to_owned());
    parts.filter(|part| !["mod", "lib", "main"].contains(&part.as_str())).collect()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The names at the top of what follows a path: one, or those of a group in braces.
fn heads(rest: &str) -> Vec<&str> {
    let Some(group) = rest.strip_prefix('{') else { return vec![identifier(rest)] };
    let (mut depth, mut heads, mut start) = (1, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 || (depth == 1 && c == ',') {
            heads.push(identifier(group[start..at].trim_start()));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    heads
}

/// The rooms that a module imports: what follows `crate`, or as many `super` as lead to the crate's root.
fn imports(module: &Module) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for (at, word) in module.code.match_indices("crate::").chain(module.code.match_indices("super::")) {
        let is_inner = module.code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        let (mut rest, mut depth) = (&module.code[at + word.len()..], module.path.len());
        if is_inner {
            continue;
        }
        if word == "super::" {
            depth = depth.saturating_sub(1);
            while let Some(further) = rest.strip_prefix("super::") {
                (rest, depth) = (further, depth.saturating_sub(1));
            }
        } else {
            depth = 0;
        }
        if depth == 0 {
            found.extend(heads(rest));
        }
    }
    found
}

/// Which rooms of a crate import which others.
fn graph(modules: &[Module]) -> BTreeMap<&str, BTreeSet<&str>> {
    let rooms: BTreeSet<_> =
        modules.iter().filter_map(|module| module.path.first()).map(String::as_str).collect();
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in modules {
        let Some(room) = module.path.first() else { continue };
        let others = imports(module).into_iter().filter(|name| name != room && rooms.contains(name));
        graph.entry(room).or_default().extend(others);
    }
    graph
}

/// What is left when rooms that import nothing, or that nothing imports, are taken away again and again: the cycles.
fn cycles<'a>(mut graph: BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<&'a str> {
    loop {
        let imported: BTreeSet<_> = graph.values().flatten().copied().collect();
        let before = graph.len();
        graph.retain(|room, imports| !imports.is_empty() && imported.contains(room));
        let left: BTreeSet<_> = graph.keys().copied().collect();
        for imports in graph.values_mut() {
            imports.retain(|room| left.contains(room));
        }
        if graph.len() == before {
            return left.into_iter().collect();
        }
    }
}

#[test]
fn rooms_form_no_import_cycle() {
    for (name, modules) in crates() {
        assert_eq!(cycles(graph(&modules)), [""; 0], "rooms of {name} that import each other");
    }
}

#[test]
fn a_cycle_is_found_through_either_kind_of_path() {
    let module = |path: &[&str], code: &str| Module {
        path: path.iter().map(|part| (*part).to_owned()).collect(),
        code: code.to_owned(),
    };
    let modules = [
        module(&["a"], "use crate::{b::{X, Y}, c};"),
        module(&["b", "inner"], "use super::super::c::Z;\nfn f() -> crate::c::Z {}"),
        module(&["b", "other"], "use super::inner::a;"),
        module(&["c"], "use std::fmt;"),
        module(&[], "use crate::a;"),
    ];
    assert_eq!(cycles(graph(&modules)), Vec::<&str>::new());
    let modules = modules.into_iter().chain([module(&["c", "deep"], "let x = super::super::a::f();")]);
    assert_eq!(cycles(graph(&modules.collect::<Vec<_>>())), ["a", "b", "c"]);
}

/// The type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let is_nested = line.starts_with(' ');
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        let rest =
            if rest.starts_with('(') { rest.split_once(')').map_or(rest, |(_, rest)| rest) } else { rest };
        rest.trim_start()
    });
    // A nested `type` is a trait's.
    let kinds = ["struct ", "enum ", "trait ", "union ", if is_nested { "union " } else { "type " }];
    let name = kinds.iter().find_map(|kind| line.strip_prefix(kind)).map(identifier)?;
    name.starts_with(char::is_uppercase).then_some(name)
}

/// One name is one thing: a search in a crate finds one type.
#[test]
fn no_type_name_stands_twice_in_a_crate() {
    for (name, modules) in crates() {
        let mut types: BTreeMap<_, usize> = BTreeMap::new();
        for declared in modules.iter().flat_map(|module| module.code.lines()).filter_map(declared) {
            *types.entry(declared).or_default() += 1;
        }
        types.retain(|name, count| *count > 1 && !ALIKE.contains(name));
        assert!(types.is_empty(), "{name}: {types:?}");
    }
}
