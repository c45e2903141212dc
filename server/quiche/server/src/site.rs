//! What HTTP/1.1, HTTP/3 and WebTransport share, and the responses to requests. Functions that open files block: see
//! [`crate::jobs`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use voxel_protocol::conditions::check_unchanged;
use voxel_protocol::discovery::{DISCOVERY_PATH, Discovery};
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::limits::Limits;
use voxel_protocol::origin::{OriginPolicy, preflight_headers};
use voxel_protocol::ranges::{ByteRange, exact_ranges};
use voxel_protocol::request::VoxelRequest;
use voxel_protocol::site::{
    ALLOWED_METHODS, HttpRequest, Piece, check_method, file_response, literal_response, text_response,
};

use crate::body::Body;
use crate::files::{Mounts, OpenError};
use crate::metrics::Metrics;

/// A response to an ordinary request; the headers hold the content length.
#[derive(Debug)]
pub struct HttpAnswer {
    pub status: Status,
    pub headers: Vec<(&'static str, String)>,
    pub body: Body,
}

/// The bytes that a VOXEL request asks for, and their file's validator.
#[derive(Debug)]
pub struct Opened {
    pub body: Body,
    pub etag: String,
}

/// The base64 hashes of the certificate in use, which is replaced from time to time.
#[derive(Clone, Debug, Default)]
pub struct CertificateHashes(Arc<RwLock<Vec<String>>>);

impl CertificateHashes {
    pub fn get(&self) -> Vec<String> {
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    pub fn set(&self, hashes: Vec<String>) {
        *self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner) = hashes;
    }
}

#[derive(Debug)]
pub struct Site {
    pub mounts: Mounts,
    pub origins: OriginPolicy,
    pub limits: Limits,
    pub metrics: Metrics,
    /// `None`: WebTransport is switched off.
    pub discovery: Option<Discovery>,
    pub certificate_hashes: CertificateHashes,
    /// What a session's URL must carry as `?token=`; `None`: sessions need no token.
    pub token: Option<String>,
    draining: AtomicBool,
}

impl Site {
    pub fn new(
        limits: Limits,
        mounts: Mounts,
        origins: OriginPolicy,
        discovery: Option<Discovery>,
        token: Option<String>,
        certificate_hashes: CertificateHashes,
    ) -> Self {
        let (metrics, draining) = (Metrics::default(), AtomicBool::new(false));
        Self { mounts, origins, limits, metrics, discovery, certificate_hashes, token, draining }
    }

    /// Refuses all requests from now on.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// A 503 while draining.
    pub fn refuse_while_draining(&self) -> Result<(), HttpError> {
        if self.draining.load(Ordering::Relaxed) { Err(HttpError::stopping()) } else { Ok(()) }
    }

    /// The response to any HTTP request. Blocks.
    pub fn respond(&self, request: &HttpRequest) -> HttpAnswer {
        let mut answer = self.answer(request).unwrap_or_else(|error| refusal(&error));
        let origin = request.headers.get("origin");
        answer.headers.extend(self.origins.response_headers(origin, &request.authority));
        if request.method == "HEAD" {
            answer.body = Body::new([], None);
        }
        answer
    }

    fn answer(&self, request: &HttpRequest) -> Result<HttpAnswer, HttpError> {
        self.refuse_while_draining()?;
        self.origins.check_host(&request.authority)?;
        check_method(&request.method)?;
        let target = request.target.as_str();
        // Clients encode everything else (RFC 3986 section 2).
        if !target.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(HttpError::bad_request("malformed request target"));
        }
        if request.method == "OPTIONS" && (target == "*" || target.starts_with('/')) {
            let allow = ("allow", ALLOWED_METHODS.to_owned());
            let headers = preflight_headers().into_iter().chain([allow]).collect();
            return Ok(HttpAnswer { status: Status::NoContent, headers, body: Body::new([], None) });
        }
        let path = path_of(target);
        if let Some(discovery) = self.discovery.as_ref().filter(|_| path == DISCOVERY_PATH) {
            let document = discovery.document(&request.authority, &self.certificate_hashes.get());
            let response = literal_response("application/json", document);
            let mut headers = response.headers;
            headers.push(("cache-control", "no-store".to_owned()));
            return Ok(HttpAnswer { status: Status::Ok, headers, body: Body::new(response.body, None) });
        }
        let media = match self.mounts.open(path) {
            Ok(media) => media,
            Err(OpenError::Http(error)) => return Err(error),
            Err(OpenError::Redirect(location)) => {
                let query = &target[path.len()..];
                let headers = vec![("location", format!("{location}{query}")), ("content-length", "0".to_owned())];
                return Ok(HttpAnswer { status: Status::PermanentRedirect, headers, body: Body::new([], None) });
            }
        };
        let response = file_response(&media.facts, request, &self.limits, &boundary())?;
        Ok(HttpAnswer {
            status: response.status,
            headers: response.headers,
            body: Body::new(response.body, Some(media.file)),
        })
    }

    /// What a VOXEL request asks for. Blocks.
    pub fn open(&self, request: &VoxelRequest) -> Result<Opened, HttpError> {
        let media = self.mounts.open(path_of(&request.target)).map_err(|error| match error {
            OpenError::Http(error) => error,
            OpenError::Redirect(_) => HttpError::not_found(),
        })?;
        let etag = media.facts.etag();
        check_unchanged(request.if_match.as_deref(), &etag)?;
        let size = media.facts.size;
        let ranges = match &request.ranges {
            None => vec![ByteRange { start: 0, end: size }],
            Some(specs) => exact_ranges(specs, size, &self.limits)?,
        };
        Ok(Opened { body: Body::new(ranges.into_iter().map(Piece::Range), Some(media.file)), etag })
    }
}

/// A response with a one-line text body.
pub fn refusal(error: &HttpError) -> HttpAnswer {
    let response = text_response(error);
    HttpAnswer { status: response.status, headers: response.headers, body: Body::new(response.body, None) }
}

/// A request target without its query, for logs, too: that may hold a token.
pub fn path_of(target: &str) -> &str {
    target.split('?').next().unwrap_or_default()
}

/// A boundary that no body contains, except by chance.
fn boundary() -> String {
    let mut bytes = [0; 16];
    // If that fails the boundary is predictable, which does no harm.
    let _ = boring::rand::rand_bytes(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
