//! What all measurements share: a watch for wall and CPU time, memory, and the middle of numbers.
//!
//! It measures this process only: another process measures itself (`actor`).

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Wall time and this process's CPU time, all threads, librdkafka's too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    wall: Instant,
    cpu: Duration,
}

impl Watch {
    pub(crate) fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu() }
    }

    /// What has passed of both.
    pub(crate) fn elapsed(&self) -> (Duration, Duration) {
        (self.wall.elapsed(), cpu().saturating_sub(self.cpu))
    }
}

/// What this process has spent of it, user and system, all threads.
pub(crate) fn cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// Bytes that this process holds from its allocator; what the caches of its threads hold counts too.
///
/// # Errors
/// Where the allocator is another one.
pub(crate) fn allocated() -> anyhow::Result<usize> {
    let heap = arb_heap::bytes().ok_or_else(|| anyhow::anyhow!("jemalloc keeps no statistics"))?;
    Ok(usize::try_from(heap.allocated)?)
}

/// The value below which so many of a hundred lie; zero of none.
pub(crate) fn percentile<T: Copy + Ord + Default>(values: &mut [T], percent: usize) -> T {
    values.sort_unstable();
    let index = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(index).copied().unwrap_or_default()
}

/// The middle of numbers.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_medians() {
        let mut values: Vec<u32> = (0..100).rev().collect();
        assert_eq!((percentile(&mut values, 50), percentile(&mut values, 99)), (50, 99));
        assert_eq!(percentile::<u32>(&mut [], 50), 0);
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn cpu_time_passes_with_work() {
        let watch = Watch::start();
        while watch.elapsed().1.is_zero() {
            std::hint::black_box(0);
        }
    }
}
