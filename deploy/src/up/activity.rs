//! What happens while `arb up` runs, as one line: polls, ticks a second, windows, signals, lag.
//!
//! It reads the metrics that the roles publish on their admin ports, as a Prometheus server would, and nothing else.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::Instant;

use arb_runtime::telemetry::{Metric, Role, list};

use crate::local::http;
use crate::roles::admin;

/// Ticks a second are an average over so many lines, about as many seconds.
const LINES: usize = 10;

/// Reads the roles' metrics again and again.
pub(super) struct Activity {
    playing: String,
    first_port: u16,
    /// The ticks that were published at some times, the oldest first.
    published: VecDeque<(Instant, i64)>,
}

impl Activity {
    /// Of the roles whose admin ports begin with this one; 0 is unknown ports, and no line.
    pub(super) fn new(playing: String, first_port: u16) -> Self {
        Self { playing, first_port, published: VecDeque::new() }
    }

    /// The line; empty as long as a role does not answer.
    pub(super) fn line(&mut self, now: Instant) -> String {
        let page = |role| self.page(admin::address(self.first_port, role));
        let pages = [Role::Ingest, Role::Process, Role::Serve].map(page);
        let [Some(ingest), Some(process), Some(serve)] = pages else { return String::new() };
        let ticks = ingest.sum(&list::TICKS);
        let per_second = self.ticks_per_second(now, ticks);
        format!(
            "{}: {} polls, {per_second} ticks/s, {} windows ({} verified), {} signals, lag {} records",
            self.playing,
            ingest.sum(&list::POLLS),
            serve.sum(&list::BOARD_ENTRIES),
            serve.sum(&list::VERIFIED_ENTRIES),
            serve.sum(&list::SERVED_SIGNALS),
            process.sum(&list::LAG_RECORDS),
        )
    }

    fn page(&self, address: SocketAddr) -> Option<Page> {
        (self.first_port != 0).then(|| http::get(address, "/metrics").map(|text| Page::parse(&text)))?
    }

    /// Over the last lines: polls are seconds apart. A role that was started again counts from 0.
    fn ticks_per_second(&mut self, now: Instant, ticks: i64) -> i64 {
        if self.published.back().is_some_and(|(_, before)| *before > ticks) {
            self.published.clear();
        }
        self.published.push_back((now, ticks));
        if self.published.len() > LINES {
            self.published.pop_front();
        }
        let Some((then, before)) = self.published.front().filter(|(then, _)| *then < now) else { return 0 };
        whole((ticks - before) as f64 / now.duration_since(*then).as_secs_f64())
    }
}

/// The nearest whole number; 0 for what is none.
#[allow(clippy::cast_possible_truncation)] // Counts of a run stay far below.
fn whole(number: f64) -> i64 {
    number.round() as i64
}

/// The samples of a page of metrics, summed over their labels.
struct Page(BTreeMap<String, f64>);

impl Page {
    /// Reads Prometheus' text format; lines that are none of its samples are skipped.
    fn parse(text: &str) -> Self {
        let mut sums = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((series, value)) = line.rsplit_once(' ') else { continue };
            let name = series.split('{').next().unwrap_or(series);
            *sums.entry(name.to_owned()).or_default() += value.parse().unwrap_or(0.0);
        }
        Self(sums)
    }

    /// Of a metric that the page does not have it is 0.
    fn sum(&self, metric: &Metric) -> i64 {
        whole(self.0.get(metric.name).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn samples_are_summed_over_their_labels() {
        let page = Page::parse(
            "# TYPE arb_pump_lag_records gauge\narb_pump_lag_records{role=\"process\",partition=\"0\"} 3\n\
             arb_pump_lag_records{role=\"process\",partition=\"1\"} 4\narb_serve_signals 12\nno sample",
        );
        assert_eq!(
            [&list::LAG_RECORDS, &list::SERVED_SIGNALS, &list::POLLS].map(|m| page.sum(m)),
            [7, 12, 0]
        );
    }

    #[test]
    fn the_rate_is_that_of_the_last_lines_and_never_below_zero() {
        let (mut activity, start) = (Activity::new("a market".to_owned(), 0), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        let rates = [(0, 100), (2, 500), (3, 600), (4, 50)]
            .map(|(seconds, ticks)| activity.ticks_per_second(after(seconds), ticks));
        assert_eq!(rates, [0, 200, 167, 0]);
    }

    #[test]
    fn without_known_ports_there_is_no_line() {
        assert_eq!(Activity::new("a market".to_owned(), 0).line(Instant::now()), "");
    }
}
