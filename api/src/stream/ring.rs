//! The last events of the feed, in memory, shared by all clients.
//!
//! Bounded in number and bytes: the oldest events are dropped, whether or not clients still need them. It never waits for a client,
//! and clients read without a lock: events are in segments that link to the next one, and a client holds the segment that it reads.
//! So a client that is not polled keeps what came since; it is polled again, and disconnected, or its connection is closed when a
//! write makes no progress.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use arb_feed::event::Block;
use arb_feed::position::Positions;

/// Most bytes of what is kept.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Events of a segment.
const SEGMENT: u64 = 64;

/// Some events in a row, each written once.
#[derive(Debug)]
struct Segment {
    /// The number of its first event.
    first: u64,
    blocks: Box<[OnceLock<Block>]>,
    next: OnceLock<Arc<Self>>,
}

impl Segment {
    fn new(first: u64) -> Arc<Self> {
        let blocks = (0..SEGMENT).map(|_| OnceLock::new()).collect();
        Arc::new(Self { first, blocks, next: OnceLock::new() })
    }

    fn block(&self, number: u64) -> Option<&OnceLock<Block>> {
        self.blocks.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }
}

/// A place from which a client reads.
#[derive(Debug)]
pub(super) struct RingCursor {
    segment: Arc<Segment>,
    /// The number of the next event.
    next: u64,
}

impl RingCursor {
    /// The number of the next event.
    pub(super) fn number(&self) -> u64 {
        self.next
    }

    /// The next event, if it has come.
    pub(super) fn read(&mut self) -> Option<&Block> {
        if self.segment.block(self.next).is_none() {
            let next = Arc::clone(self.segment.next.get()?);
            self.segment = next;
        }
        self.segment.block(self.next)?.get()
    }

    /// Goes past it.
    pub(super) fn advance(&mut self) {
        self.next += 1;
    }
}

/// The last events.
#[derive(Debug)]
pub(super) struct Ring {
    /// Of all events that are kept; the last one may be full.
    segments: VecDeque<Arc<Segment>>,
    bytes: usize,
    max_blocks: usize,
    /// The number of the first block, counted from the start of this process.
    first: u64,
    /// That of the next to come.
    next: u64,
    /// Before the first block.
    tail: Positions,
    /// After the last.
    head: Positions,
}

impl Ring {
    /// An empty ring of at most so many events, whose feed begins here.
    pub(super) fn new(max_blocks: usize, start: Positions) -> Self {
        let segments = VecDeque::from([Segment::new(0)]);
        Self { segments, bytes: 0, max_blocks, first: 0, next: 0, tail: start.clone(), head: start }
    }

    /// Adds the next event; the oldest go where it is full.
    pub(super) fn push(&mut self, block: Block) {
        self.head.pass(block.partition, block.offset, block.mark);
        self.bytes += block.size();
        self.put(block);
        let most = self.max_blocks as u64;
        while self.next - self.first > most || self.bytes > MAX_BYTES {
            if !self.drop_oldest() {
                break;
            }
        }
    }

    fn put(&mut self, block: Block) {
        let last = self.segments.back().filter(|last| last.block(self.next).is_some()).cloned();
        let last = last.unwrap_or_else(|| self.segment());
        if let Some(place) = last.block(self.next) {
            let _ = place.set(block);
        }
        self.next += 1;
    }

    /// Another segment, behind the last.
    fn segment(&mut self) -> Arc<Segment> {
        let segment = Segment::new(self.next);
        if let Some(last) = self.segments.back() {
            let _ = last.next.set(Arc::clone(&segment));
        }
        self.segments.push_back(Arc::clone(&segment));
        segment
    }

    /// Whether there was one.
    fn drop_oldest(&mut self) -> bool {
        let Some(front) = self.segments.front().map(Arc::clone) else { return false };
        let Some(oldest) = front.block(self.first).and_then(OnceLock::get) else { return false };
        self.bytes -= oldest.size();
        self.tail.pass(oldest.partition, oldest.offset, oldest.mark);
        self.first += 1;
        if front.block(self.first).is_none() && self.segments.len() > 1 {
            self.segments.pop_front();
        }
        true
    }

    /// The number of the first block that is kept.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// The number of the next block to come.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Events, and their bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        (usize::try_from(self.next - self.first).unwrap_or(usize::MAX), self.bytes)
    }

    /// Before the first event.
    pub(super) fn tail(&self) -> &Positions {
        &self.tail
    }

    /// After the last event.
    pub(super) fn head(&self) -> &Positions {
        &self.head
    }

    /// Where to begin for a client at these positions: the number of the oldest block that it has not, and what comes before
    /// it. It passes over those after it that it has; `None` when something that it has not is gone.
    pub(super) fn join(&self, at: &Positions) -> Option<(u64, Positions)> {
        if !at.reaches(&self.tail) {
            return None;
        }
        let (mut cursor, mut reader) = (self.cursor(self.first)?, self.tail.clone());
        while let Some(block) = cursor.read()
            && !at.is_before(block.partition, block.offset)
        {
            reader.pass(block.partition, block.offset, block.mark);
            cursor.advance();
        }
        Some((cursor.number(), reader))
    }

    /// Whether a reader can go on from a number: nothing after it is gone.
    pub(super) fn has(&self, from: u64) -> bool {
        from >= self.first
    }

    /// From where to read the blocks of a number on; `None` when the first of them is gone.
    pub(super) fn cursor(&self, number: u64) -> Option<RingCursor> {
        let front = self.segments.front().filter(|_| self.has(number) && number <= self.next)?;
        let index = usize::try_from((number - front.first) / SEGMENT).ok()?;
        let segment = self.segments.get(index).or_else(|| self.segments.back())?;
        Some(RingCursor { segment: Arc::clone(segment), next: number })
    }
}

#[cfg(test)]
mod tests {
    use arb_feed::fixtures::close;

    use super::*;

    /// Pushes the record at this place.
    fn push(ring: &mut Ring, partition: i32, offset: i64) {
        let mut after = ring.head().clone();
        after.pass(partition, offset, None);
        ring.push(Block::new(&close("a", offset), (partition, offset, None), &[0; 16], &after));
    }

    fn at(positions: &[i64]) -> Positions {
        Positions::new(positions.to_vec())
    }

    fn place(ring: &Ring, number: u64) -> Option<(i32, i64)> {
        ring.cursor(number)?.read().map(|block| (block.partition, block.offset))
    }

    #[test]
    fn the_oldest_go_and_the_tail_says_so() {
        let mut ring = Ring::new(2, at(&[5, 5]));
        // Markers took the offsets between.
        for (partition, offset) in [(0, 5), (1, 7), (0, 8)] {
            push(&mut ring, partition, offset);
        }
        assert_eq!((ring.next(), ring.head()), (3, &at(&[9, 8])));
        let places = [0, 1, 2, 3].map(|number| place(&ring, number));
        assert_eq!(places, [None, Some((1, 7)), Some((0, 8)), None]);
        assert_eq!([0, 1, 3].map(|number| ring.has(number)), [false, true, true]);
        assert_eq!(ring.join(&at(&[6, 5])), Some((1, at(&[6, 5]))));
        assert_eq!(ring.join(&at(&[9, 5])), Some((1, at(&[6, 5]))), "what it has it passes over");
        assert_eq!(ring.join(&at(&[5, 9])), None, "record 5 of partition 0 is gone");
        assert_eq!(ring.join(&at(&[6, 8])), Some((2, at(&[6, 8]))), "it begins with what it has not");
        assert_eq!(ring.join(&at(&[9, 8])), Some((3, at(&[9, 8]))), "or with what comes");
    }

    #[test]
    fn a_cursor_reads_on_from_segment_to_segment_and_keeps_what_it_reads() {
        let mut ring = Ring::new(10, at(&[0]));
        let mut cursor = ring.cursor(0).unwrap();
        assert!(cursor.read().is_none(), "nothing has come");
        let most = i64::try_from(SEGMENT).unwrap() * 3;
        (0..most).for_each(|offset| push(&mut ring, 0, offset));
        for offset in 0..most {
            assert_eq!(cursor.read().map(|block| block.offset), Some(offset));
            cursor.advance();
        }
        assert!(cursor.read().is_none() && ring.cursor(0).is_none());
        assert_eq!(
            (ring.segments.len(), ring.size().0),
            (1, 10),
            "segments that are read by nobody are freed"
        );
        push(&mut ring, 0, most);
        assert_eq!(cursor.read().map(|block| block.offset), Some(most));
        assert_eq!(cursor.number(), ring.next() - 1);
    }

    #[test]
    fn the_number_of_bytes_is_bounded_too() {
        let mut ring = Ring::new(usize::MAX, at(&[0]));
        let size = {
            push(&mut ring, 0, 0);
            ring.bytes
        };
        let fit = i64::try_from(MAX_BYTES / size).unwrap();
        (1..fit + 100).for_each(|offset| push(&mut ring, 0, offset));
        assert!(ring.bytes <= MAX_BYTES && ring.first > 0, "{}", ring.bytes);
    }
}
