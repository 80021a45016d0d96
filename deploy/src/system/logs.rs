//! How logs are written: to standard error, in text or JSON, each line with the role that wrote it.
//!
//! `RUST_LOG` filters them. It never decides what is logged, but for the HTTP client, whose URLs hold a key.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::FromEnvError;
use tracing_subscriber::fmt::format::{self, FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

use crate::cli::LogFormat;

/// The default for `RUST_LOG`. librdkafka's log goes to the same place; the SDK of `arb mcp` logs each message as information.
const DEFAULT: &str = "info,librdkafka=error,rmcp=warn";

/// Begins to log, as a role.
pub fn begin(role: &'static str, log_format: LogFormat) {
    let filter = EnvFilter::try_from_default_env();
    let misread = filter.as_ref().err().filter(|error| is_misread(error)).map(ToString::to_string);
    let filter = without_urls(filter.unwrap_or_else(|_| EnvFilter::new(DEFAULT)));
    write_to(std::io::stderr, filter, role, log_format);
    if let Some(error) = misread {
        tracing::warn!(%error, "RUST_LOG is not understood: {DEFAULT} holds");
    }
}

/// The HTTP client writes URLs and bytes to its log, and a URL of The Odds API contains the key: it never
/// logs, whatever `RUST_LOG` contains.
fn without_urls(filter: EnvFilter) -> EnvFilter {
    let filter = if filter.to_string().contains("ureq") { EnvFilter::new(DEFAULT) } else { filter };
    let off = ["ureq=off", "ureq_proto=off"].iter().filter_map(|off| off.parse().ok());
    off.fold(filter, EnvFilter::add_directive)
}

/// Whether there is a filter, and it is none.
fn is_misread(error: &FromEnvError) -> bool {
    let source = std::error::Error::source(error);
    !source.is_some_and(|source| matches!(source.downcast_ref(), Some(std::env::VarError::NotPresent)))
}

fn write_to<W>(writer: W, filter: EnvFilter, role: &'static str, log_format: LogFormat)
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_ansi(false);
    // By default a line that cannot be written is reported by a line, whose failure is a panic: a full disk ended every role.
    let logs = logs.log_internal_errors(false);
    match log_format {
        LogFormat::Text => logs.event_format(Text { role, inner: format::format().with_ansi(false) }).init(),
        LogFormat::Json => logs.json().event_format(Json { role, inner: format::format().json() }).init(),
    }
}

/// The role goes before the line.
struct Text<F> {
    role: &'static str,
    inner: F,
}

impl<S, N, F> FormatEvent<S, N> for Text<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut to: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        write!(to, "{:<7} ", self.role)?;
        self.inner.format_event(context, to, event)
    }
}

/// The role is the first field of the object.
struct Json<F> {
    role: &'static str,
    inner: F,
}

impl<S, N, F> FormatEvent<S, N> for Json<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut to: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.inner.format_event(context, Writer::new(&mut line), event)?;
        let rest = line.strip_prefix('{').ok_or(fmt::Error)?;
        write!(to, "{{\"role\":\"{}\",{rest}", self.role)
    }
}
