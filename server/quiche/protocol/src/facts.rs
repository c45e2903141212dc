//! What responses say of a file.

use std::time::{Duration, SystemTime};

/// Properties of a file that its responses contain.
#[derive(Clone, Debug)]
pub struct FileFacts {
    pub size: u64,
    pub modified: SystemTime,
    /// A strong validator from elsewhere; `None`: the one of time and size.
    pub validator: Option<String>,
    pub content_type: &'static str,
    /// Whether more bytes will come: `size` is then that of the complete chunks.
    pub grows: bool,
}

impl FileFacts {
    /// A strong validator (RFC 9110 section 8.8.3), by default from the file's time and size; "" of a file that grows.
    pub fn etag(&self) -> String {
        if self.grows {
            return String::new();
        }
        if let Some(validator) = &self.validator {
            return validator.clone();
        }
        let age = self.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        format!("\"{:x}-{:x}\"", age.as_nanos(), self.size)
    }
}
