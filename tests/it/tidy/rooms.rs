//! The files of a crate and its top-level modules ("rooms"): their imports, from their sources, and the names of their types.
//!
//! A room is a top-level module of a crate with all that is below it. It reads text and not a compiler's answer: paths that begin
//! with `crate`, `self` or `super`, outside tests.

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

/// The paths of modules at the beginning of a text, each with what comes before it: one, or those of a group in braces.
fn paths<'a>(text: &'a str, before: &[&'a str]) -> Vec<Vec<&'a str>> {
    let text = text.trim_start();
    let Some(group) = text.strip_prefix('{') else {
        let name = identifier(text);
        let path = [before, &[name]].concat();
        let below = text[name.len()..].strip_prefix("::").filter(|_| !name.is_empty());
        return below.map_or_else(|| vec![path.clone()], |below| paths(below, &path));
    };
    let (mut depth, mut found, mut start) = (1, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 || (depth == 1 && c == ',') {
            found.extend(paths(&group[start..at], before));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// The paths from the crate's root that a module imports, by `crate`, `self` or any number of `super`.
fn imports(module: &Module) -> Vec<Vec<&str>> {
    let here: Vec<_> = module.path.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    for (word, up) in [("crate::", here.len()), ("self::", 0), ("super::", 1)] {
        for (at, _) in module.code.match_indices(word) {
            let is_inner = module.code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            if is_inner {
                continue;
            }
            let (mut rest, mut depth) = (&module.code[at + word.len()..], here.len().saturating_sub(up));
            while let Some(further) = rest.strip_prefix("super::") {
                (rest, depth) = (further, depth.saturating_sub(1));
            }
            found.extend(paths(rest, &here[..depth]));
        }
    }
    found
}

/// The module of a crate that a path leads into, by its own path.
fn target<'a>(path: &[&str], modules: &'a [Module]) -> Option<&'a [String]> {
    (1..=path.len()).rev().find_map(|length| {
        let is_it = |module: &&Module| module.path.iter().eq(&path[..length]);
        modules.iter().find(is_it).map(|module| module.path.as_slice())
    })
}

/// Which files of a crate import which others. What a child takes from its parent ties nothing: a child may know whose it is.
fn files(modules: &[Module]) -> BTreeMap<String, BTreeSet<String>> {
    let mut graph = BTreeMap::<_, BTreeSet<_>>::new();
    for module in modules.iter().filter(|module| !module.path.is_empty()) {
        let found = imports(module);
        let others = found.iter().filter_map(|path| target(path, modules));
        let others = others.filter(|other| !module.path.starts_with(other)).map(|other| other.join("/"));
        graph.entry(module.path.join("/")).or_default().extend(others);
    }
    graph
}

/// The same of rooms.
fn rooms(files: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let room = |file: &String| file.split('/').next().unwrap_or_default().to_owned();
    let mut graph = BTreeMap::<_, BTreeSet<_>>::new();
    for (file, others) in files {
        let others = others.iter().map(room).filter(|other| *other != room(file));
        graph.entry(room(file)).or_default().extend(others);
    }
    graph
}

/// What is left when those that import nothing, or that nothing imports, are taken away again and again: the cycles.
fn cycles(mut graph: BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    loop {
        let imported: BTreeSet<_> = graph.values().flatten().cloned().collect();
        let before = graph.len();
        graph.retain(|file, imports| !imports.is_empty() && imported.contains(file));
        let left: BTreeSet<_> = graph.keys().cloned().collect();
        for imports in graph.values_mut() {
            imports.retain(|file| left.contains(file));
        }
        if graph.len() == before {
            return left.into_iter().collect();
        }
    }
}

#[test]
fn neither_rooms_nor_files_form_an_import_cycle() {
    let mut found = Vec::new();
    for (name, modules) in crates() {
        let files = files(&modules);
        for cycles in [cycles(rooms(&files)), cycles(files)].into_iter().filter(|cycles| !cycles.is_empty()) {
            found.push(format!("{name}: {}", cycles.join(", ")));
        }
    }
    assert!(found.is_empty(), "in cycles, or between two of them: {found:#?}");
}

#[test]
fn a_cycle_is_found_through_any_kind_of_path() {
    let module = |path: &[&str], code: &str| Module {
        path: path.iter().map(|part| (*part).to_owned()).collect(),
        code: code.to_owned(),
    };
    let acyclic = || {
        vec![
            module(&["a"], "use crate::{b::{X, Y}, c};"),
            module(&["b"], "mod inner; use self::inner::Z;"),
            module(&["b", "inner"], "use super::super::c::Z;\nuse super::Parent;\nfn f() -> crate::c::Z {}"),
            module(&["b", "other"], "use super::inner::a;"),
            module(&["c"], "use std::fmt;"),
            module(&["c", "deep"], ""),
            module(&[], "use crate::a;"),
        ]
    };
    let of = |more: Option<Module>| {
        let modules: Vec<_> = acyclic().into_iter().chain(more).collect();
        let files = files(&modules);
        [cycles(rooms(&files)), cycles(files)].map(|cycles| cycles.join(" "))
    };
    assert_eq!(of(None), ["", ""]);
    assert_eq!(of(Some(module(&["c", "deep"], "let x = super::super::a::f();"))), ["a b c", ""]);
    assert_eq!(
        of(Some(module(&["b", "inner"], "use crate::b::{Parent, other::{self, W}};"))),
        ["", "b/inner b/other"]
    );
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
