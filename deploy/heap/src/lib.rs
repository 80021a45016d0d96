//! What jemalloc reports of its memory: two numbers of its statistics.
//!
//! It calls C and converts the result. It never allocates by itself, and never sets anything of the allocator but the moment of its
//! statistics.
//!
//! Source: jemalloc(3), `mallctl`, `epoch`, `stats.allocated` and `stats.resident`.
#![expect(unsafe_code, reason = "jemalloc is a C library; each call states why it is sound")]

use std::ffi::CStr;
use std::mem::size_of;
use std::ptr;

use tikv_jemalloc_sys::mallctl;

/// Bytes of the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapBytes {
    /// That the program holds.
    pub allocated: u64,
    /// That the allocator holds in memory.
    pub resident: u64,
}

/// The present numbers; `None` where jemalloc keeps no statistics.
#[must_use]
pub fn bytes() -> Option<HeapBytes> {
    advance_epoch()?;
    Some(HeapBytes { allocated: number(c"stats.allocated")?, resident: number(c"stats.resident")? })
}

/// Has jemalloc compute its statistics anew.
fn advance_epoch() -> Option<()> {
    let mut epoch = 1_u64;
    let value = (&raw mut epoch).cast();
    // SAFETY: the name ends with a zero; `epoch` is a u64, which the new value points to, of its size; nothing is read.
    let code =
        unsafe { mallctl(c"epoch".as_ptr(), ptr::null_mut(), ptr::null_mut(), value, size_of::<u64>()) };
    (code == 0).then_some(())
}

/// A statistic of the type `size_t`.
fn number(name: &CStr) -> Option<u64> {
    let (mut value, mut size) = (0_usize, size_of::<usize>());
    let into = (&raw mut value).cast();
    // SAFETY: the name ends with a zero; the statistics of this crate are of the type `size_t`, for which `value` has room as `size`
    // says; nothing is written to jemalloc.
    let code = unsafe { mallctl(name.as_ptr(), into, &raw mut size, ptr::null_mut(), 0) };
    (code == 0 && size == size_of::<usize>()).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

    #[test]
    fn what_is_held_is_counted() {
        let before = bytes().unwrap();
        let held = vec![1_u8; 32 << 20];
        let after = bytes().unwrap();
        assert!(after.allocated >= before.allocated + held.len() as u64, "{before:?} {after:?}");
        assert!(after.resident >= after.allocated);
        assert_eq!(number(c"stats.none"), None);
    }
}
