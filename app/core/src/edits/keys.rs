//! The letters that change what a head does, where the focus is on a head or on a locked cell. None of them is a key of
//! the page, so that a letter means one thing wherever it is pressed.

/// Switches a head off, and on again.
pub const SWITCH_KEY: &str = "x";
/// Gives all of the query's weight to the locked cell's key.
pub const PIN_KEY: &str = "a";
/// Gives the locked cell's key none of the query's weight.
pub const FORBID_KEY: &str = "f";
