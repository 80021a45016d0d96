//! The one table: as text, as JSON, and as Markdown for the repository.
//!
//! It shows what it is given, and computes nothing.

use std::fmt::Write as _;

use super::report::{Expected, Report, Row, Spread};

const COLUMNS: [&str; 8] = ["part", "case", "measure", "unit", "ours", "baseline", "ratio", "expected"];
/// Columns of words; the others are of numbers.
const WORDS: usize = 4;

/// Text for a terminal.
pub(super) fn text(report: &Report) -> String {
    let mut text = String::new();
    for (name, value) in facts(report) {
        let _ = writeln!(text, "{name}: {value}");
    }
    let mut lines = vec![COLUMNS.map(str::to_owned)];
    lines.extend(report.rows.iter().map(cells));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..COLUMNS.len()).map(width).collect();
    text.push('\n');
    for line in &lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(index, (cell, &width))| {
            if index < WORDS || index == COLUMNS.len() - 1 {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text.push('\n');
    let _ = write!(text, "{}", remarks(report, ""));
    text
}

/// For the repository.
pub(super) fn markdown(report: &Report) -> String {
    let mut text = format!(
        "# Benchmarks\n\nWritten by `{}`; not to be edited by hand.\n\n| | |\n|---|---|\n",
        report.command
    );
    for (name, value) in facts(report) {
        let _ = writeln!(text, "| {name} | {value} |");
    }
    let _ = writeln!(text, "\n| {} |\n|---|---|---|---|---:|---:|---:|---|", COLUMNS.join(" | "));
    for row in &report.rows {
        let _ = writeln!(text, "| {} |", cells(row).join(" | "));
    }
    text.push('\n');
    text.push_str(&remarks(report, "* "));
    text
}

/// About the run.
fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let machine = &report.machine;
    let versions: Vec<_> =
        machine.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let busy =
        if machine.is_busy { ": something else runs here, so the figures are preliminary" } else { "" };
    let rounds = match (report.rounds, report.pipeline_rounds) {
        (rounds, of_pipeline) if rounds == of_pipeline => format!("{rounds} rounds"),
        (rounds, of_pipeline) => format!("{rounds} rounds, for the throughput of the pipeline {of_pipeline}"),
    };
    let quick = if report.is_quick {
        "; quick: only to see that every row is there, the figures have no meaning"
    } else {
        ""
    };
    vec![
        ("machine", format!("{}, {} cores, {} MiB", machine.cpu, machine.cores, machine.memory_mib)),
        ("caches", machine.caches.join(", ")),
        ("system", format!("Linux {}", machine.kernel)),
        ("versions", versions.join(", ")),
        ("date", report.at.clone()),
        ("CPU of others at the start", format!("{:.2} cores{busy}", machine.others)),
        ("command", format!("{}: medians of {rounds} (least to most){quick}", report.command)),
    ]
}

fn cells(row: &Row) -> [String; 8] {
    let optional = |of: Option<Spread>| of.map(spread).unwrap_or_default();
    [
        row.part.to_owned(),
        row.case.clone(),
        row.measure.to_owned(),
        row.unit.to_owned(),
        spread(row.ours),
        if row.is_without_baseline { "not available".to_owned() } else { optional(row.baseline) },
        optional(row.ratio),
        expectation(row),
    ]
}

fn spread(Spread { median, least, most }: Spread) -> String {
    if least.total_cmp(&most).is_eq() {
        number(median)
    } else {
        format!("{} ({} to {})", number(median), number(least), number(most))
    }
}

/// Three digits or so.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 10_000_000.0 => format!("{:.1} M", value / 1e6),
        size if size >= 1_000_000.0 => format!("{:.2} M", value / 1e6),
        size if size >= 10_000.0 => format!("{:.0} k", value / 1e3),
        size if size >= 1_000.0 => format!("{:.2} k", value / 1e3),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn expectation(row: &Row) -> String {
    let text = match row.expected {
        Some(Expected::AtMost(most)) => format!("at most {most}"),
        Some(Expected::AtLeast(least)) => format!("at least {least}"),
        None => return String::new(),
    };
    let judged = match row.is_met {
        Some(true) => "met",
        Some(false) => "NOT met",
        None => "not available",
    };
    format!("{text}: {judged}")
}

/// What the rows mean, and what is missing.
fn remarks(report: &Report, bullet: &str) -> String {
    let failures =
        report.failures.iter().map(|failure| format!("NOT measured: {}: {}", failure.part, failure.error));
    failures.chain(report.notes.iter().cloned()).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{bullet}{line}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::machine::Machine;
    use super::super::report::{Failure, Measure};
    use super::*;

    fn report() -> Report {
        let measure = Measure("CPU a request", "us");
        let row = Row::beside("board", "limit=3", measure, &[(12.0, 10.0), (13.5, 10.0), (30.0, 10.0)]);
        let rows = vec![row.clone().expect(Expected::AtMost(1.25)), row.expect(Expected::AtMost(2.0))];
        let failures = vec![Failure { part: "sink", error: "no server".into() }];
        Report {
            command: "arb-bench all".into(),
            at: "2026-01-01T00:00:00Z".into(),
            is_quick: false,
            rounds: 3,
            pipeline_rounds: 9,
            machine: Machine { others: 1.0, is_busy: true, ..Machine::here(Duration::ZERO) },
            rows,
            notes: vec!["A note.".into()],
            failures,
        }
    }

    #[test]
    fn the_table_says_what_is_met_and_what_is_not() {
        let text = text(&report());
        let row = text.lines().find(|line| line.ends_with("NOT met")).unwrap();
        let words: Vec<_> = row.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
        let figures = ["us", "13.5 (12.0 to 30.0)", "10.0", "1.35 (1.20 to 3.00)", "at most 1.25: NOT met"];
        assert_eq!(words[3..], figures, "{text}");
        assert!(text.contains("at most 2: met\n") && text.contains("preliminary"), "{text}");
        assert!(
            text.contains("medians of 3 rounds, for the throughput of the pipeline 9 (least to most)"),
            "{text}"
        );
        assert!(text.contains("NOT measured: sink: no server\nA note.\n"), "{text}");
    }

    #[test]
    fn what_is_not_available_is_not_judged() {
        let row = Row::alone("peers", "case", Measure("CPU a tick", "us"), &[5.0]).without_baseline();
        let text = text(&Report { rows: vec![row.expect(Expected::AtMost(0.6))], ..report() });
        assert!(text.contains("not available         at most 0.6: not available\n"), "{text}");
    }

    #[test]
    fn markdown_is_a_table() {
        let text = markdown(&report());
        let row = "| board | limit=3 | CPU a request | us | 13.5 (12.0 to 30.0) | 10.0 | 1.35 (1.20 to 3.00) | at most 1.25: NOT met |";
        assert!(text.contains(row), "{text}");
        let pipes = |line: &str| line.matches('|').count();
        assert!(
            text.lines()
                .filter(|line| line.starts_with("| ") && pipes(line) > 3)
                .all(|line| pipes(line) == 9)
        );
    }

    #[test]
    fn numbers_have_three_digits_or_so() {
        for (value, expected) in [
            (0.0123, "0.012"),
            (1.0, "1.00"),
            (99.94, "99.9"),
            (123.4, "123"),
            (2_148.0, "2.15 k"),
            (359_000.0, "359 k"),
            (2_140_000.0, "2.14 M"),
            (16_500_000.0, "16.5 M"),
        ] {
            assert_eq!(number(value), expected);
        }
    }
}
