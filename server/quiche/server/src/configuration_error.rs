//! Why the server does not start.

/// A reason that lies in the options, as one line for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigurationError(pub String);
