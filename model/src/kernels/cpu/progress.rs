//! Signs of life from a pass, which blocks its thread until it ends.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Multiplications between two signs of life: some hundredths of a second's worth on a computer, a second's on a slow
/// telephone. Single tokens stay far below it, so that decoding is not slowed down.
const BETWEEN: u32 = 1 << 29;

static TELL: OnceLock<fn()> = OnceLock::new();
static MADE: Made = Made(AtomicU32::new(0));

/// Registers `tell`, which is called now and then while kernels compute; only the first call counts.
pub fn on_progress(tell: fn()) {
    TELL.get_or_init(|| tell);
}

/// Counts the multiplications of a loop that is done.
pub fn count(multiplications: usize) {
    if MADE.is_due(multiplications)
        && let Some(tell) = TELL.get()
    {
        tell();
    }
}

/// Multiplications since the last sign of life.
struct Made(AtomicU32);

impl Made {
    /// Adds to the count; returns true if a sign of life is due. Two threads at once may cause one too many or too few,
    /// which does no harm.
    fn is_due(&self, multiplications: usize) -> bool {
        let more = multiplications.min(BETWEEN as usize) as u32;
        let made = self.0.load(Ordering::Relaxed).saturating_add(more);
        let is_due = made >= BETWEEN;
        self.0
            .store(if is_due { 0 } else { made }, Ordering::Relaxed);
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_of_life_comes_with_the_work_and_not_with_the_calls() {
        let made = Made(AtomicU32::new(0));
        let due = |loops: usize, multiplications: usize| {
            (0..loops).filter(|_| made.is_due(multiplications)).count()
        };
        assert_eq!(due(1000, 1 << 16), 0);
        assert_eq!(due(8, 1 << 28), 4);
        assert_eq!(due(1, usize::MAX), 1);
    }
}
