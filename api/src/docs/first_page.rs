//! The first page of the documents, which leads to all others. It never has a text of its own about a route.

use std::fmt::Write as _;

use super::guides::GUIDES;
use super::markdown;
use super::reference::Described;

const FIRST: &str = "# Arbitrage Board: the API\n\n\
    Arbs across betting markets, edge signals and picks of bots, over HTTP, Server-Sent Events and webhooks.\n\n\
    * Sign up on [the page](/) and create a key there. Send it as `Authorization: Bearer KEY` to paths under `/v1`, or as `x-api-key: KEY` to the same \
    paths under `/api/v1`, whose answers show the quota in headers.\n\
    * Errors are [problems](/docs/errors) as RFC 9457 has them; they cost nothing.\n\
    * Times are RFC 3339 in UTC, prices decimal odds, margins and probabilities fractions. Objects may get more fields: ignore those that you do not know.\n\
    * [openapi.json](/openapi.json) is all of it for programs, [asyncapi.json](/asyncapi.json) the topics of Kafka and the stream, [llms.txt](/llms.txt) for language models.\n";

/// The first page.
pub(super) fn text(operations: &[Described]) -> String {
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
