//! What the head of an origin's answer says of a file that may still grow.

use http::response::Parts;
use http::{StatusCode, header};

use super::answer::{number, quoted, text, uncompressed};
use super::failure::Failure;

#[derive(Debug, PartialEq, Eq)]
pub enum Grown {
    /// The body has the bytes from those on that were asked for, at most `most`. `streams`: it may go on until the file is
    /// whole; else it has what was there.
    More { most: u64, streams: bool },
    /// There is nothing new.
    Nothing,
}

/// What the answer to a request for all bytes from `from` on says.
pub fn interpret(head: &Parts, from: u64) -> Result<Grown, Failure> {
    let field = |name| text(&head.headers, &name);
    match head.status {
        StatusCode::PARTIAL_CONTENT => {
            uncompressed(&head.headers)?;
            let value = field(header::CONTENT_RANGE).unwrap_or_default();
            let bad = || Failure::Bad(format!("the origin sent a wrong content-range: {}", quoted(value)));
            let (range, size) = value.strip_prefix("bytes ").and_then(|it| it.split_once('/')).ok_or_else(bad)?;
            let (first, last) = range.split_once('-').ok_or_else(bad)?;
            let (first, last, streams) = (number(first)?, number(last)?, size == "*");
            if first != from || last < first || (!streams && number(size)? <= last) {
                return Err(bad());
            }
            Ok(Grown::More { most: last + 1 - first, streams })
        }
        StatusCode::OK if from == 0 => {
            uncompressed(&head.headers)?;
            let length = field(header::CONTENT_LENGTH).map(number).transpose()?;
            Ok(Grown::More { most: length.unwrap_or(u64::MAX), streams: length.is_none() })
        }
        StatusCode::OK => Err(Failure::Bad("the origin sends no parts of a file that grows".to_owned())),
        StatusCode::NOT_MODIFIED | StatusCode::RANGE_NOT_SATISFIABLE => Ok(Grown::Nothing),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(Failure::NotFound),
        status if status.is_server_error() => Err(Failure::Broken(format!("the origin answered {}", status.as_u16()))),
        status => Err(Failure::Bad(format!("the origin answered {}", status.as_u16()))),
    }
}

#[cfg(test)]
mod tests {
    use http::Response;

    use super::*;

    fn answer(status: u16, fields: &[(&str, &str)], from: u64) -> Result<Grown, Failure> {
        let builder =
            fields.iter().fold(Response::builder().status(status), |it, (name, value)| it.header(*name, *value));
        interpret(&builder.body(()).unwrap().into_parts().0, from)
    }

    #[test]
    fn an_answer_has_what_is_there_or_goes_on() {
        let part = |value: &str| answer(206, &[("content-range", value)], 100);
        assert_eq!(part("bytes 100-149/150"), Ok(Grown::More { most: 50, streams: false }));
        assert_eq!(part("bytes 100-999/*"), Ok(Grown::More { most: 900, streams: true }));
        for wrong in ["bytes 0-149/150", "bytes 100-150/150", "bytes 100-99/*", "bytes 100-x/*", "bytes */150", ""] {
            assert!(matches!(part(wrong), Err(Failure::Bad(_))), "{wrong}");
        }
        assert_eq!(answer(200, &[("content-length", "7")], 0), Ok(Grown::More { most: 7, streams: false }));
        assert_eq!(answer(200, &[], 0), Ok(Grown::More { most: u64::MAX, streams: true }));
        assert!(matches!(answer(200, &[], 1), Err(Failure::Bad(_))), "bytes would come twice");
        assert!(matches!(answer(200, &[("content-encoding", "gzip")], 0), Err(Failure::Bad(_))));
        assert_eq!([304, 416].map(|status| answer(status, &[], 100)), [Ok(Grown::Nothing), Ok(Grown::Nothing)]);
        assert!(matches!(answer(503, &[], 100), Err(Failure::Broken(_))));
        assert!(matches!(answer(302, &[], 100), Err(Failure::Bad(_))));
    }
}
