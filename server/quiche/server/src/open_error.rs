//! Why a file was not opened.

use voxel_protocol::error::HttpError;

#[derive(Debug)]
pub enum OpenError {
    Http(HttpError),
    /// The path of a folder without its final slash; the path with the slash.
    Redirect(String),
    /// The file has changed since it was found, and may be opened anew; the answer if that does not help.
    Changed(HttpError),
}

impl From<HttpError> for OpenError {
    fn from(error: HttpError) -> Self {
        Self::Http(error)
    }
}

impl From<OpenError> for HttpError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Http(error) | OpenError::Changed(error) => error,
            OpenError::Redirect(_) => Self::not_found(),
        }
    }
}
