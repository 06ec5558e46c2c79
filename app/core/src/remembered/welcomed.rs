//! The record that the visitor has dismissed the welcome of the first visit.

use super::storage::{read, write};

const WELCOMED: &str = "attention-scope.welcomed";

/// True if the visitor has dismissed the welcome.
pub fn is_welcomed() -> bool {
    read(WELCOMED).is_some()
}

/// Records that the welcome was dismissed.
pub fn keep_welcomed() {
    write(WELCOMED, "1");
}
