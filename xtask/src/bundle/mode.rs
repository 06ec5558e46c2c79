//! Modes of a build: for whom it is, and so how long it may take.

use super::compress::Effort;

/// The purpose of a build, which decides how much work goes into small files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A page that compiles in seconds, for working on it. All else is as in [`Mode::Local`]: engines change rarely and are
    /// unusably slow when they are not optimised.
    Dev,
    /// Soon there: neither shrunk nor compressed, since on this machine nothing is downloaded, and without the optimisation
    /// of whole modules where a visitor waits.
    Local,
    /// For the journeys: compiled as in [`Mode::Local`], in half the time of what is published, and linted: a warning is an
    /// error. Compressed in a hurry, since only tests download it.
    Tested,
    /// As it is published.
    Release,
}

impl Mode {
    /// True if modules are shrunk.
    pub fn is_shrunk(self) -> bool {
        self == Self::Release
    }

    /// The effort of compression, if files are compressed.
    pub fn effort(self) -> Option<Effort> {
        match self {
            Self::Dev | Self::Local => None,
            Self::Release => Some(Effort::Most),
            Self::Tested => Some(Effort::Little),
        }
    }
}
