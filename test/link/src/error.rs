use std::{fmt, io};

/// Why a link cannot be set up or go on. Every message is one line for a person.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The command line, the link file or a trace is wrong.
    Input(String),
    /// The system refused what the link needs.
    System {
        /// What was tried: "cannot …".
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

/// Names what was tried when the system says no.
pub trait Context<T> {
    fn context(self, action: impl Into<String>) -> Result<T>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, action: impl Into<String>) -> Result<T> {
        self.map_err(|source| Error::System { action: action.into(), source })
    }
}
