//! Which guides there are, and which of them is about a path. It never has a text of its own.

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
