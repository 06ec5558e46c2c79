//! Sharing work between threads, if the build has them.

#[cfg(feature = "threads")]
use super::pool;
use super::progress;

/// The number of multiplications, about a microsecond's worth, below which sharing work with another thread costs more
/// than it saves.
pub const WORTH_SHARING: usize = 1 << 15;

/// Calls `work` with every number below `count`, in any order; on all threads, if the total of `multiplications` is
/// large enough to be worth sharing.
#[cfg(feature = "threads")]
pub fn for_each(count: usize, multiplications: usize, work: impl Fn(usize) + Sync) {
    if count > 1 && multiplications >= 2 * WORTH_SHARING && pool::threads() > 1 {
        pool::for_each(count, &work);
    } else {
        (0..count).for_each(&work);
    }
    progress::count(multiplications);
}

/// Calls `work` with every number below `count`.
#[cfg(not(feature = "threads"))]
pub fn for_each(count: usize, multiplications: usize, work: impl Fn(usize)) {
    (0..count).for_each(&work);
    progress::count(multiplications);
}

/// Returns the number of threads that share work.
pub fn threads() -> usize {
    #[cfg(feature = "threads")]
    return pool::threads();
    #[cfg(not(feature = "threads"))]
    1
}

/// A slice whose disjoint parts several threads write at once.
pub struct Shared<'a> {
    pointer: *mut f32,
    length: usize,
    lifetime: std::marker::PhantomData<&'a mut [f32]>,
}

// SAFETY: it only hands out parts that its users promise not to overlap.
#[allow(unsafe_code)]
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    /// Takes the slice for as long as it is shared.
    pub fn new(values: &'a mut [f32]) -> Self {
        Self {
            pointer: values.as_mut_ptr(),
            length: values.len(),
            lifetime: std::marker::PhantomData,
        }
    }

    /// Returns the `length` values from `start`.
    ///
    /// # Safety
    /// No two parts that live at the same time may overlap.
    #[allow(unsafe_code, clippy::mut_from_ref)]
    #[inline(always)]
    pub unsafe fn part(&self, start: usize, length: usize) -> &mut [f32] {
        assert!(start + length <= self.length);
        // SAFETY: in bounds by the assertion, alone by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.add(start), length) }
    }
}
