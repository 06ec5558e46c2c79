//! Source of a figure's numbers, which several chapters let the visitor choose.

use attention_core::state::AddressValue;

/// A source of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataSource {
    /// The lecture.
    #[default]
    Lecture,
    /// The head and the sentence on screen.
    Head,
}

impl AddressValue for DataSource {
    const VALUES: &'static [(Self, &'static str)] =
        &[(DataSource::Lecture, "lecture"), (DataSource::Head, "head")];
}
