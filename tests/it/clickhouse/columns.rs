//! The page of views and their columns is what ClickHouse says of them. `ARB_WRITE_DOCUMENTS=1` writes it again.

use serde_json::Value;

use crate::support::clickhouse::ClickHouse;
use crate::support::generated::{DOCUMENTS, assert_file};

const PAGE: &str = "docs/analysts-columns.md";
const HEAD: &str = "# Views and their columns

What ClickHouse says of each view of the database `arb`: what a row is, and every column with its type. A test writes this page. [For analysts](analysts.md) has users, rights and queries.

Prices are decimal odds. Margins, probabilities and shares are fractions. Times are UTC, durations are in seconds, amounts in the currency's units. Unknown is null. Ids are strings.
";

fn text<'a>(row: &'a Value, column: &str) -> &'a str {
    row[column].as_str().unwrap()
}

/// A type in one line, with the tuples of lists in lines of their own no more.
fn on_one_line(of: &str) -> String {
    let words: Vec<_> = of.split_whitespace().collect();
    words.join(" ").replace("( ", "(").replace(" )", ")").replace('|', "\\|")
}

#[test]
fn the_page_of_columns_is_what_clickhouse_has() {
    let server = ClickHouse::start();
    server.migrate();
    let views = "SELECT name, comment FROM system.tables WHERE database = 'arb' ORDER BY name";
    let columns =
        "SELECT table, name, type FROM system.columns WHERE database = 'arb' ORDER BY table, position";
    let columns = server.query_as("analyst", columns);
    let page: String = server
        .query_as("analyst", views)
        .iter()
        .map(|view| {
            // One that takes parameters has no columns until it is asked.
            let of_view: Vec<_> =
                columns.iter().filter(|column| column["table"] == view["name"]).map(row).collect();
            section(view, &of_view)
        })
        .collect();
    assert_file(DOCUMENTS, PAGE, &format!("{HEAD}{page}"));
}

fn row(column: &Value) -> String {
    format!("| `{}` | `{}` |\n", text(column, "name"), on_one_line(text(column, "type")))
}

fn section(view: &Value, rows: &[String]) -> String {
    let (name, comment) = (text(view, "name"), text(view, "comment"));
    assert!(!comment.is_empty(), "{name} says nothing");
    let columns = if rows.is_empty() {
        let whole = name.strip_suffix("_between").unwrap();
        format!("Its columns are those of [`arb.{whole}`](#arb{whole}).\n")
    } else {
        format!("| column | type |\n|---|---|\n{}", rows.concat())
    };
    format!("\n## `arb.{name}`\n\n{comment}\n\n{columns}")
}
