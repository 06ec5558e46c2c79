//! Limit on the rate of changes to the address.

/// A limiter that lets changes through as they come, and slows them down if they come too fast for a browser: the
/// strictest browser allows a hundred changes in ten seconds.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The number of changes that may come at once.
    credit: f64,
    /// The time of the last request, in milliseconds.
    asked_ms: f64,
}

impl Pace {
    /// The largest number of changes that may follow each other at any speed.
    const MOST: f64 = 20.0;
    /// The milliseconds after which one more change is allowed.
    pub const REST_MS: u32 = 125;

    /// Creates a limiter before the first change.
    pub fn new(now_ms: f64) -> Self {
        Pace {
            credit: Self::MOST,
            asked_ms: now_ms,
        }
    }

    /// True if a change is allowed now; counts that change.
    pub fn allows(&mut self, now_ms: f64) -> bool {
        // A clock may be set back.
        let rested = (now_ms - self.asked_ms).max(0.0) / f64::from(Self::REST_MS);
        self.credit = (self.credit + rested).min(Self::MOST);
        self.asked_ms = now_ms;
        let allowed = self.credit >= 1.0;
        if allowed {
            self.credit -= 1.0;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_passes_at_once() {
        let mut pace = Pace::new(0.0);
        // Ten letters, every tenth of a second one, then a word's pause.
        let letters = (0..200).map(|letter| 100.0 * f64::from(letter + 4 * (letter / 10)));
        assert!(letters.into_iter().all(|at_ms| pace.allows(at_ms)));
    }

    #[test]
    fn no_browser_refuses_what_passes() {
        let mut pace = Pace::new(0.0);
        let allowed: Vec<f64> = (0..30_000)
            .map(f64::from)
            .filter(|&at_ms| pace.allows(at_ms))
            .collect();
        for first in &allowed {
            let within = |at_ms: &&f64| (*first..first + 10_000.0).contains(*at_ms);
            assert!(allowed.iter().filter(within).count() <= 100);
        }
        assert!(allowed.len() > 250);
    }
}
