//! The page of metrics of a role that runs, as Prometheus reads it.

use std::collections::BTreeMap;
use std::path::Path;

use arb_runtime::telemetry::{Metric, list};

use super::http::{Answer, request};
use super::wait::{Shown, wait_for};

/// One line of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    /// With `_bucket`, `_sum` and `_count` of a histogram.
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

/// A page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) types: BTreeMap<String, String>,
    pub(crate) helps: BTreeMap<String, String>,
    pub(crate) samples: Vec<Sample>,
}

impl Page {
    fn parse(text: String) -> Self {
        let mut page = Self::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let comment = |kind| line.strip_prefix(kind).and_then(|rest: &str| rest.split_once(' '));
            if let Some((name, what)) = comment("# TYPE ") {
                page.types.insert(name.to_owned(), what.to_owned());
            } else if let Some((name, what)) = comment("# HELP ") {
                page.helps.insert(name.to_owned(), what.to_owned());
            } else {
                page.samples.push(sample(line));
            }
        }
        page.text = text;
        page
    }

    /// The sum over all series of a name whose labels are among them these.
    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let has = |sample: &&Sample| {
            let is = |(label, value): &(&str, &str)| sample.labels.get(*label).is_some_and(|is| is == value);
            sample.name == name && labels.iter().all(is)
        };
        self.samples.iter().filter(has).map(|sample| sample.value).sum()
    }

    /// How many series there are, but for those that come with an event of their own, as an error of Kafka's client does.
    pub(crate) fn series(&self) -> usize {
        let is_rare =
            |metric: &Metric, sample: &Sample| metric.is_rare && sample.name.starts_with(metric.name);
        let comes_late = |sample: &&Sample| list::ALL.iter().any(|metric| is_rare(metric, sample));
        self.samples.iter().filter(|sample| !comes_late(sample)).count()
    }
}

fn sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').unwrap();
    let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
    let pairs = labels.strip_suffix('}').unwrap();
    // No value of ours has a comma or a quote in it.
    let pairs = pairs.split(',').filter_map(|pair| pair.split_once('='));
    let labels = pairs.map(|(label, value)| (label.to_owned(), value.trim_matches('"').to_owned())).collect();
    Sample { name: name.to_owned(), labels, value: value.parse().unwrap() }
}

/// The listener of a role.
pub(crate) struct Admin(String);

impl Admin {
    /// The address in the role's log; of several starts the last.
    pub(crate) fn of(log: &Path) -> Self {
        wait_for("the role logs the address of its metrics", || {
            let text = std::fs::read_to_string(log).unwrap();
            let (_, rest) = text.rsplit_once("serving metrics, /livez and /readyz admin=")?;
            let (address, _) = rest.split_once('\n')?;
            Some(Self(address.to_owned()))
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.0
    }

    /// Requests a path.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.try_get(path).unwrap()
    }

    /// Requests a path; `None` when no server answers.
    pub(crate) fn try_get(&self, path: &str) -> Option<Answer> {
        request("GET", &format!("http://{}{path}", self.0), &[])
    }

    /// The metrics now.
    pub(crate) fn page(&self) -> Page {
        let answer = self.get("/metrics");
        assert_eq!(answer.status, 200, "{}", answer.body);
        Page::parse(answer.body)
    }

    /// The metrics once the condition holds.
    pub(crate) fn page_when(&self, what: &str, is_so: impl Fn(&Page) -> bool) -> Page {
        wait_for(what, || {
            let page = self.page();
            if is_so(&page) { Ok(page) } else { Err(Shown(page.text)) }
        })
    }
}
