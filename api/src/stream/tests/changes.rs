//! Tests of pages of events: put together they are what a stream sends, wherever they are cut.

use std::sync::Arc;
use std::time::Duration;

use arb_feed::fixtures::{closed, entry};
use arb_feed::position::{Positions, encode as id_of};
use arb_schemas::records::ArbWindow;
use arb_schemas::wire::encode;
use serde_json::Value;

use super::super::changes::{ChangesPage, ChangesQuery};
use crate::SharedApp;
use crate::fixtures::TestApp;

struct Feed {
    app: SharedApp,
    offset: i64,
    _folder: tempfile::TempDir,
}

impl Feed {
    /// Of which so many events are kept.
    fn keeping(events: usize) -> Self {
        let TestApp { app, folder, .. } = TestApp::new(1, events, Duration::from_mins(10));
        let feed = Self { app: Arc::new(app), offset: 0, _folder: folder };
        feed.app.streams().begin();
        feed
    }

    /// Opens a window; each third one closes the one before.
    fn push(&mut self) {
        let id = format!("w{}", self.offset);
        let message = if self.offset % 3 == 2 {
            encode(&closed(&format!("w{}", self.offset - 1), self.offset)).unwrap()
        } else {
            let mut entry = entry(&id, 0.01 * (self.offset % 5) as f64);
            entry.sequence = self.offset;
            encode(&ArbWindow { change: "opened".into(), entry, replaced: None }).unwrap()
        };
        self.app.streams().take(0, self.offset, &message).unwrap();
        self.offset += 1;
    }

    fn page(&self, query: &str) -> ChangesPage {
        self.app.stream.changes(&ChangesQuery::parse(query).ok().unwrap())
    }

    /// All pages of a size from an id on; the id with which they end.
    fn all(&self, since: &str, limit: usize, filters: &str) -> (Vec<Value>, String) {
        let (mut events, mut since) = (Vec::new(), since.to_owned());
        loop {
            let page = self.page(&format!("since={since}&limit={limit}{filters}"));
            assert!(page.events.len() <= limit && page.resync.is_none(), "{page:?}");
            events.extend(page.events.iter().map(|event| serde_json::from_str(event).unwrap()));
            since = page.next;
            if !page.has_more {
                return (events, since);
            }
        }
    }
}

#[test]
fn pages_are_the_events_after_an_id_wherever_they_are_cut() {
    let mut feed = Feed::keeping(1_000);
    (0..4).for_each(|_| feed.push());
    let start = feed.page("");
    assert!(start.events.is_empty() && !start.has_more && start.resync.is_none());
    (0..20).for_each(|_| feed.push());
    let (whole, end) = feed.all(&start.next, 500, "");
    let sequences: Vec<_> = whole.iter().map(|event| event["data"]["sequence"].as_i64().unwrap()).collect();
    assert_eq!(sequences, (4..24).collect::<Vec<_>>());
    for limit in [1, 2, 3, 7, 20] {
        assert_eq!(feed.all(&start.next, limit, ""), (whole.clone(), end.clone()), "{limit}");
    }
    // The id of each event is where to go on after it.
    for (at, event) in whole.iter().enumerate() {
        assert_eq!(feed.all(event["id"].as_str().unwrap(), 500, "").0, whole[at + 1..], "{at}");
    }
    let (closes, after) = feed.all(&start.next, 2, "&event=close_signal");
    let is_close = |event: &&Value| event["event"] == "close_signal";
    assert_eq!(closes.iter().collect::<Vec<_>>(), whole.iter().filter(is_close).collect::<Vec<_>>());
    assert_eq!(after, end, "what was left out is behind it");
    let (large, _) = feed.all(&start.next, 500, "&min_margin=0.03&event=arb_window");
    assert!(!large.is_empty() && large.iter().all(|event| event["data"]["margin"].as_f64().unwrap() >= 0.03));
    assert!(feed.all(&end, 5, "").0.is_empty());
}

#[test]
fn who_comes_back_too_late_or_from_another_feed_begins_again() {
    let mut feed = Feed::keeping(5);
    feed.push();
    let first = feed.page("").next;
    (0..20).for_each(|_| feed.push());
    let late = feed.page(&format!("since={first}"));
    assert_eq!((late.resync, late.events.len(), late.has_more), (Some("too_old"), 0, false));
    feed.push();
    assert_eq!(feed.all(&late.next, 10, "").0.len(), 1, "it goes on from there");
    let other = id_of(&[9; 16], &Positions::new(vec![3]));
    assert_eq!(feed.page(&format!("since={other}")).resync, Some("epoch_changed"));
    // Another instance may have come further.
    let ahead = id_of(&[0; 16], &Positions::new(vec![1_000]));
    let page = feed.page(&format!("since={ahead}"));
    assert_eq!((page.events.len(), &page.next, page.resync), (0, &ahead, None));
}

#[test]
fn what_is_no_id_and_what_only_streams_have_is_refused() {
    for query in [
        "since=17",
        "since=",
        "limit=0",
        "limit=501",
        "conflate_ms=100",
        "last_event_id=a",
        "sort=margin",
        "x=1",
    ] {
        assert!(ChangesQuery::parse(query).is_err(), "{query}");
    }
}
