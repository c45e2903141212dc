//! What the head of an origin's answer says, checked against what was asked for.

use http::response::Parts;
use http::{HeaderMap, HeaderName, StatusCode, header};
use voxel_protocol::ranges::ByteRange;

use super::address::is_of_folder;
use super::failure::Failure;

/// Positions up to here can be added and multiplied without care; no file is as long.
const MAX_SIZE: u64 = 1 << 53;

/// Characters of a field's value that a message shows.
const MOST_QUOTED: usize = 60;

#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The bytes that were asked for, as far as the file has them, and the size of the file.
    Part { range: ByteRange, size: u64 },
    /// The whole file, though a range was asked for. `None`: it ends where the answer does.
    Whole { size: Option<u64> },
    /// The file is as it was.
    NotModified,
    /// There is nothing of what was asked for.
    OutOfRange,
}

/// What a head says. `asked`: its end may lie beyond that of the file.
pub fn interpret(head: &Parts, asked: ByteRange, url: &str) -> Result<Answer, Failure> {
    let field = |name: HeaderName| text(&head.headers, &name);
    match head.status {
        StatusCode::PARTIAL_CONTENT => {
            uncompressed(&head.headers)?;
            part(field(header::CONTENT_RANGE), field(header::CONTENT_LENGTH), asked)
        }
        StatusCode::OK => {
            uncompressed(&head.headers)?;
            let size = field(header::CONTENT_LENGTH).map(number).transpose()?;
            Ok(Answer::Whole { size })
        }
        StatusCode::NOT_MODIFIED => Ok(Answer::NotModified),
        StatusCode::RANGE_NOT_SATISFIABLE => Ok(Answer::OutOfRange),
        StatusCode::PRECONDITION_FAILED => Err(Failure::Changed),
        // Object stores answer 403 for what is not there, unless the asker may list it.
        StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::FORBIDDEN => Err(Failure::NotFound),
        status if status.is_redirection() => match field(header::LOCATION) {
            Some(location) if is_of_folder(url, location) => Err(Failure::Folder),
            _ => Err(Failure::Refused("the origin redirects elsewhere, which is not followed".to_owned())),
        },
        status => {
            let message = format!("the origin answered {}", status.as_u16());
            Err(match status.as_u16() {
                400..500 => Failure::Refused(message),
                500..600 => Failure::Down(message),
                _ => Failure::Bad(message),
            })
        }
    }
}

/// The value of a field that is well-formed text.
pub fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Refuses what is not the file's own bytes: what is coded on any line, as content or on the way.
pub fn uncompressed(headers: &HeaderMap) -> Result<(), Failure> {
    let only = |name: HeaderName, plain: &str| {
        let lines = headers.get_all(name).into_iter();
        let mut codings = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
        codings.all(|coding| coding.is_empty() || coding.eq_ignore_ascii_case(plain.as_bytes()))
    };
    if only(header::CONTENT_ENCODING, "identity") && only(header::TRANSFER_ENCODING, "chunked") {
        return Ok(());
    }
    Err(Failure::Bad("the origin compresses, though it was asked not to".to_owned()))
}

fn part(content_range: Option<&str>, length: Option<&str>, asked: ByteRange) -> Result<Answer, Failure> {
    let Some(content_range) = content_range else {
        return Err(Failure::Bad("the origin sent a part without content-range".to_owned()));
    };
    let bad = || Failure::Bad(format!("the origin sent a wrong content-range: {}", quoted(content_range)));
    let (range, size) = content_range.strip_prefix("bytes ").and_then(|it| it.split_once('/')).ok_or_else(bad)?;
    if size == "*" {
        return Err(Failure::Growing);
    }
    let (first, last) = range.split_once('-').ok_or_else(bad)?;
    let (first, last, size) = (number(first)?, number(last)?, number(size)?);
    let range = ByteRange { start: first, end: last + 1 };
    if first > last || range.start != asked.start || range.end != asked.end.min(size) {
        return Err(bad());
    }
    match length.map(number).transpose()? {
        Some(length) if length != range.len() => Err(Failure::Bad(format!(
            "the origin announced {length} bytes for a content-range of {} bytes",
            range.len()
        ))),
        _ => Ok(Answer::Part { range, size }),
    }
}

/// A number of bytes.
pub fn number(digits: &str) -> Result<u64, Failure> {
    let number = digits.bytes().all(|it| it.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    number
        .filter(|number| *number < MAX_SIZE)
        .ok_or_else(|| Failure::Bad(format!("the origin sent a wrong length: {}", quoted(digits))))
}

/// What the origin sent, for a message of one line: clients get no more of it.
pub fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(MOST_QUOTED).map(|it| if it.is_control() { ' ' } else { it }).collect();
    let rest = if text.chars().nth(MOST_QUOTED).is_some() { "…" } else { "" };
    format!("'{shown}{rest}'")
}

#[cfg(test)]
mod tests {
    use http::Response;

    use super::*;

    fn answer(status: u16, fields: &[(&str, &str)]) -> Result<Answer, Failure> {
        let builder =
            fields.iter().fold(Response::builder().status(status), |it, (name, value)| it.header(*name, *value));
        let (head, ()) = builder.body(()).unwrap().into_parts();
        interpret(&head, ByteRange { start: 100, end: 200 }, "http://a/films/x")
    }

    #[test]
    fn a_part_is_what_was_asked_for_or_wrong() {
        let part = |content_range: &str| answer(206, &[("content-range", content_range)]);
        let range = |start, end| ByteRange { start, end };
        assert_eq!(part("bytes 100-199/1000"), Ok(Answer::Part { range: range(100, 200), size: 1000 }));
        assert_eq!(part("bytes 100-149/150"), Ok(Answer::Part { range: range(100, 150), size: 150 }));
        for wrong in [
            "bytes 0-99/1000",
            "bytes 100-198/1000",
            "bytes 100-200/1000",
            "bytes 100-199/150",
            "bytes 199-100/1000",
            "bytes 100-199",
            "bytes 100-199/99999999999999999999",
            "bytes -/1",
            "items 100-199/1000",
            "",
        ] {
            assert!(matches!(part(wrong), Err(Failure::Bad(_))), "{wrong}");
        }
        assert_eq!(part("bytes 100-199/*"), Err(Failure::Growing));
        assert!(answer(206, &[]).is_err(), "several ranges, or none");
        for (wrong, reason) in [
            ("bytes 0-99/1000".to_owned(), "a wrong content-range: 'bytes 0-99/1000'".to_owned()),
            ("x".repeat(10_000), format!("a wrong content-range: '{}…'", "x".repeat(60))),
            (format!("bytes 100-199/{}", "9".repeat(10_000)), format!("a wrong length: '{}…'", "9".repeat(60))),
            ("bytes\t1".to_owned(), "a wrong content-range: 'bytes 1'".to_owned()),
        ] {
            assert_eq!(part(&wrong).unwrap_err().to_string(), format!("the origin sent {reason}"));
        }
        let both = |length| answer(206, &[("content-range", "bytes 100-199/1000"), ("content-length", length)]);
        assert!(both("100").is_ok() && both("99").is_err() && both("x").is_err());
    }

    #[test]
    fn other_statuses() {
        assert_eq!(answer(200, &[]), Ok(Answer::Whole { size: None }));
        assert_eq!(answer(200, &[("content-length", "7")]), Ok(Answer::Whole { size: Some(7) }));
        assert!(answer(200, &[("content-length", "18446744073709551615")]).is_err());
        assert!(answer(200, &[("content-encoding", "gzip")]).is_err());
        assert_eq!(answer(304, &[]), Ok(Answer::NotModified));
        assert_eq!(answer(416, &[]), Ok(Answer::OutOfRange));
        assert_eq!(answer(412, &[]), Err(Failure::Changed));
        assert_eq!(answer(404, &[]), Err(Failure::NotFound));
        assert_eq!(answer(301, &[("location", "http://b/films/x/")]), Err(Failure::Folder));
        assert!(matches!(answer(302, &[("location", "http://169.254.169.254/")]), Err(Failure::Refused(_))));
        for refused in [301, 302, 400, 401, 407, 429, 451] {
            assert!(matches!(answer(refused, &[]), Err(Failure::Refused(_))), "{refused}");
        }
        assert_eq!(answer(503, &[]), Err(Failure::Down("the origin answered 503".to_owned())));
        assert_eq!(answer(299, &[]), Err(Failure::Bad("the origin answered 299".to_owned())));
    }
}
