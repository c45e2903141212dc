//! Who may read a file is asked of the site's own service: what is asked, and what its answer means (docs/PROTOCOL.md,
//! "Who may read").

use std::net::IpAddr;

use crate::error::{HttpError, Status};
use crate::head::Headers;
use crate::path;

/// Headers of clients that the question holds in any case.
const CREDENTIALS: [&str; 2] = ["authorization", "cookie"];

/// Headers that are the server's own to write, or are of one connection.
const RESERVED: [&str; 9] =
    ["connection", "content-length", "expect", "host", "origin", "range", "te", "transfer-encoding", "upgrade"];
const RESERVED_PREFIXES: [&str; 3] = ["x-original-", "x-forwarded-", "x-voxel-"];

/// A request for a file, as far as it says who asks.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub method: &'a str,
    /// Path and query as sent.
    pub target: &'a str,
    pub authority: &'a str,
    pub headers: &'a Headers,
    /// Origin of the page; of a session: of the page that opened it.
    pub origin: Option<&'a str>,
    /// Path and query of the session's URL; `None`: the request came over HTTP.
    pub session: Option<&'a str>,
    pub client: IpAddr,
}

/// The CONNECT request of a session, as far as it says who opened it.
#[derive(Debug)]
pub struct OpenedBy {
    /// Path and query of the session's URL.
    pub target: String,
    pub authority: String,
    /// Origin of the page.
    pub origin: Option<String>,
}

/// What the service is asked: all that its verdict may depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Header names and values, which are in ISO-8859-1 as in HTTP.
    pub fields: Vec<(String, String)>,
}

impl Question {
    /// The question about a request. `names`: further headers of clients that it holds. Refuses a path that no file can have.
    pub fn new(asked: &Asked<'_>, names: &[String]) -> Result<Self, HttpError> {
        let mut fields = vec![
            ("x-original-method".to_owned(), asked.method.to_owned()),
            ("x-original-uri".to_owned(), canonical(asked.target)?),
            ("x-forwarded-host".to_owned(), asked.authority.to_owned()),
            ("x-forwarded-for".to_owned(), asked.client.to_canonical().to_string()),
        ];
        let mut add = |name: &str, value: Option<&str>| {
            fields.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        };
        add("x-voxel-session", asked.session);
        add("origin", asked.origin);
        for name in CREDENTIALS.into_iter().chain(names.iter().map(String::as_str)) {
            add(name, asked.headers.get(name));
        }
        Ok(Self { fields })
    }

    /// The same bytes for the same question, and others for any other.
    pub fn bytes(&self) -> Vec<u8> {
        let texts = self.fields.iter().flat_map(|(name, value)| [name, value]);
        texts.flat_map(|text| [&text.len().to_be_bytes()[..], text.as_bytes()].concat()).collect()
    }
}

/// Path and query of a target: each file has one path, decoded once and encoded again, whatever a client has encoded. Without
/// CMCD, which is another with every request.
fn canonical(target: &str) -> Result<String, HttpError> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let segments = path::decode(path)?;
    let path: String = segments.iter().map(|segment| format!("/{}", path::percent_encoded(segment))).collect();
    let is_cmcd = |parameter: &&str| *parameter == "CMCD" || parameter.starts_with("CMCD=");
    let parameters: Vec<_> = query.split('&').filter(|it| !query.is_empty() && !is_cmcd(it)).collect();
    Ok(if parameters.is_empty() { path } else { format!("{path}?{}", parameters.join("&")) })
}

/// Whether clients may have a header of that name of which the service is told.
pub fn may_be_asked_about(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    !name.is_empty()
        && name.bytes().all(token)
        && !RESERVED.contains(&name)
        && !RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The service's answer, without its body.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    pub status: u16,
    pub cache_control: Option<&'a str>,
    /// How a client is to authenticate, after 401.
    pub www_authenticate: Option<&'a str>,
}

/// Seconds for which the client may read the file without being asked about again, at most `most`; else the refusal. `None`: the
/// answer is neither.
pub fn verdict(answer: &Answer<'_>, most: u64) -> Option<Result<u64, HttpError>> {
    match answer.status {
        200..300 => Some(Ok(answer.cache_control.and_then(seconds).map_or(most, |seconds| seconds.min(most)))),
        401 => {
            let refusal = HttpError::new(Status::Unauthorized, "not authorized");
            let how = answer.www_authenticate;
            Some(Err(how.into_iter().fold(refusal, |refusal, how| refusal.with_header("www-authenticate", how))))
        }
        403 => Some(Err(HttpError::new(Status::Forbidden, "not allowed to read this"))),
        _ => None,
    }
}

/// The refusal of a request of which nobody could say whether it is allowed.
pub fn unclear() -> HttpError {
    HttpError::new(Status::BadGateway, "whether this may be read cannot be found out now")
}

/// Seconds for which `cache-control` lets an answer be used; `None`: it does not say.
fn seconds(cache_control: &str) -> Option<u64> {
    let directives: Vec<_> = cache_control.split(',').map(|it| it.trim().to_ascii_lowercase()).collect();
    if directives.iter().any(|it| it == "no-store" || it == "no-cache") {
        return Some(0);
    }
    // One that cannot be read is of no time at all (RFC 9111 section 4.2.1).
    directives.iter().find_map(|it| it.strip_prefix("max-age=")).map(|number| number.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asked<'a>(target: &'a str, headers: &'a Headers) -> Asked<'a> {
        let client = "::ffff:192.0.2.1".parse().unwrap();
        Asked { method: "GET", target, authority: "a", headers, origin: None, session: None, client }
    }

    fn headers(fields: &[(&str, &str)]) -> Headers {
        let mut headers = Headers::default();
        for (name, value) in fields {
            headers.add(name, value.as_bytes());
        }
        headers
    }

    #[test]
    fn a_file_has_one_path_and_cmcd_none() {
        for (target, uri) in [
            ("/a/q%30%37.mp4", Some("/a/q07.mp4")),
            ("/%61%3f?token=a&CMCD=br%3D1&token=b", Some("/a%3F?token=a&token=b")),
            ("/a?CMCD=x", Some("/a")),
            ("/a?", Some("/a")),
            ("/a?cmcd=x&CMCDX=1", Some("/a?cmcd=x&CMCDX=1")),
            ("/a%5cb#c", Some("/a%5Cb%23c")),
            ("/sub/", Some("/sub/")),
            ("/a/../b", None),
            ("/a%2Fb", None),
            ("//a", None),
            ("a", None),
        ] {
            assert_eq!(canonical(target).ok().as_deref(), uri, "{target}");
        }
    }

    #[test]
    fn only_named_headers_are_passed_on() {
        let sent = headers(&[
            ("Authorization", "Bearer 1"),
            ("x-token", "2"),
            ("x-original-uri", "/public"),
            ("x-forwarded-for", "127.0.0.1"),
            ("origin", "https://evil.example"),
            ("range", "bytes=0-"),
        ]);
        let question = Question::new(&asked("/a", &sent), &["x-token".to_owned()]).unwrap();
        let names: Vec<_> = question.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let expected = [
            ("x-original-method", "GET"),
            ("x-original-uri", "/a"),
            ("x-forwarded-host", "a"),
            ("x-forwarded-for", "192.0.2.1"),
            ("authorization", "Bearer 1"),
            ("x-token", "2"),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn different_questions_have_different_bytes() {
        let (none, one, other) = (headers(&[]), headers(&[("cookie", "a=1")]), headers(&[("cookie", "a=2")]));
        let base = asked("/a", &none);
        let all = [
            base,
            asked("/b", &none),
            asked("/a?token=1", &none),
            asked("/a", &one),
            asked("/a", &other),
            Asked { origin: Some("b"), ..base },
            Asked { session: Some("b"), ..base },
            Asked { authority: "b", ..base },
            Asked { method: "HEAD", ..base },
            Asked { client: "192.0.2.2".parse().unwrap(), ..base },
        ];
        let bytes: std::collections::BTreeSet<_> =
            all.iter().map(|asked| Question::new(asked, &[]).unwrap().bytes()).collect();
        assert_eq!(bytes.len(), all.len());
        let again = headers(&[("range", "bytes=1-2"), ("x-voxel-deadline", "5")]);
        assert_eq!(Question::new(&asked("/%61?CMCD=1", &again), &[]), Question::new(&base, &[]));
    }

    #[test]
    fn cookies_in_several_fields_are_one() {
        let crumbs = headers(&[("cookie", "a=1"), ("cookie", "b=2")]);
        assert_eq!(crumbs.get("cookie"), Some("a=1; b=2"));
    }

    #[test]
    fn answers() {
        let say =
            |status, cache_control| verdict(&Answer { status, cache_control, www_authenticate: Some("Basic") }, 30);
        for (cache_control, seconds) in [
            (None, 30),
            (Some("private"), 30),
            (Some("private, Max-Age=5"), 5),
            (Some("max-age=500"), 30),
            (Some("max-age=x"), 0),
            (Some("max-age=60, no-store"), 0),
        ] {
            assert_eq!(say(204, cache_control), Some(Ok(seconds)), "{cache_control:?}");
        }
        let refused = say(401, None).unwrap().unwrap_err();
        assert_eq!(
            (refused.status, refused.headers),
            (Status::Unauthorized, vec![("www-authenticate", "Basic".to_owned())])
        );
        assert_eq!(say(403, None).unwrap().unwrap_err().status, Status::Forbidden);
        for status in [100, 302, 404, 407, 429, 500] {
            assert_eq!(say(status, None), None, "{status}");
        }
    }

    #[test]
    fn names_of_headers() {
        for (name, may) in
            [("x-token", true), ("X-Token", false), ("host", false), ("x-original-uri", false), ("", false)]
        {
            assert_eq!(may_be_asked_about(name), may, "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_service_is_asked_about_the_file_that_is_opened(target in "/[/.%25eaf?&=CMD\\\\]{0,30}") {
            if let Ok(uri) = canonical(&target) {
                let path = |text: &str| path::decode(text.split('?').next().unwrap()).unwrap();
                prop_assert_eq!(path(&uri), path(&target));
                prop_assert_eq!(canonical(&uri).unwrap(), uri);
            }
        }
    }
}
