use thiserror::Error;

/// Why a plot could not be drawn.
#[derive(Debug, Error)]
pub enum PlotError {
    /// An axis has no extent.
    #[error("the axis `{label}` runs from {from} to {to}, which is no extent")]
    EmptyAxis {
        /// Its label.
        label: String,
        /// Where it starts.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// plotters gave up.
    #[error("the plot could not be drawn: {0}")]
    Drawing(String),
}

/// An error of plotters.
pub(super) fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}
