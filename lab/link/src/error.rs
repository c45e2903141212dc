use std::{fmt, io};

/// Why a link cannot be set up or cannot continue. Every message is one line for the user.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The command line, the link file or a trace is wrong.
    Input(String),
    /// A system call failed.
    System {
        /// What failed: "cannot …".
        action: String,
        source: io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(message) => formatter.write_str(message),
            Self::System { action, source } => write!(formatter, "{action}: {source}"),
        }
    }
}

impl std::error::Error for Error {}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Adds what failed to an error of the system.
pub trait Context<T> {
    fn context(self, action: impl Into<String>) -> Result<T>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, action: impl Into<String>) -> Result<T> {
        self.map_err(|source| Error::System { action: action.into(), source })
    }
}
