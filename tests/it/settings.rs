//! The pages of `docs/operations/` that list settings, metrics and alerts are equal to what the program has.
//!
//! `ARB_WRITE_DOCUMENTS=1` writes the tables again.

use arb_runtime::telemetry::{Kind, Metric, Role as Reporter, list};

use crate::support::generated::{DOCUMENTS, assert_file, assert_table, read};
use crate::support::program::{arb, run};

/// Columns by which `--help` indents the text of an option; the option itself is indented less.
const HELP_INDENT: usize = 10;

/// The output of `arb COMMAND --help`; a command below another is both words.
fn help(command: &str) -> String {
    run(arb().args(command.split_whitespace()).arg("--help")).out
}

/// The commands that have no further commands, as the help of the given one lists them, in its order.
fn commands(command: &str) -> Vec<String> {
    let text = help(command);
    let Some((_, listed)) = text.split_once("\nCommands:\n") else { return vec![command.to_owned()] };
    let mut found = Vec::new();
    for line in listed.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap_or_default();
        if name != "help" {
            found.extend(commands(format!("{command} {name}").trim()));
        }
    }
    found
}

/// An option or an argument as `--help` describes it.
#[derive(Default)]
struct HelpEntry {
    name: String,
    default: String,
    variable: String,
    meaning: Vec<String>,
}

impl HelpEntry {
    /// Adds a line of its description.
    fn describe(&mut self, line: &str) {
        let inner = |start: &str| line.strip_prefix(start).map(|rest| rest.trim_end_matches(']'));
        if let Some(variable) = inner("[env: ") {
            // What follows is the value in this environment.
            self.variable = format!("`{}`", variable.split('=').next().unwrap_or_default());
        } else if let Some(values) = inner("[possible values: ") {
            self.meaning.push(format!("one of {values}"));
        } else if let Some((meaning, default)) = line.split_once("[default: ") {
            default.trim_end_matches(']').clone_into(&mut self.default);
            self.meaning.extend(Some(meaning.trim().to_owned()).filter(|meaning| !meaning.is_empty()));
        } else if let Some((value, meaning)) = line.strip_prefix("- ").and_then(|line| line.split_once(':')) {
            self.meaning.push(format!("`{value}`: {}", meaning.trim()));
        } else if !line.is_empty() && line != "Possible values:" {
            self.meaning.push(line.to_owned());
        }
    }

    fn row(&self) -> String {
        let Self { name, default, variable, meaning } = self;
        let cells = [format!("`{name}`"), default.clone(), variable.clone(), meaning.join("; ")];
        format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
    }
}

/// What the help of a command lists, in its order, without `--help` and `--version`.
fn entries(help: &str) -> Vec<HelpEntry> {
    let mut found: Vec<HelpEntry> = Vec::new();
    for line in help.lines().filter(|line| line.starts_with(' ')) {
        let text = line.trim();
        if !text.is_empty() && line.len() - line.trim_start().len() < HELP_INDENT {
            found.push(HelpEntry { name: text.to_owned(), ..HelpEntry::default() });
        } else if let Some(entry) = found.last_mut() {
            entry.describe(text);
        }
    }
    found.retain(|entry| !entry.name.starts_with("-h,") && !entry.name.starts_with("-V,"));
    found
}

const CONNECTION_HEADING: &str = "## Connection to Kafka";
const METRICS: &str = "docs/operations/metrics.md";
const HEAD: &str = "| option | default | environment variable | meaning |\n|---|---|---|---|\n";
const CONNECTION: &str = "Also the options of the [connection to Kafka](#connection-to-kafka).\n";

/// The rows of the options by which every command connects to Kafka.
fn connection_rows() -> Vec<String> {
    let is_of_connection =
        |entry: &HelpEntry| ["--kafka-", "--topic-prefix"].iter().any(|start| entry.name.starts_with(start));
    let rows = entries(&help("process")).into_iter().filter(is_of_connection);
    rows.map(|entry| entry.row()).collect()
}

/// The table of a command; options of the connection to Kafka, where it has them all, are not repeated.
fn settings_of(command: &str, connection: &[String]) -> String {
    let rows: Vec<_> = entries(&help(command)).iter().map(HelpEntry::row).collect();
    let connects = connection.iter().all(|row| rows.contains(row));
    let own: String = rows.into_iter().filter(|row| !(connects && connection.contains(row))).collect();
    let note = if connects { format!("\n{CONNECTION}") } else { String::new() };
    format!("## `arb {command}`\n\n{HEAD}{own}{note}")
}

#[test]
fn the_page_of_settings_agrees_with_help() {
    let names = commands("");
    assert!(names.len() > 12, "{names:?}");
    let connection = connection_rows();
    assert!(connection.len() > 10, "{connection:?}");
    let first = format!("{CONNECTION_HEADING}\n\n{HEAD}{}", connection.concat());
    let tables = names.iter().map(|name| settings_of(name, &connection));
    let expected = [first].into_iter().chain(tables).collect::<Vec<_>>().join("\n");
    let page = "docs/operations/settings.md";
    let text = read(page);
    let before = text.find(&format!("\n{CONNECTION_HEADING}\n")).unwrap() + 1;
    assert_file(DOCUMENTS, page, &[&text[..before], &expected].concat());
}

fn metric_row(metric: &Metric) -> String {
    let kind = match metric.kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram(_) => "histogram",
    };
    let labels: Vec<_> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
    let Metric { name, unit, help, .. } = metric;
    let rare = if metric.is_rare { " *" } else { "" };
    format!("| `{name}`{rare} | {kind} | {} | {} | {help} |\n", unit.as_str(), labels.join(", "))
}

#[test]
fn the_page_of_metrics_has_the_list() {
    for role in [
        Reporter::Every,
        Reporter::Pump,
        Reporter::Ingest,
        Reporter::Process,
        Reporter::Accounts,
        Reporter::Serve,
        Reporter::Sink,
        Reporter::Deliver,
        Reporter::Settle,
        Reporter::Bots,
    ] {
        let expected: String =
            list::ALL.iter().filter(|metric| metric.role == role).map(metric_row).collect();
        let heading = match role {
            Reporter::Every => "## Every role".to_owned(),
            Reporter::Pump => "## Every role with a pump".to_owned(),
            role => format!("## `arb {}`", role.key()),
        };
        assert_table(METRICS, &heading, &expected);
    }
    let page = read(METRICS);
    let rows = page.lines().filter(|line| line.starts_with("| `arb_"));
    assert_eq!(rows.count(), list::ALL.len());
}

#[test]
fn every_alert_has_a_section_of_the_runbooks() {
    let (rules, page) = (read("deploy/prometheus/rules.yml"), read("docs/operations/runbooks.md"));
    let alerts: Vec<_> = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    assert!(alerts.len() > 15, "{alerts:?}");
    let sections: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert_eq!(sections, alerts);
}
