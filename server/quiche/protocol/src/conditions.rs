//! Conditional requests (RFC 9110 section 13).

use std::time::SystemTime;

use crate::error::{HttpError, Status};
use crate::facts::FileFacts;
use crate::head::Headers;

/// Refuses with 412 a file that is not in a state that the header `if-match` names.
pub fn check_unchanged(if_match: Option<&str>, etag: &str) -> Result<(), HttpError> {
    let matches = |tags: &str| tags.trim() == "*" || listed(tags).any(|tag| tag == etag);
    if if_match.is_none_or(matches) { Ok(()) } else { Err(changed(etag)) }
}

/// Refuses with 412 a file that is not in a state that the client wants.
pub fn check(headers: &Headers, file: &FileFacts) -> Result<(), HttpError> {
    let if_match = headers.get("if-match");
    check_unchanged(if_match, &file.etag())?;
    let since = headers.get("if-unmodified-since").filter(|_| if_match.is_none());
    if since.is_some_and(|date| modified_after(file, date) == Some(true)) {
        return Err(changed(&file.etag()));
    }
    Ok(())
}

/// Whether the client has this state of the file: the answer is 304.
pub fn is_known(headers: &Headers, file: &FileFacts) -> bool {
    let etag = file.etag();
    match headers.get("if-none-match") {
        Some(tags) => tags.trim() == "*" || listed(tags).any(|tag| tag.strip_prefix("W/").unwrap_or(tag) == etag),
        None => headers.get("if-modified-since").is_some_and(|date| modified_after(file, date) == Some(false)),
    }
}

/// The items of a list; a validator of this server holds no comma.
fn listed(tags: &str) -> impl Iterator<Item = &str> {
    tags.split(',').map(str::trim)
}

/// Whether a file is younger than a date, in whole seconds, as dates have them; `None` for what is no date, which is
/// ignored.
fn modified_after(file: &FileFacts, date: &str) -> Option<bool> {
    let date = httpdate::parse_http_date(date).ok()?;
    let seconds = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |age| age.as_secs());
    Some(seconds(file.modified) > seconds(date))
}

fn changed(etag: &str) -> HttpError {
    let error = HttpError::new(Status::PreconditionFailed, "the file has changed");
    if etag.is_empty() { error } else { error.with_header("etag", etag) }
}
