//! Clients that others' generators make of the OpenAPI document: each route is called once by each, on a stand-in for the server that answers what
//! the document shows, and errors are read as the document says. The types of the page are made of it too.

use std::process::Command;

use crate::support::generated::assert_file;
use crate::support::program::run;
use crate::support::scratch::Scratch;
use crate::support::{node, python, root};

const PAGE_TYPES: &str = "api/dashboard/src/model/openapi.d.ts";

/// The document that is checked in, which a test compares with that of the program.
fn document() -> String {
    root().join("schemas/openapi/openapi.json").display().to_string()
}

#[test]
fn a_generated_python_client_reads_every_answer_and_every_error() {
    let folder = Scratch::new();
    let arguments = [&*document(), folder.path().to_str().unwrap()];
    let called = python::run_by(&python::openapi_client(), include_str!("generated.py"), &arguments);
    assert!(called.trim().parse::<usize>().unwrap() > 200, "{called}");
}

#[test]
fn types_of_the_document_compile_and_call_every_route() {
    let (folder, made) = (node::openapi(), Scratch::new());
    // Beside the packages: its imports are looked up from where it lies.
    let made = folder.join(format!("made-{}", made.path().file_name().unwrap().to_str().unwrap()));
    let mut command = Command::new("node");
    command.arg("calls.mjs").arg(document()).arg(&made).current_dir(&folder);
    let output = run(&mut command);
    let _ = std::fs::remove_dir_all(&made);
    assert!(output.success, "{}{}", output.out, output.err);
    assert!(output.out.trim().parse::<usize>().unwrap() > 120, "{}", output.out);
}

#[test]
fn the_types_of_the_page_are_made_of_the_document() {
    let mut command = Command::new("node");
    command.arg("page_types.mjs").arg(document()).current_dir(node::openapi());
    let output = run(&mut command);
    assert!(output.success, "{}", output.err);
    assert_file("ARB_WRITE_OPENAPI", PAGE_TYPES, &output.out);
}
