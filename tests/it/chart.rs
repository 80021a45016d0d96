//! The Helm chart and the units follow the program: its version, its topics and rights, and variables that it reads.
//!
//! That Kubernetes and systemd understand them is checked by `deploy/helm/check.sh` and `deploy/systemd/check.sh`, which `.ci/run` runs.

use std::collections::BTreeSet;
use std::fs;

use crate::documents::{read, rows};
use crate::support::generated::{assert_file, assert_table};
use crate::support::program::{arb, run};
use crate::support::root;

/// What starts the name of a variable of ours.
const PREFIXES: [&str; 4] = ["ARB_", "KAFKA_", "CLICKHOUSE_", "ODDS_"];

fn files(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
    entries.map(|name| format!("{folder}/{}", name.into_string().unwrap())).collect()
}

#[test]
fn the_chart_has_the_catalogue_and_the_table_of_rights() {
    for (file, command) in [("topics", "list"), ("rights", "rights")] {
        let (printed, path) = (
            run(arb().args(["topics", command, "--json"])).out,
            format!("deploy/helm/arb/files/{file}.json"),
        );
        assert_file("ARB_WRITE_CHART", &path, &printed);
    }
}

#[test]
fn the_page_of_deployment_has_the_table_of_rights() {
    let printed = run(arb().args(["topics", "rights"])).out;
    assert_table("docs/operations/deploy.md", "### Kafka rights", rows(&printed));
}

#[test]
fn every_package_is_of_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        read("deploy/helm/arb/Chart.yaml")
            .contains(&format!("\nversion: {version}\nappVersion: \"{version}\"\n"))
    );
    assert!(read("deploy/compose/compose.yaml").contains(&format!("image: ${{ARB_IMAGE:-arb:{version}}}\n")));
}

/// The names of variables in a text.
fn variables(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
    let is_ours = |word: &&str| {
        PREFIXES.iter().any(|prefix| word.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()))
    };
    words.filter(is_ours).map(str::to_owned).collect()
}

#[test]
fn packages_set_only_variables_that_the_program_reads() {
    let known = variables(&read("docs/operations/settings.md"));
    // Secrets have no option; the last two are those of a package itself.
    let secrets = variables(&read("deploy/setup/src/secrets.rs"));
    let own = ["ARB_ARGUMENTS", "CLICKHOUSE_"].map(str::to_owned);
    let packages = [
        files("deploy/helm/arb/templates"),
        files("deploy/helm/values"),
        files("deploy/systemd"),
        vec!["deploy/image/Dockerfile".to_owned()],
    ];
    let mut count = 0;
    for file in packages.concat() {
        for name in variables(&read(&file)) {
            assert!(
                known.contains(&name) || secrets.contains(&name) || own.contains(&name),
                "{file}: {name}"
            );
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}
