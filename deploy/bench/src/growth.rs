//! `arb-bench growth`: how cost grows, by quotes, by books, by pace and by connections.
//!
//! The shape is what matters. Each size has a row, and each step from one size to the next has a row with the
//! factor by which the cost grows when the size doubles: 1 is flat, 2 is proportional. It never judges a
//! result.

mod market;
mod moves;

use anyhow::bail;
use arb_runtime::stop::Stop;
pub(crate) use market::Market;
use moves::MovingPrices;

use super::report::{Measure, Measured, Row};
use super::{Scale, sse};

pub(super) const PART: &str = "growth";
/// Books, where quotes grow.
const BOOKS: usize = 10;
const BY_QUOTES: [usize; 4] = [10_000, 30_000, 100_000, 1_000_000];
/// Quotes, where books grow.
const QUOTES: usize = 100_000;
const BY_BOOKS: [usize; 4] = [4, 10, 20, 40];
/// Ticks of a market within a minute.
const BY_PACE: [usize; 3] = [200, 2_000, 8_000];
const BY_STREAMS: [usize; 4] = [10, 100, 1_000, 5_000];
/// A quick run has the first two sizes, and a tenth of the quotes and streams.
const QUICK: (usize, usize) = (2, 10);

const TICK: Measure = Measure("a tick", "ns");
const QUOTE: Measure = Measure("memory a quote", "bytes");
const DELIVERY: Measure = Measure("server CPU an event delivered", "us");
const STREAM: Measure = Measure("memory a stream", "bytes");
const DOUBLING: &str = "x a doubling";

/// What a size cost, by measure.
struct Sized {
    size: usize,
    rows: Vec<Row>,
}

pub(super) fn run(scale: Scale, stop: &Stop) -> anyhow::Result<Measured> {
    let few = if scale.is_quick { QUICK.1 } else { 1 };
    let by_quotes = |quotes| engine(format!("{quotes} quotes, {BOOKS} books"), quotes, BOOKS, scale);
    let by_books =
        |books| engine(format!("{books} books, {} quotes", QUOTES / few), QUOTES / few, books, scale);
    let mut rows = sweep("quotes", &BY_QUOTES.map(|size| size / few), scale, stop, by_quotes)?;
    rows.extend(sweep("books", &BY_BOOKS, scale, stop, by_books)?);
    rows.extend(sweep("ticks a minute", &BY_PACE.map(|size| size / few), scale, stop, |ticks| {
        let case = format!("{ticks} ticks of a market in a minute");
        Ok(vec![Row::alone(PART, case, TICK, &MovingPrices::new(ticks).cost(scale.rounds))])
    })?);
    rows.extend(sweep("streams", &BY_STREAMS.map(|size| size.div_ceil(few)), scale, stop, |size| {
        streams(size, scale, stop)
    })?);
    let notes = vec![
        format!(
            "growth, quotes and books: the engine alone, one thread, a commit each 1,000 records. A frame has all books of an \
             event, two outcomes each; one price in ten moves each time; every quote is confirmed each 30 s of event time; memory is measured once. By \
             quotes there are {BOOKS} books and more events, by books {} quotes and fewer events.",
            QUOTES / few
        ),
        "growth, ticks a minute: the engine alone, as above, over the push feed with 50 % of prices moving, at another pace for each \
         size. A market remembers the moves of its last minute: three in four of these ticks."
            .to_owned(),
        "growth, streams: as sse, the same number of events delivered a second for every number of streams; memory is what the \
         server's allocator holds for a stream that is open, the system's buffers not counted, and is measured once."
            .to_owned(),
    ];
    Ok(Measured { rows, notes, ..Measured::default() })
}

/// The rows of all sizes, then those of the steps between.
fn sweep(
    what: &str,
    sizes: &[usize],
    scale: Scale,
    stop: &Stop,
    cost: impl Fn(usize) -> anyhow::Result<Vec<Row>>,
) -> anyhow::Result<Vec<Row>> {
    let sizes = if scale.is_quick { &sizes[..QUICK.0] } else { sizes };
    let mut all: Vec<Sized> = Vec::new();
    for &size in sizes {
        if stop.is_stopped() {
            bail!("stopped");
        }
        all.push(Sized { size, rows: cost(size)? });
    }
    let steps: Vec<_> = all.windows(2).flat_map(|pair| step(what, &pair[0], &pair[1])).collect();
    Ok(all.into_iter().flat_map(|sized| sized.rows).chain(steps).collect())
}

/// By how much each cost is multiplied when the size doubles, between two sizes.
fn step(what: &str, from: &Sized, to: &Sized) -> Vec<Row> {
    let doublings = (to.size as f64 / from.size as f64).log2();
    let case = format!("{what}: {} to {}", from.size, to.size);
    let pairs = from.rows.iter().zip(&to.rows);
    let rows = pairs.map(|(from, to)| {
        let growth = (to.ours.median / from.ours.median).powf(1.0 / doublings);
        Row::alone(PART, case.clone(), Measure(to.measure, DOUBLING), &[growth])
    });
    rows.collect()
}

fn engine(case: String, quotes: usize, books: usize, scale: Scale) -> anyhow::Result<Vec<Row>> {
    let cost = Market::new(quotes, books).cost(scale.rounds)?;
    let ticks = Row::alone(PART, case.clone(), TICK, &cost.ns_a_tick);
    Ok(vec![ticks, Row::alone(PART, case, QUOTE, &[cost.bytes_a_quote])])
}

fn streams(streams: usize, scale: Scale, stop: &Stop) -> anyhow::Result<Vec<Row>> {
    let sse::Compared { case, rounds, held } = sse::compare(streams, scale, stop)?;
    let cpu: Vec<_> = rounds.iter().map(|(ours, bare)| (ours.cpu, bare.cpu)).collect();
    Ok(vec![Row::beside(PART, case.clone(), DELIVERY, &cpu), Row::beside(PART, case, STREAM, &[held])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_told_by_the_doubling() {
        let sized = |size, cost| Sized { size, rows: vec![Row::alone(PART, "", TICK, &[cost])] };
        for (from, to, expected) in
            [((10, 5.0), (40, 20.0), 2.0), ((10, 5.0), (80, 5.0), 1.0), ((1, 3.0), (4, 48.0), 4.0)]
        {
            let rows = step("quotes", &sized(from.0, from.1), &sized(to.0, to.1));
            assert!((rows[0].ours.median - expected).abs() < 1e-9, "{rows:?}");
            assert_eq!(rows[0].case, format!("quotes: {} to {}", from.0, to.0));
        }
    }
}
