//! Ports of the tests: each is given once, and stays this process's own for as long as it lives.
//!
//! A process takes blocks of ports, each by listening at the block's first port until it ends. The system lets no other process do that, of
//! whatever clone of the repository and of whichever user, and gives a block back when its process ends, however it ends. So a port is still
//! free when a server that takes seconds to start comes to listen there, and when it is started again after a kill.

use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Below the range from which the system takes ports of outgoing connections, and below those of the benchmarks.
const ALL: Range<u16> = 10_000..21_000;
/// Ports of a block, with the first one.
const BLOCK: u16 = 50;

/// A block that this process has.
struct Block {
    /// Whoever listens at the first port has the block.
    _owner: TcpListener,
    /// What was not given yet.
    left: Range<u16>,
}

static BLOCKS: Mutex<Vec<Block>> = Mutex::new(Vec::new());

/// A port.
pub(crate) fn port() -> u16 {
    consecutive(1)
}

/// A port whose successor is the caller's too, for a broker and its controller.
pub(crate) fn port_pair() -> u16 {
    consecutive(2)
}

fn consecutive(count: u16) -> u16 {
    let mut blocks = BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(first) = blocks.last_mut().and_then(|block| block.next(count)) {
            return first;
        }
        blocks.push(Block::take());
    }
}

impl Block {
    /// The next one from a place of this process's on, so that ports of a process that has just ended are not taken first.
    fn take() -> Self {
        let count = u32::from(ALL.end - ALL.start) / u32::from(BLOCK);
        let place = |number: u32| u16::try_from((std::process::id() + number) % count).unwrap();
        let mut starts = (0..count).map(|number| ALL.start + place(number) * BLOCK);
        let block =
            starts.find_map(|first| Some(Self { _owner: listen(first)?, left: first + 1..first + BLOCK }));
        block.expect("a block of ports that no other process has")
    }

    /// Without those at which something else of this machine listens.
    fn next(&mut self, count: u16) -> Option<u16> {
        while self.left.len() >= usize::from(count) {
            let first = self.left.start;
            self.left.start += count;
            if (first..first + count).all(|port| listen(port).is_some()) {
                return Some(first);
            }
        }
        None
    }
}

fn listen(port: u16) -> Option<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()
}

#[test]
fn no_block_is_taken_twice_and_no_port_is_given_twice() {
    // What takes a block does not know which ones this process has: for the system all processes are alike.
    let (mut one, mut other) = (Block::take(), Block::take());
    let both = [one.left.clone(), other.left.clone()];
    assert!(both[0].end <= both[1].start || both[1].end <= both[0].start, "{both:?}");
    assert!(both.iter().all(|ports| listen(ports.start - 1).is_none()), "{both:?}");
    let given: std::collections::BTreeSet<_> = std::iter::from_fn(|| one.next(2)).collect();
    assert!(given.iter().all(|port| !given.contains(&(port + 1))), "{given:?}");
    // Something else listens in the middle of a pair.
    let strange = listen(other.left.start + 1).unwrap();
    assert!(other.next(2).unwrap() > strange.local_addr().unwrap().port());
}
