//! The bytes of a response on a VOXEL stream: HTTP/1.1 message syntax (RFC 9112).

use std::fmt::Write;

use crate::cmsd::{Figures, milliseconds};
use crate::error::{HttpError, Status};
use crate::flow::Flow;
use crate::parity::Parity;
use crate::request::VoxelRequest;

pub const TEXT: &str = "text/plain; charset=utf-8";

/// Status line, headers and the blank line after them.
pub fn encode_head<'a>(status: Status, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut head = format!("HTTP/1.1 {} {}\r\n", status.code(), status.phrase());
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head + "\r\n"
}

/// The head of a response whose body of `length` bytes follows on the stream. `etag`: the file's validator.
pub fn reliable_head(request: &VoxelRequest, length: u64, etag: &str, figures: &Figures) -> String {
    let (length, figures) = (length.to_string(), figures.cmsd_dynamic());
    let first = [("content-length", length.as_str())];
    encode_head(request.status(), first.into_iter().chain(validator(etag)).chain(path_field(figures.as_deref())))
}

/// The head of a response whose body is sent as the datagrams of a flow. [`unreliable_end`] follows later.
pub fn unreliable_head(request: &VoxelRequest, flow: &Flow, etag: &str, figures: &Figures) -> String {
    let (number, length) = (format!("?1;flow={}", flow.number()), flow.length().to_string());
    let (parity, figures) = (flow.parity().map(Parity::to_string), figures.cmsd_dynamic());
    let first = [("x-voxel-unreliable", number.as_str()), ("x-voxel-length", length.as_str())];
    let parity = parity.iter().map(|parity| ("x-voxel-parity", parity.as_str()));
    let last = [("transfer-encoding", "chunked"), ("trailer", "x-voxel-sent, x-voxel-rtt, cmsd-dynamic")];
    let middle = validator(etag).into_iter().chain(path_field(figures.as_deref()));
    encode_head(request.status(), first.into_iter().chain(parity).chain(middle).chain(last))
}

/// A file that grows has none.
fn validator(etag: &str) -> Option<(&'static str, &str)> {
    (!etag.is_empty()).then_some(("etag", etag))
}

fn path_field(figures: Option<&str>) -> Option<(&'static str, &str)> {
    figures.map(|figures| ("cmsd-dynamic", figures))
}

/// The empty chunked body and its trailers; `parity_bytes` is `None` if no parity was asked for.
pub fn unreliable_end(sent_bytes: u64, datagrams: u64, figures: &Figures, parity_bytes: Option<u64>) -> String {
    let rtt = figures.smoothed_rtt.map_or(String::new(), |rtt| format!("x-voxel-rtt: {}\r\n", milliseconds(rtt)));
    let cmsd = figures.cmsd_dynamic().map_or(String::new(), |figures| format!("cmsd-dynamic: {figures}\r\n"));
    let parity = parity_bytes.map_or(String::new(), |bytes| format!(";parity={bytes}"));
    format!("0\r\nx-voxel-sent: {sent_bytes};datagrams={datagrams}{parity}\r\n{rtt}{cmsd}\r\n")
}

/// A whole response with a one-line text body.
pub fn error_response(error: &HttpError) -> String {
    let body = format!("{}\n", error.message);
    let length = body.len().to_string();
    let headers = [("content-type", TEXT), ("content-length", length.as_str())];
    let special = error.headers.iter().map(|(name, value)| (*name, value.as_str()));
    encode_head(error.status, headers.into_iter().chain(special)) + &body
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_responses_of_the_protocol_document() {
        let request = VoxelRequest { ranges: Some(Vec::new()), ..VoxelRequest::default() };
        assert_eq!(
            reliable_head(&request, 12974, "\"1-5\"", &Figures::default()),
            "HTTP/1.1 206 Partial Content\r\ncontent-length: 12974\r\netag: \"1-5\"\r\n\r\n"
        );
        let figures = Figures { delivery_rate: Some(76_540.0), smoothed_rtt: Some(Duration::from_millis(41)) };
        assert_eq!(
            unreliable_head(&request, &Flow::new(17, 12974, 1200, b""), "\"1-5\"", &figures)
                + &unreliable_end(12974, 10, &figures, None),
            "HTTP/1.1 206 Partial Content\r\nx-voxel-unreliable: ?1;flow=17\r\nx-voxel-length: 12974\r\netag: \"1-5\"\r\n\
             cmsd-dynamic: \"voxel\";etp=612;rtt=41\r\n\
             transfer-encoding: chunked\r\ntrailer: x-voxel-sent, x-voxel-rtt, cmsd-dynamic\r\n\r\n\
             0\r\nx-voxel-sent: 12974;datagrams=10\r\nx-voxel-rtt: 41\r\ncmsd-dynamic: \"voxel\";etp=612;rtt=41\r\n\r\n"
        );
    }

    #[test]
    fn what_is_not_known_of_the_path_is_not_said() {
        let figures = |delivery_rate, rtt: Option<u64>| {
            Figures { delivery_rate, smoothed_rtt: rtt.map(Duration::from_millis) }.cmsd_dynamic()
        };
        assert_eq!(figures(None, None), None);
        assert_eq!(figures(Some(0.0), None), None);
        assert_eq!(figures(None, Some(0)).as_deref(), Some("\"voxel\";rtt=0"));
        assert_eq!(figures(Some(125.0), None).as_deref(), Some("\"voxel\";etp=1"));
    }

    #[test]
    fn an_error_is_one_line_with_the_fields_it_calls_for() {
        let error = HttpError::new(Status::RangeNotSatisfiable, "no").with_header("content-range", "bytes */5");
        assert_eq!(
            error_response(&error),
            "HTTP/1.1 416 Range Not Satisfiable\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 3\r\n\
             content-range: bytes */5\r\n\r\nno\n"
        );
    }
}
