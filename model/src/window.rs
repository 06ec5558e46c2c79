//! Windows of attention: a query sees the keys near its own alone.

/// The keys after a query's own, beside a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Later {
    /// None of them is seen.
    Hidden,
    /// As many are seen as in the window before.
    InWindow,
    /// All of them are seen.
    Seen,
}
