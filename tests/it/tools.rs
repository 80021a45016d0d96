//! The processes around a command: programs of others, which receive none of its secrets, and readers of its
//! output.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::support::ports::port_pair;
use crate::support::program::{arb, run};
use crate::support::scratch::Scratch;

const SECRETS: [&str; 7] = [
    "ARB_KEY",
    "ODDS_API_KEY",
    "CLICKHOUSE_WRITER_PASSWORD",
    "CLICKHOUSE_MIGRATOR_PASSWORD",
    "CLICKHOUSE_READER_PASSWORD",
    "CLICKHOUSE_ANALYST_PASSWORD",
    "CLICKHOUSE_ADMIN_PASSWORD",
];
/// The replacement for every program: it records its environment. As a compiler it creates another one like
/// itself.
const SPY: &str = "#!/bin/sh\n\
                   name=$(basename \"$0\")\n\
                   env >> \"$SEEN/$name\"\n\
                   if [ \"$name\" = cc ]; then cp \"$0\" \"$3\"; exit; fi\n\
                   [ \"$1\" = --version ]\n";

fn spy(path: &Path) {
    std::fs::write(path, SPY).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_command_whose_output_is_closed_ends_without_a_message() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let listed = arb().args(["topics", "list"]).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    let output = String::from_utf8_lossy(&listed.stderr);
    assert!(listed.status.code() == Some(141) && output.is_empty(), "{}: {output}", listed.status);
}

#[test]
fn programs_that_download_compile_and_serve_see_no_secret() {
    let scratch = Scratch::new();
    let folder = |name: &str| {
        let folder = scratch.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    let (programs, seen) = (folder("programs"), folder("seen"));
    for name in ["mvn", "java", "clickhouse", "npm", "cc"] {
        spy(&programs.join(name));
    }
    // In one home all is yet to be fetched, in the other it has been.
    let (empty, fetched) = (folder("empty"), folder("fetched"));
    std::fs::write(fetched.join("arb-home"), "").unwrap();
    folder("fetched/kafka-4.3.0-with-tools");
    std::fs::write(folder("fetched/clickhouse/26.7.3-stable.1").join("libchdb.so"), "").unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    for home in [&empty, &fetched] {
        for role in ["kafka", "clickhouse"] {
            let mut command = arb();
            command
                .env("PATH", &path)
                .env("SEEN", &seen)
                .envs(SECRETS.map(|name| (name, "a-secret-of-ours")));
            command.args([role, "--port", &port_pair().to_string(), "--home"]).arg(home);
            if role == "clickhouse" {
                command.args(["--native-port", &port_pair().to_string()]);
            }
            let output = run(command.arg("--data").arg(folder("data")));
            assert!(!output.success, "{role}: {}", output.err);
        }
    }
    for name in ["mvn", "java", "clickhouse", "npm", "cc", "launcher"] {
        let saw = std::fs::read_to_string(seen.join(name)).unwrap_or_else(|_| panic!("{name} was not run"));
        assert!(saw.contains("SEEN="), "{name}: {saw}");
        let leaked: Vec<_> = saw.lines().filter(|line| line.contains("a-secret-of-ours")).collect();
        assert!(leaked.is_empty(), "{name} sees {leaked:?}");
    }
}
