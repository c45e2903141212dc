//! Why there is no answer of the origin's that could be used.

use std::io;

use voxel_protocol::error::{HttpError, Status};

use crate::files::OpenError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("no such file")]
    NotFound,
    /// The path is that of a folder, without its final slash.
    #[error("a folder")]
    Folder,
    /// Another state of the file than the one that was to be completed.
    #[error("the file has changed at the origin")]
    Changed,
    /// The connection failed, before or in the middle of an answer: it may be tried again.
    #[error("{0}")]
    Broken(String),
    #[error("{0}")]
    Bad(String),
}

impl Failure {
    /// Whether the origin says nothing of the file, so that an answer from before may do.
    pub fn is_of_the_origin(&self) -> bool {
        matches!(self, Self::Broken(_) | Self::Bad(_))
    }
}

impl From<Failure> for HttpError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotFound | Failure::Folder => Self::not_found(),
            Failure::Changed | Failure::Broken(_) | Failure::Bad(_) => {
                Self::new(Status::BadGateway, failure.to_string())
            }
        }
    }
}

impl Failure {
    /// `path`: of the request.
    pub fn into_open_error(self, path: &str) -> OpenError {
        match self {
            Self::Folder => OpenError::Redirect(format!("{path}/")),
            failure => OpenError::Http(failure.into()),
        }
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        Self::other(failure.to_string())
    }
}
