//! The messages of a stream beside events: snapshot, heartbeat, resync, lagged, restart, revoked key.
//!
//! Pure. Each carries the client's position as its id, where it has one: the position to resume from is never
//! older than what the client has, and never newer.

use arb_feed::event::{EventKind, id_line};
use arb_feed::filter::EventFilter;
use arb_feed::position::{Epoch, Positions};
use arb_model::Time;
use arb_schemas::time::Micros;
use bytes::Bytes;
use serde_json::json;

use super::hub::StreamSnapshot;
use super::watched_board::CHANGES;
use crate::view::{HeartbeatView, LaggedView, ResyncView};

/// Their names.
pub(super) const NAMES: [&str; 7] =
    ["snapshot", CHANGES, "heartbeat", "resync", "lagged", "server_restart", "key_revoked"];

/// Milliseconds after which clients of a server that ends connect again: not all at once.
const RETRY: (u64, u64) = (1_000, 5_000);

/// The client that a notice is for: the feed, and its position.
#[derive(Debug, Clone, Copy)]
pub(super) struct To<'a> {
    pub(super) epoch: &'a Epoch,
    pub(super) sent: Option<&'a Positions>,
}

impl To<'_> {
    /// The line that ends a block.
    fn id(self) -> String {
        self.sent.map_or_else(|| "\n".to_owned(), |sent| id_line(self.epoch, sent))
    }
}

/// No event has happened: a comment that keeps the connection open, and an event with the board's time. A
/// client that has not caught up with the feed receives the comment only.
pub(super) fn heartbeat(to: To<'_>, as_of: Option<Micros>, is_stale: bool) -> Bytes {
    let data = json!(HeartbeatView { as_of: as_of.map(Time), stale: is_stale });
    format!(": heartbeat\nevent: heartbeat\ndata: {data}\n{}", to.id()).into()
}

/// All open entries of a sport or league, in pieces; signals for the clients whose filter includes signal
/// events.
pub(super) fn snapshot(to: To<'_>, whole: &StreamSnapshot, filter: &EventFilter) -> Vec<Bytes> {
    let mut pieces = vec![Bytes::from_static(b"event: snapshot\ndata: "), whole.board.opening().into()];
    pieces.extend(whole.board.pieces(|entry| filter.includes_window(entry)));
    if filter.has(EventKind::EdgeSignal) {
        pieces.push(Bytes::from_static(b"],\"signals\":["));
        pieces.extend(whole.signals.pieces(|signal| filter.includes_signal(signal)));
    }
    pieces.push(format!("]}}\n{}", to.id()).into());
    pieces
}

/// The client cannot resume from its id, and why. The notice has no id: it takes effect with the snapshot
/// after it.
pub(super) fn resync(reason: &str) -> Bytes {
    format!("event: resync\ndata: {}\n\n", json!(ResyncView { reason })).into()
}

/// The client does not keep up (`too_slow`), others wait to catch up too (`catching_up`), or the events that
/// it lacks cannot be read now (`unavailable`); it resumes from its id.
pub(super) fn lagged(to: To<'_>, reason: &str) -> Bytes {
    format!("event: lagged\ndata: {}\n{}", json!(LaggedView { reason }), to.id()).into()
}

/// The key is no longer valid: a client that reconnects is answered 401.
pub(super) fn key_revoked() -> Bytes {
    Bytes::from_static(b"event: key_revoked\ndata: {}\n\n")
}

/// The server ends; the client connects again.
pub(super) fn server_restart(to: To<'_>) -> Bytes {
    let mut random = [0; 8];
    // Without random numbers all come back after the shortest time.
    let _ = getrandom::fill(&mut random);
    let (least, most) = RETRY;
    let retry = least + u64::from_be_bytes(random) % (most - least + 1);
    format!("event: server_restart\nretry: {retry}\ndata: {{}}\n{}", to.id()).into()
}

#[cfg(test)]
mod tests {
    use arb_feed::position::decode;

    use super::*;

    fn text(bytes: &Bytes) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn notices_carry_the_position_that_the_client_has() {
        let sent = Positions::new(vec![3, 4]);
        let to = To { epoch: &[1; 16], sent: Some(&sent) };
        for notice in [heartbeat(to, Some(0), false), lagged(to, "too_slow"), server_restart(to)] {
            let id = text(&notice).lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
            assert_eq!(decode(id).unwrap().positions, sent);
            assert!(text(&notice).ends_with("\n\n"));
        }
        let nowhere = To { epoch: &[1; 16], sent: None };
        assert_eq!(
            text(&heartbeat(nowhere, None, true)),
            ": heartbeat\nevent: heartbeat\ndata: {\"as_of\":null,\"stale\":true}\n\n"
        );
        assert!(!text(&resync("outside_retention")).contains("id:"));
    }

    #[test]
    fn clients_come_back_at_different_times() {
        let retry = |_| {
            let notice = server_restart(To { epoch: &[1; 16], sent: None });
            let retry =
                text(&notice).lines().find_map(|line| line.strip_prefix("retry: ")).map(str::to_owned);
            retry.unwrap().parse::<u64>().unwrap()
        };
        let retries: std::collections::BTreeSet<_> = (0..50).map(retry).collect();
        assert!(retries.len() > 10 && retries.iter().all(|retry| (RETRY.0..=RETRY.1).contains(retry)));
    }
}
