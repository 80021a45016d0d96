//! Tests of filtered streams: whatever the filter, and wherever a client begins or resumes, what it has folded is what its filter
//! includes of all that is open.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use arb_feed::fixtures::{closed, entry};
use arb_feed::position::{Positions, decode};
use arb_model::Money;
use arb_schemas::records::{ArbWindow, BoardEntry, CloseSignal};
use arb_schemas::wire::encode;
use futures_util::StreamExt;
use proptest::prelude::*;
use serde_json::Value;
use warp::http::HeaderMap;

use super::super::follower::Follower;
use super::super::query::StreamQuery;
use super::super::session::Session;
use crate::SharedApp;
use crate::fixtures::TestApp;

const FILTERS: [&str; 7] = [
    "",
    "min_margin=0.02",
    "verified=true",
    "in_play=false&min_margin=0.01",
    "min_stake=100",
    "book=alpha",
    "min_margin=0.02&verified=true&conflate_ms=50",
];
/// Windows that open, change and close.
const WINDOWS: u8 = 4;

/// What becomes of a window: it closes, or has these values.
type Step = (u8, Option<(u8, bool, bool, Option<u8>, bool)>);

struct Feed {
    app: SharedApp,
    runtime: tokio::runtime::Runtime,
    kid: String,
    open: BTreeMap<String, BoardEntry>,
    offset: i64,
    _folder: tempfile::TempDir,
}

impl Feed {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let TestApp { app, key, folder } = TestApp::new(1, 1_000, Duration::from_mins(10));
        let (app, kid) = (Arc::new(app), key[9..17].to_owned());
        Self { app, runtime, kid, open: BTreeMap::new(), offset: 0, _folder: folder }
    }

    /// As the processor writes it: with what it replaces.
    fn push(&mut self, (window, values): Step) {
        let id = window.to_string();
        let replaced = self.open.get(&id).map(BoardEntry::filter_values);
        let message = if let Some(values) = values {
            let entry = of(&id, values);
            let change = if replaced.is_some() { "updated" } else { "opened" };
            self.open.insert(id, entry.clone());
            encode(&ArbWindow { change: change.into(), entry, replaced }).unwrap()
        } else {
            let Some(replaced) = replaced else { return };
            self.open.remove(&id);
            encode(&CloseSignal { replaced, ..closed(&id, self.offset) }).unwrap()
        };
        self.app.streams().take(0, self.offset, &message).unwrap();
        self.offset += 1;
    }

    fn client(&self, query: &StreamQuery, sent: &Positions) -> Follower {
        let _in = self.runtime.enter();
        let (stream, place) = (&self.app.stream, self.app.streams().hub.join(sent).unwrap());
        let key = (&*self.kid, stream.place("a", 0).unwrap());
        let session = Session::new(Arc::clone(stream), (query.filter.clone(), query.pace), key);
        Follower::new(session, sent.clone(), place)
    }

    /// The pieces that are there.
    fn receive(&self, client: &mut Follower) -> Vec<String> {
        let (_in, mut pieces) = (self.runtime.enter(), Vec::new());
        let mut context = Context::from_waker(Waker::noop());
        while let std::task::Poll::Ready(Some(piece)) = client.poll_next_unpin(&mut context) {
            pieces.push(String::from_utf8(piece.to_vec()).unwrap());
        }
        pieces
    }
}

fn of(
    id: &str,
    (margin, verified, in_play, stake, is_alpha): (u8, bool, bool, Option<u8>, bool),
) -> BoardEntry {
    let mut entry = entry(id, 0.01);
    (entry.margin, entry.verified, entry.in_play) = (f64::from(margin) / 100.0, verified, in_play);
    entry.total_stake_max = stake.map(|stake| Money(i64::from(stake) * 5_000));
    for leg in &mut entry.legs {
        leg.book = if is_alpha { "alpha" } else { "beta" }.into();
    }
    entry
}

/// What a client has: the margins of windows by their ids, and its position.
struct Client {
    windows: BTreeMap<String, f64>,
    sent: Positions,
}

impl Client {
    fn apply(&mut self, block: &str) {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        let data: Value = serde_json::from_str(field("data: ").unwrap()).unwrap();
        let id = data["id"].as_str().unwrap().to_owned();
        match (field("event: ").unwrap(), data["change"].as_str()) {
            ("arb_window", Some("left")) | ("close_signal", _) => drop(self.windows.remove(&id)),
            ("arb_window", _) => drop(self.windows.insert(id, data["margin"].as_f64().unwrap())),
            (other, _) => panic!("{other}"),
        }
        if let Some(id) = field("id: ") {
            self.sent = decode(id).unwrap().positions;
        }
    }
}

fn wanted(query: &StreamQuery, feed: &Feed) -> BTreeMap<String, f64> {
    let open = feed.open.values().filter(|entry| query.filter.includes_window(entry));
    open.map(|entry| (entry.id.clone(), entry.margin)).collect()
}

fn steps() -> impl Strategy<Value = Vec<(Step, u8)>> {
    let values = (0..4_u8, any::<bool>(), any::<bool>(), prop::option::of(0..4_u8), any::<bool>());
    prop::collection::vec(((0..WINDOWS, prop::option::weighted(0.8, values)), 0..4_u8), 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// At each moment the client has what its filter includes, whether it follows, has resumed with its last id (1), or has begun
    /// with a snapshot (2). Its memory of what it was sent is all that it has: the server keeps nothing of it.
    #[test]
    fn a_folded_stream_is_the_filtered_board(filter in 0..FILTERS.len(), steps in steps()) {
        let mut feed = Feed::new();
        let query = StreamQuery::parse(FILTERS[filter], &HeaderMap::new()).ok().unwrap();
        let mut client = Client { windows: BTreeMap::new(), sent: Positions::new(vec![0]) };
        let mut follower = feed.client(&query, &client.sent);
        for (step, event) in steps {
            feed.push(step);
            match event {
                1 => follower = feed.client(&query, &client.sent),
                2 => {
                    client = Client { windows: wanted(&query, &feed), sent: Positions::new(vec![feed.offset]) };
                    follower = feed.client(&query, &client.sent);
                }
                _ => {}
            }
            // A client that conflates waits; another one has it at once.
            if query.pace.conflate.is_none() {
                for piece in feed.receive(&mut follower) {
                    piece.split_inclusive("\n\n").for_each(|block| client.apply(block));
                }
                prop_assert_eq!(&client.windows, &wanted(&query, &feed));
            }
        }
        if query.pace.conflate.is_some() {
            feed.receive(&mut follower).iter().for_each(|piece| {
                piece.split_inclusive("\n\n").for_each(|block| client.apply(block));
            });
            let next = feed.runtime.block_on(async {
                tokio::time::timeout(Duration::from_millis(60), follower.next()).await
            });
            if let Some(piece) = next.ok().flatten() {
                let text = String::from_utf8(piece.to_vec()).unwrap();
                text.split_inclusive("\n\n").for_each(|block| client.apply(block));
            }
            prop_assert_eq!(&client.windows, &wanted(&query, &feed));
        }
    }
}

#[test]
fn a_window_that_leaves_is_sent_once_and_what_never_matched_is_not() {
    let mut feed = Feed::new();
    let query = StreamQuery::parse("min_margin=0.02", &HeaderMap::new()).ok().unwrap();
    let mut follower = feed.client(&query, &Positions::new(vec![0]));
    let values = |margin| Some((margin, true, false, None, true));
    let mut changes = Vec::new();
    for step in [values(1), values(3), values(2), values(1), values(0), None] {
        feed.push((0, step));
        let pieces = feed.receive(&mut follower);
        changes.push(
            pieces
                .iter()
                .map(|piece| {
                    let data = piece.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
                    let data: Value = serde_json::from_str(data).unwrap();
                    data["change"].as_str().unwrap_or("closed").to_owned()
                })
                .collect::<Vec<_>>()
                .join(","),
        );
    }
    assert_eq!(changes, ["", "updated", "updated", "left", "", ""]);
}
