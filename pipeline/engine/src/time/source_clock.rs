//! The order of what a source publishes: which frames are news, which are late, when a poll is whole.
//!
//! A poll is the frames of one source with one `received_at`; each names its position, and the [`PollEnd`]
//! their number. It never looks at a price.
//!
//! [`PollEnd`]: crate::input::PollEnd

use crate::Micros;

/// What a source published last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceClock {
    /// `received_at` of its latest frame or poll end.
    latest: Micros,
    /// The latest time at which anything came of it, heartbeats too.
    heard_at: Micros,
    poll: Poll,
}

/// How far the latest poll has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Poll {
    /// The latest word was a push message, or a poll that has ended.
    Ended,
    /// So many frames have come; `whole` unless one was skipped.
    Open { frames: u32, whole: bool },
}

/// What to do with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// It is news.
    Applied,
    /// It is not after what its source published before: history, never a quote.
    Late,
    /// The end of a poll of which frames are missing: it withdraws nothing.
    Incomplete,
    /// Its time is far ahead of all other sources: ignored until more records confirm it.
    Ahead,
    /// It is about an event that is over: history, never a quote.
    Over,
    /// It is beyond a cap: nothing of it is taken in. As a frame of a poll it counts as come.
    Refused,
    /// The update of a pushed source was taken in before.
    Repeated,
    /// A pushed source gave the sequence of another update that was taken in.
    Conflicting,
    /// The update of a pushed source is below all that are remembered of it: it may have been taken in.
    Forgotten,
    /// A client that may not name events pushed prices of an event that is not known.
    UnknownEvent,
}

impl Default for SourceClock {
    fn default() -> Self {
        Self { latest: Micros::MIN, heard_at: Micros::MIN, poll: Poll::Ended }
    }
}

impl SourceClock {
    /// A clock of this place: `poll` is the frames of the poll under way and whether none was skipped.
    #[must_use]
    pub fn at(latest: Micros, heard_at: Micros, poll: Option<(u32, bool)>) -> Self {
        let poll = poll.map_or(Poll::Ended, |(frames, whole)| Poll::Open { frames, whole });
        Self { latest, heard_at, poll }
    }

    /// `received_at` of its latest frame or poll end.
    #[must_use]
    pub fn latest(&self) -> Micros {
        self.latest
    }

    /// The latest time at which anything came of it, heartbeats too.
    #[must_use]
    pub fn heard_at(&self) -> Micros {
        self.heard_at
    }

    /// Takes in that something came of it; returns whether that is later than all before.
    pub fn observe(&mut self, at: Micros) -> bool {
        let is_later = at > self.heard_at;
        self.heard_at = self.heard_at.max(at);
        is_later
    }

    /// Frames of the poll under way, and whether none was skipped.
    #[must_use]
    pub fn poll(&self) -> Option<(u32, bool)> {
        match self.poll {
            Poll::Ended => None,
            Poll::Open { frames, whole } => Some((frames, whole)),
        }
    }

    /// Takes in a frame; `poll_index` is `None` for a push message.
    ///
    /// Of push messages that were received in the same microsecond the log's order decides, so only an
    /// earlier one is late.
    pub fn frame(&mut self, received_at: Micros, poll_index: Option<u32>) -> Disposition {
        let Some(index) = poll_index else {
            return self.push(received_at);
        };
        let (frames, whole) = match self.poll {
            _ if received_at > self.latest => (0, true),
            Poll::Open { frames, whole } if received_at == self.latest => (frames, whole),
            Poll::Open { .. } | Poll::Ended => return Disposition::Late,
        };
        if index < frames {
            return Disposition::Late;
        }
        self.latest = received_at;
        self.poll = Poll::Open { frames: index + 1, whole: whole && index == frames };
        Disposition::Applied
    }

    fn push(&mut self, received_at: Micros) -> Disposition {
        if received_at < self.latest {
            return Disposition::Late;
        }
        *self = Self { latest: received_at, poll: Poll::Ended, ..*self };
        Disposition::Applied
    }

    /// Takes in the end of a poll that had so many frames.
    pub fn poll_end(&mut self, received_at: Micros, expected: u32) -> Disposition {
        let complete = match self.poll {
            _ if received_at > self.latest => expected == 0,
            Poll::Open { frames, whole } if received_at == self.latest => whole && frames == expected,
            Poll::Open { .. } | Poll::Ended => return Disposition::Late,
        };
        *self = Self { latest: received_at, poll: Poll::Ended, ..*self };
        if complete { Disposition::Applied } else { Disposition::Incomplete }
    }
}

#[cfg(test)]
mod tests {
    use Disposition::{Applied, Incomplete, Late};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_whole_poll_applies_once() {
        let mut clock = SourceClock::default();
        assert_eq!(clock.frame(10, Some(0)), Applied);
        assert_eq!(clock.frame(10, Some(1)), Applied);
        assert_eq!(clock.poll_end(10, 2), Applied);
        assert_eq!(clock.frame(10, Some(0)), Late);
        assert_eq!(clock.poll_end(10, 2), Late);
        assert_eq!(clock.frame(9, Some(0)), Late);
        assert_eq!(clock.poll_end(9, 0), Late);
        assert_eq!(clock.poll_end(11, 0), Applied);
    }

    #[test]
    fn a_poll_with_a_hole_withdraws_nothing() {
        let mut clock = SourceClock::default();
        assert_eq!(clock.frame(10, Some(1)), Applied);
        assert_eq!(clock.poll_end(10, 2), Incomplete);
        assert_eq!(clock.frame(20, Some(0)), Applied);
        assert_eq!(clock.poll_end(20, 2), Incomplete);
        assert_eq!(clock.poll_end(30, 1), Incomplete);
        assert_eq!(clock.frame(40, Some(0)), Applied);
        assert_eq!(clock.poll_end(40, 1), Applied);
    }

    #[test]
    fn a_frame_sent_twice_counts_once() {
        let mut clock = SourceClock::default();
        assert_eq!(clock.frame(10, Some(0)), Applied);
        assert_eq!(clock.frame(10, Some(0)), Late);
        assert_eq!(clock.frame(10, Some(1)), Applied);
        assert_eq!(clock.poll_end(10, 2), Applied);
    }

    #[test]
    fn push_messages_are_ordered_by_time_then_by_the_log() {
        let mut clock = SourceClock::default();
        assert_eq!(clock.frame(10, None), Applied);
        assert_eq!(clock.frame(10, None), Applied);
        assert_eq!(clock.frame(9, None), Late);
        assert_eq!(clock.frame(10, Some(0)), Late);
    }

    /// What one source may send.
    #[derive(Debug, Clone, Copy)]
    enum Received {
        Push(Micros),
        Frame(Micros, u32),
        End(Micros, u32),
    }

    fn random_records() -> impl Strategy<Value = Vec<Received>> {
        let record = prop_oneof![
            1 => (0..6_i64).prop_map(Received::Push),
            5 => (0..6_i64, 0..3_u32).prop_map(|(at, index)| Received::Frame(at, index)),
            3 => (0..6_i64, 0..4_u32).prop_map(|(at, frames)| Received::End(at, frames)),
        ];
        prop::collection::vec(record, 1..30)
    }

    /// A source by the list of all that has been applied: the positions of its latest poll, until that ends.
    #[derive(Default)]
    struct Model {
        latest: Option<Micros>,
        poll: Option<Vec<u32>>,
    }

    impl Model {
        fn take(&mut self, record: Received) -> Disposition {
            let latest = self.latest.unwrap_or(Micros::MIN);
            match record {
                Received::Push(at) if at < latest => Late,
                Received::Push(at) => self.ended(at, Applied),
                Received::Frame(at, _) | Received::End(at, _) if at < latest => Late,
                Received::Frame(at, index) => {
                    let is_new = at > latest;
                    let mut positions = match (&self.poll, is_new) {
                        (_, true) => Vec::new(),
                        (Some(positions), false) => positions.clone(),
                        (None, false) => return Late,
                    };
                    if positions.iter().any(|other| *other >= index) {
                        return Late;
                    }
                    positions.push(index);
                    (self.latest, self.poll) = (Some(at), Some(positions));
                    Applied
                }
                Received::End(at, frames) if at > latest => {
                    self.ended(at, if frames == 0 { Applied } else { Incomplete })
                }
                Received::End(at, frames) => match self.poll.take() {
                    None => Late,
                    Some(positions) => {
                        let is_whole = positions.iter().copied().eq(0..frames);
                        self.ended(at, if is_whole { Applied } else { Incomplete })
                    }
                },
            }
        }

        fn ended(&mut self, at: Micros, disposition: Disposition) -> Disposition {
            (self.latest, self.poll) = (Some(at), None);
            disposition
        }
    }

    fn take(clock: &mut SourceClock, record: Received) -> Disposition {
        match record {
            Received::Push(at) => clock.frame(at, None),
            Received::Frame(at, index) => clock.frame(at, Some(index)),
            Received::End(at, frames) => clock.poll_end(at, frames),
        }
    }

    proptest! {
        #[test]
        fn it_decides_like_a_list_of_all_frames(records in random_records()) {
            let (mut clock, mut model) = (SourceClock::default(), Model::default());
            for record in records {
                prop_assert_eq!(take(&mut clock, record), model.take(record), "{:?}", record);
                prop_assert_eq!(clock.latest(), model.latest.unwrap_or(Micros::MIN));
                // The saved clock is complete.
                prop_assert_eq!(SourceClock::at(clock.latest(), clock.heard_at(), clock.poll()), clock);
            }
        }

        /// A record that is delivered again is late, but for a push message: of its microsecond the log's order decides.
        #[test]
        fn a_repeated_frame_is_late(records in random_records()) {
            let mut clock = SourceClock::default();
            for record in records {
                take(&mut clock, record);
                let (was, again) = (clock, take(&mut clock, record));
                match record {
                    Received::Push(_) => prop_assert!(again == Late || again == Applied),
                    Received::Frame(..) | Received::End(..) => prop_assert_eq!(again, Late),
                }
                prop_assert_eq!(clock, was);
            }
        }

        /// Of all polls of so many frames, exactly the one that delivers each frame once and in order
        /// withdraws anything.
        #[test]
        fn only_a_poll_with_all_its_frames_in_order_is_whole(indexes in prop::collection::vec(0..4_u32, 0..6)) {
            let mut clock = SourceClock::default();
            let mut applied = Vec::new();
            for index in indexes {
                if clock.frame(10, Some(index)) == Applied {
                    applied.push(index);
                }
            }
            let expected = if applied.iter().copied().eq(0..4) { Applied } else { Incomplete };
            prop_assert_eq!(clock.poll_end(10, 4), expected);
            prop_assert_eq!(clock.poll_end(10, 4), Late, "it has ended");
        }
    }

    #[test]
    fn a_heartbeat_moves_no_poll() {
        let mut clock = SourceClock::default();
        assert_eq!(clock.frame(10, Some(0)), Applied);
        assert!(clock.observe(50) && !clock.observe(50) && !clock.observe(20));
        assert_eq!((clock.latest(), clock.heard_at(), clock.poll()), (10, 50, Some((1, true))));
        assert_eq!(clock.poll_end(10, 1), Applied, "it lasted longer than the heartbeat took");
        assert_eq!((clock.heard_at(), clock.poll()), (50, None));
    }
}
