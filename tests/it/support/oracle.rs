//! The independent oracle: a Python program that shares nothing with ours but the definitions.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::recordings::unpacked;
use super::root;

/// The oracle's output for a recording, one object a line.
pub(crate) fn oracle(arguments: &[&str], recording: &Path) -> Vec<Value> {
    let mut command = Command::new("python3");
    command.arg(root().join("tests/oracle/oracle.py")).args(arguments);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("python3 runs the oracle; on Debian: apt-get install python3");
    let (mut input, mut bytes) = (child.stdin.take().unwrap(), unpacked(recording));
    let writer = std::thread::spawn(move || std::io::copy(&mut bytes, &mut input).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    parse(&String::from_utf8(output.stdout).unwrap())
}

/// JSON lines.
pub(crate) fn parse(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Where two values differ: numbers by more than 1e-6, everything else at all.
pub(crate) fn difference(ours: &Value, theirs: &Value, path: &str) -> Option<String> {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            ((a - b).abs() > 1e-6).then(|| format!("{path}: {a} but the oracle has {b}"))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| difference(a, b, &format!("{path}[{i}]")))
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(key, a)| difference(a, &b[key], &format!("{path}.{key}")))
        }
        (a, b) => (a != b).then(|| format!("{path}: {a} but the oracle has {b}")),
    }
}

/// Fails at the first difference.
pub(crate) fn assert_same(ours: &[Value], theirs: &[Value], what: &str) {
    for (index, (a, b)) in ours.iter().zip(theirs).enumerate() {
        if let Some(difference) = difference(a, b, "") {
            panic!("{what}, item {index}: {difference}\nours   {a}\noracle {b}");
        }
    }
    assert_eq!(ours.len(), theirs.len(), "{what}");
}
