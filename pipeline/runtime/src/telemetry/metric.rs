//! The definition of a metric, and the handles by which it is reported.
//!
//! It never makes up a name: [`super::list`] has them.

use metrics::{Counter, Gauge, Histogram, Label, Unit};

/// The role that reports a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Role {
    /// Every role.
    Every,
    /// Every role with a pump.
    Pump,
    Ingest,
    Process,
    Accounts,
    Serve,
    Sink,
    Deliver,
    Settle,
    Bots,
}

impl Role {
    /// As the command line spells it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Pump => "pump",
            Self::Ingest => "ingest",
            Self::Process => "process",
            Self::Accounts => "accounts",
            Self::Serve => "serve",
            Self::Sink => "sink",
            Self::Deliver => "deliver",
            Self::Settle => "settle",
            Self::Bots => "bots",
        }
    }

    /// Whether it runs a machine by a pump, and reports on that.
    #[must_use]
    pub const fn has_pump(self) -> bool {
        matches!(self, Self::Process | Self::Accounts | Self::Deliver | Self::Settle)
    }
}

/// How a metric behaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// It only grows, from the start of the process.
    Counter,
    /// It is what it is now.
    Gauge,
    /// How samples are spread over buckets with these upper bounds.
    Histogram(&'static [f64]),
}

/// A metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    /// The role that reports it.
    pub role: Role,
    /// How it behaves.
    pub kind: Kind,
    /// Its name, which ends with the unit.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// The names of its labels. Their values are words of the program and numbers of partitions, nothing else.
    pub labels: &'static [&'static str],
    /// Whether it is absent until something has happened.
    pub is_rare: bool,
    /// Its meaning, and how to read it.
    pub help: &'static str,
}

/// Something that is counted.
pub(super) const fn counter(role: Role, unit: Unit, name: &'static str, help: &'static str) -> Metric {
    Metric { role, kind: Kind::Counter, name, unit, labels: &[], is_rare: false, help }
}

/// Something that has a size now.
pub(super) const fn gauge(role: Role, unit: Unit, name: &'static str, help: &'static str) -> Metric {
    Metric { kind: Kind::Gauge, ..counter(role, unit, name, help) }
}

/// Something that is spread over buckets.
pub(super) const fn histogram(
    role: Role,
    unit: Unit,
    name: &'static str,
    bounds: &'static [f64],
    help: &'static str,
) -> Metric {
    Metric { kind: Kind::Histogram(bounds), ..counter(role, unit, name, help) }
}

impl Metric {
    /// With these labels.
    pub(super) const fn by(self, labels: &'static [&'static str]) -> Self {
        Self { labels, ..self }
    }

    /// Absent until something has happened.
    pub(super) const fn rare(self) -> Self {
        Self { is_rare: true, ..self }
    }

    /// Whether a role reports it.
    #[must_use]
    pub fn is_of(&self, role: Role) -> bool {
        match self.role {
            Role::Every => true,
            Role::Pump => role.has_pump(),
            own => own == role,
        }
    }

    /// Shows it before anything has happened, where it has no labels and is not rare.
    pub(super) fn begin(&self) {
        if self.is_rare || !self.labels.is_empty() {
            return;
        }
        match self.kind {
            Kind::Counter => self.counter(&[]).increment(0),
            Kind::Gauge => drop(self.gauge(&[])),
            Kind::Histogram(_) => drop(self.histogram(&[])),
        }
    }

    /// Counts so many more, of a counter without labels.
    pub fn add(&self, count: u64) {
        if count > 0 {
            self.counter(&[]).increment(count);
        }
    }

    /// It is this now: a gauge without labels.
    pub fn set(&self, value: f64) {
        self.gauge(&[]).set(value);
    }

    /// It was this once more: a histogram without labels.
    pub fn record(&self, value: f64) {
        self.histogram(&[]).record(value);
    }

    /// Counts so many more of each word, of a counter with one label.
    pub fn add_each<'a>(&self, counts: impl IntoIterator<Item = (&'a str, u64)>) {
        let counted = counts.into_iter().filter(|(_, count)| *count > 0);
        counted.for_each(|(word, count)| self.counter(&[word]).increment(count));
    }

    /// Shows a counter with one label at 0 for each word: the first that comes is then seen to come.
    pub fn begin_each<'a>(&self, words: impl IntoIterator<Item = &'a str>) {
        words.into_iter().for_each(|word| self.counter(&[word]).increment(0));
    }

    /// Registers its help text with the recorder.
    pub(super) fn describe(&self) {
        match self.kind {
            Kind::Counter => metrics::describe_counter!(self.name, self.unit, self.help),
            Kind::Gauge => metrics::describe_gauge!(self.name, self.unit, self.help),
            Kind::Histogram(_) => metrics::describe_histogram!(self.name, self.unit, self.help),
        }
    }

    /// Its handle as a counter, with the values of its labels in their order.
    pub fn counter(&self, values: &[&str]) -> Counter {
        debug_assert!(self.kind == Kind::Counter, "{}", self.name);
        metrics::counter!(self.name, self.labelled(values))
    }

    /// Its handle as a gauge.
    pub fn gauge(&self, values: &[&str]) -> Gauge {
        debug_assert!(self.kind == Kind::Gauge, "{}", self.name);
        metrics::gauge!(self.name, self.labelled(values))
    }

    /// Its handle as a histogram.
    pub fn histogram(&self, values: &[&str]) -> Histogram {
        debug_assert!(matches!(self.kind, Kind::Histogram(_)), "{}", self.name);
        metrics::histogram!(self.name, self.labelled(values))
    }

    fn labelled(&self, values: &[&str]) -> Vec<Label> {
        debug_assert!(self.labels.len() == values.len(), "{}", self.name);
        self.labels.iter().zip(values).map(|(name, value)| Label::new(*name, (*value).to_owned())).collect()
    }
}
