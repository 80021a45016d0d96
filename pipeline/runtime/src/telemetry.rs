//! Telemetry: the metrics of the program, and the recorder that holds them.
//!
//! - [`list`]: every metric, its unit and what it means; names and labels are written there and nowhere else.
//! - [`kafka`], [`machine`]: what every role reports; [`pump`]: what every role with a pump does; [`lag`]: how far one is behind. What one role reports is in the room `telemetry` of its crate, beside its
//!   counts. Where something is both a line of the log and a number, one function writes both.
//!
//! Before [`install`], and in tools that never call it, all of it does nothing. A report looks its handle up, for some hundred nanoseconds;
//! what is frequent is counted locally and reported once for each transaction or batch, never for each tick, or keeps its handle.
//! A label never contains a key, an event's or window's id, a URL, or any other text from the input: a
//! hostile feed cannot make the metrics grow. The one exception is `source`, of which there are at most 256.

pub mod kafka;
pub mod lag;
pub mod list;
pub mod machine;
mod metric;
pub mod pump;

use std::time::{Duration, Instant};

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

pub use metric::{Kind, Metric, Role};
pub use metrics::{Counter, Gauge, Histogram};

/// The page that Prometheus reads.
#[derive(Debug, Clone)]
pub struct Scrape(PrometheusHandle);

impl Scrape {
    /// Everything that was reported until now, in Prometheus' text format.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.render()
    }

    /// Sorts new samples of histograms into their buckets. Until then each is kept: call it every second.
    pub fn upkeep(&self) {
        self.0.run_upkeep();
    }
}

/// Begins to keep what this process, in this role, reports; once, and before anything is reported.
///
/// # Errors
/// When it has begun already.
pub fn install(role: Role, version: &str) -> Result<Scrape, BuildError> {
    let mut builder = PrometheusBuilder::new();
    for metric in list::ALL {
        if let Kind::Histogram(bounds) = metric.kind {
            builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), bounds)?;
        }
    }
    let scrape = Scrape(builder.install_recorder()?);
    list::ALL.iter().for_each(Metric::describe);
    list::ALL.iter().filter(|metric| metric.is_of(role)).for_each(Metric::begin);
    machine::begin(role, version);
    if role.has_pump() {
        drop(pump::PumpMeters::of(role));
    }
    Ok(scrape)
}

/// A value whose age is reported in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Since(Instant);

impl Since {
    /// From now on.
    #[must_use]
    pub fn now() -> Self {
        Self(Instant::now())
    }

    /// How long ago that was.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Microseconds between two moments of UTC, in seconds.
#[must_use]
pub fn seconds(from: arb_schemas::time::Micros, to: arb_schemas::time::Micros) -> f64 {
    to.saturating_sub(from) as f64 / 1e6
}

/// Seconds that something took.
#[must_use]
pub fn took(time: Duration) -> f64 {
    time.as_secs_f64()
}
