//! Pointers of librdkafka that must be destroyed, each with the function that destroys it.
//!
//! It must never destroy a pointer that librdkafka lends.

use std::ptr::NonNull;

/// A pointer that this process owns.
pub(crate) struct Handle<T> {
    pointer: NonNull<T>,
    destroy: unsafe extern "C" fn(*mut T),
}

impl<T> Handle<T> {
    /// Takes ownership of what a function of librdkafka returned; `None` for null.
    ///
    /// # Safety
    /// The pointer is null, or it is owned by the caller and `destroy` is librdkafka's function that destroys it.
    pub(crate) unsafe fn new(pointer: *mut T, destroy: unsafe extern "C" fn(*mut T)) -> Option<Self> {
        NonNull::new(pointer).map(|pointer| Self { pointer, destroy })
    }

    /// The pointer, for calls that do not take ownership.
    pub(crate) fn get(&self) -> *mut T {
        self.pointer.as_ptr()
    }
}

// SAFETY: librdkafka's objects belong to no thread, and a handle only gives their address away.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Handle<T> {}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: `new` requires that the pointer is owned and that this function destroys it; it runs once.
        unsafe { (self.destroy)(self.get()) }
    }
}
