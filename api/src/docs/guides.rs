//! Which guides there are, and the first page, which leads to all others. It never has a text of its own about a route.

use std::fmt::Write as _;

use super::markdown;
use super::reference::Described;

/// A file of `docs/api`.
pub(super) struct Guide {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

macro_rules! guides {
    ($($name:literal),+ $(,)?) => {
        [$(Guide { name: $name, text: include_str!(concat!("../../../docs/api/", $name, ".md")) }),+]
    };
}

/// Where the samples of guides ask: the address under `cargo up`, in whose place pages show the reader's.
pub(super) const LOCAL_URL: &str = "http://127.0.0.1:8080";

/// In the order in which a newcomer reads them.
pub(super) const GUIDES: [Guide; 18] = guides![
    "accounts",
    "quotas",
    "errors",
    "arbs",
    "own-books",
    "events",
    "signals",
    "streaming",
    "history",
    "scan",
    "webhooks",
    "picks",
    "ticks",
    "registry",
    "openapi",
    "mcp",
    "routes",
    "changelog",
];

/// The guide of a path: that of the first part that has one.
pub(super) fn of_path(path: &str) -> Option<&'static Guide> {
    let name = match path.split('/').find(|part| !["", "api", "v1", "session"].contains(part))? {
        "arbs" if path.contains("/history") => "history",
        "arbs" if path.contains("/changes") => "streaming",
        "account" | "keys" | "signup" | "password" => "accounts",
        "books" | "sports" | "events" => "events",
        "bots" | "results" => "picks",
        "scans" => "scan",
        "stream" => "streaming",
        "usage" => "quotas",
        "problems" => "errors",
        "openapi.json" | "asyncapi.json" | "llms.txt" | "docs" => "openapi",
        other => other,
    };
    GUIDES.iter().find(|guide| guide.name == name)
}

const FIRST: &str = "# Arbitrage Board: the API\n\n\
    Arbs across betting markets, edge signals and picks of bots, over HTTP, Server-Sent Events and webhooks.\n\n\
    * Sign up on [the page](/) and create a key there. Send it as `Authorization: Bearer KEY` to paths under `/v1`, or as `x-api-key: KEY` to the same \
    paths under `/api/v1`, whose answers show the quota in headers.\n\
    * Errors are [problems](/docs/errors) as RFC 9457 has them; they cost nothing.\n\
    * Times are RFC 3339 in UTC, prices decimal odds, margins and probabilities fractions. Objects may get more fields: ignore those that you do not know.\n\
    * [openapi.json](/openapi.json) is all of it for programs, [asyncapi.json](/asyncapi.json) the topics of Kafka and the stream, [llms.txt](/llms.txt) for language models.\n";

/// The first page.
pub(super) fn first(operations: &[Described]) -> String {
    let mut text = FIRST.to_owned() + "\n## Guides\n\n";
    for guide in &GUIDES {
        let _ = writeln!(text, "* [{}](/docs/{})", markdown::title(guide.text), guide.name);
    }
    text += "\n## Routes\n\n| route | what it is for |\n|---|---|\n";
    for operation in operations {
        let _ =
            writeln!(text, "| [`{}`](/docs/{}) | {} |", operation.name(), operation.id, operation.summary());
    }
    text
}
