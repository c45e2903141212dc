//! Why there is no answer of the origin's that could be used.

use std::io;

use voxel_protocol::error::{HttpError, Status};

use crate::open_error::OpenError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("no such file")]
    NotFound,
    /// The path is that of a folder, without its final slash.
    #[error("a folder")]
    Folder,
    /// The file is in another state than the one that was to be completed.
    #[error("the file has changed at the origin")]
    Changed,
    /// The origin does not give the file: it is not to be served any longer.
    #[error("{0}")]
    Refused(String),
    /// The connection failed, before or in the middle of an answer: it may be tried again.
    #[error("{0}")]
    Broken(String),
    /// The origin could not be asked, or cannot answer.
    #[error("{0}")]
    Down(String),
    /// The client wants too much at a time.
    #[error("{0}")]
    Busy(String),
    /// A part of a file whose end is not known.
    #[error("the origin does not say how long the file is: it may be still growing")]
    Growing,
    /// An answer that cannot be right.
    #[error("{0}")]
    Bad(String),
}

impl Failure {
    /// Whether the origin says nothing of the file, so that an answer from before may do.
    pub fn is_silence(&self) -> bool {
        matches!(self, Self::Broken(_) | Self::Down(_))
    }

    /// Whether what was known of the file holds no longer.
    pub fn withdraws(&self) -> bool {
        matches!(self, Self::NotFound | Self::Folder | Self::Refused(_))
    }

    /// What it means for a request for `path`.
    pub fn into_open_error(self, path: &str) -> OpenError {
        let bad_gateway = || HttpError::new(Status::BadGateway, self.to_string());
        match self {
            Self::NotFound => OpenError::Http(HttpError::not_found()),
            Self::Folder => OpenError::Redirect(format!("{path}/")),
            Self::Busy(reason) => OpenError::Http(HttpError::new(Status::TooManyRequests, reason)),
            Self::Changed => OpenError::Changed(bad_gateway()),
            Self::Refused(_) | Self::Broken(_) | Self::Down(_) | Self::Growing | Self::Bad(_) => {
                OpenError::Http(bad_gateway())
            }
        }
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        Self::other(failure.to_string())
    }
}
