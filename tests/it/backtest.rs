//! A rule of a user over what ClickHouse has stored: the same report as over the export of the documents.

use std::path::Path;

use serde_json::Value;

use crate::support::program::{RunOutput, arb, run};
use crate::support::scratch::Scratch;
use crate::support::store::Store;
use crate::support::{recordings, root};

/// Bets wherever a book offers more than others agree on.
const RULE: &str = "bot = 'any'\nversion = 1\nprice = 'best'\nprobability = 'consensus'\n[[when]]\nfield = 'value'\nat_least = 0.0\n\
    [stake]\nrule = 'flat'\nfraction = 0.01\n";

/// The query of the documents for a league and a condition more.
fn export(league: &str, condition: &str) -> String {
    let document = std::fs::read_to_string(root().join("docs/bots/rules.md")).unwrap();
    let sql = document.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    let sql = sql.replace("'soccer_epl'", &format!("'{league}'"));
    sql.replace("ORDER BY", &format!("AND {condition}\nORDER BY"))
}

/// A table as an analyst gets it.
fn table(store: &Store, league: &str, condition: &str, path: &Path) {
    let url = format!("{}/?wait_end_of_query=1", store.clickhouse.url);
    let mut answer = ureq::post(&url)
        .header("X-ClickHouse-User", store.clickhouse.user("analyst"))
        .header("X-ClickHouse-Key", store.clickhouse.password("analyst"))
        .send(&*store.clickhouse.of_these(&export(league, condition)))
        .unwrap();
    let text = answer.body_mut().with_config().limit(1 << 30).read_to_string().unwrap();
    assert!(text.lines().count() > 100, "{league}: {text}");
    std::fs::write(path, text).unwrap();
}

fn over_history(store: &Store, rule: &Path, more: &[&str]) -> RunOutput {
    let password = store.clickhouse.password_file("reader").display().to_string();
    let mut command = arb();
    command.args(["backtest", "--history", "--clickhouse-url", &store.clickhouse.url]);
    command.args(["--clickhouse-database", store.clickhouse.databases.views()]);
    run(command.args(["--password-file", &password, "--bot"]).arg(rule).args(more))
}

fn over_files(rule: &Path, tables: &[&Path]) -> RunOutput {
    let mut command = arb();
    command.args(["backtest", "--bot"]).arg(rule);
    for table in tables {
        command.arg("--recording").arg(table);
    }
    run(&mut command)
}

#[test]
fn a_backtest_over_clickhouse_is_that_over_its_export() {
    let scratch = Scratch::new();
    let store = Store::play("board", &recordings::simulated(scratch.path(), 31, 300));
    let path = |name: &str| scratch.path().join(name);
    let rule = path("any.toml");
    std::fs::write(&rule, RULE).unwrap();
    let leagues = store.clickhouse.query_as(
        "analyst",
        "SELECT league, min(received_at) + toIntervalMicrosecond(dateDiff('microsecond', min(received_at), max(received_at)) / 2) AS middle
        FROM arb.ticks WHERE market IN ('h2h', 'h2h_3_way') AND outcome = 'draw' GROUP BY league ORDER BY league",
    );
    let [league] = &leagues[..] else { panic!("{leagues:?}") };
    let (name, middle) = (league["league"].as_str().unwrap(), league["middle"].as_str().unwrap());

    table(&store, name, "1", &path("all.csv"));
    let (exported, stored) =
        (over_files(&rule, &[&path("all.csv")]), over_history(&store, &rule, &["--league", name]));
    assert!(exported.success && stored.success, "{}{}", exported.err, stored.err);
    println!("{}", stored.out);
    assert_eq!(stored.out, exported.out);
    assert!(stored.out.contains("| any 1 | ") && !stored.out.contains("| any 1 | 0 |"), "{}", stored.out);

    // A part of the time, and the rest.
    let at = format!("{}Z", middle.replace(' ', "T"));
    for (option, compared) in [("--since", ">="), ("--until", "<")] {
        table(&store, name, &format!("received_at {compared} '{middle}'"), &path("part.csv"));
        let exported = over_files(&rule, &[&path("part.csv")]);
        let stored = over_history(&store, &rule, &["--league", name, option, &at]);
        assert!(stored.success && stored.out == exported.out, "{option}: {}{}", stored.err, stored.out);
        assert_ne!(stored.out, over_history(&store, &rule, &["--league", name]).out, "{option}");
    }

    // All leagues, one after the other.
    let all = store.clickhouse.query_as(
        "analyst",
        "SELECT DISTINCT league FROM arb.ticks WHERE market IN ('h2h', 'h2h_3_way') ORDER BY league",
    );
    let tables: Vec<_> = all
        .iter()
        .map(|row: &Value| {
            let (league, path) = (row["league"].as_str().unwrap(), path(&format!("{}.csv", row["league"])));
            table(&store, league, "1", &path);
            path
        })
        .collect();
    let tables: Vec<_> = tables.iter().map(std::path::PathBuf::as_path).collect();
    assert!(tables.len() > 1);
    assert_eq!(over_history(&store, &rule, &[]).out, over_files(&rule, &tables).out);
    what_cannot_be_asked_is_said(&store, &rule);
}

fn what_cannot_be_asked_is_said(store: &Store, rule: &Path) {
    let error = |more: &[&str]| {
        let output = over_history(store, rule, more);
        assert!(!output.success && output.out.is_empty(), "{more:?}: {}", output.out);
        output.err
    };
    assert!(error(&["--league", "soccer_nowhere"]).contains("no polls of soccer_nowhere"));
    assert!(error(&["--until", "2001-01-01T00:00:00Z"]).contains("no polls of any league"));
    let wrong = error(&["--clickhouse-user", "nobody"]);
    assert!(wrong.contains("as nobody"), "{wrong}");
    assert!(error(&["--recording", "x.csv"]).contains("cannot be used with"));
}
