//! The last events of the feed, in memory, shared by all clients.
//!
//! Pure. Bounded in number and bytes: the oldest events are dropped, whether or not clients still need them.
//! It never waits for a client.

use std::collections::VecDeque;
use std::sync::Arc;

use super::event::Block;
use super::position::Positions;

/// Most bytes of what is kept.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The last events.
#[derive(Debug)]
pub(super) struct Ring {
    blocks: VecDeque<Arc<Block>>,
    bytes: usize,
    max_blocks: usize,
    /// The number of the first block, counted from the start of this process.
    first: u64,
    /// Before the first block.
    tail: Positions,
    /// After the last.
    head: Positions,
}

impl Ring {
    /// An empty ring of at most so many events, whose feed begins here.
    pub(super) fn new(max_blocks: usize, start: Positions) -> Self {
        let blocks = VecDeque::new();
        Self { blocks, bytes: 0, max_blocks, first: 0, tail: start.clone(), head: start }
    }

    /// Adds the next event; the oldest go where it is full.
    pub(super) fn push(&mut self, block: Block) {
        self.head.pass(block.partition, block.offset, block.mark);
        self.bytes += block.size();
        self.blocks.push_back(Arc::new(block));
        while self.blocks.len() > self.max_blocks || self.bytes > MAX_BYTES {
            let Some(oldest) = self.blocks.pop_front() else { break };
            self.bytes -= oldest.size();
            self.first += 1;
            self.tail.pass(oldest.partition, oldest.offset, oldest.mark);
        }
    }

    /// The number of the next block to come.
    pub(super) fn next(&self) -> u64 {
        self.first + self.blocks.len() as u64
    }

    /// Events, and their bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.blocks.len(), self.bytes)
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
        let (mut number, mut reader) = (self.first, self.tail.clone());
        for block in self.blocks.iter().take_while(|block| !at.is_before(block.partition, block.offset)) {
            number += 1;
            reader.pass(block.partition, block.offset, block.mark);
        }
        Some((number, reader))
    }

    /// Whether a reader can go on from a number: nothing after it is gone.
    pub(super) fn has(&self, from: u64) -> bool {
        from >= self.first
    }

    /// The block of a number; `None` when it is gone, or not there yet.
    pub(super) fn block(&self, number: u64) -> Option<Arc<Block>> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.blocks.get(index).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::close;
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
        ring.block(number).map(|block| (block.partition, block.offset))
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
