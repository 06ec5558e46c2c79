use thiserror::Error;

/// An error in drawing a plot.
#[derive(Debug, Error)]
pub enum PlotError {
    /// An axis has no extent.
    #[error("the axis `{label}` runs from {from} to {to}, which is no extent")]
    EmptyAxis {
        /// The label of the axis.
        label: String,
        /// The value at the start of the axis.
        from: f64,
        /// The value at the end of the axis.
        to: f64,
    },
    /// An error returned by plotters.
    #[error("the plot could not be drawn: {0}")]
    Drawing(String),
}

/// Wraps an error of plotters.
pub(super) fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}
