//! What HTTP/1.1, HTTP/3 and WebTransport share, and the responses to requests. What opens files runs on threads that may
//! block: see [`crate::jobs`].

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use bytes::Bytes;
use tokio::sync::watch;
use voxel_protocol::authorization::{Asked, OpenedBy};
use voxel_protocol::clock::{TIME_PATH, iso_date};
use voxel_protocol::conditions::check_unchanged;
use voxel_protocol::discovery::{DISCOVERY_PATH, Discovery};
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::limits::Limits;
use voxel_protocol::origin::OriginPolicy;
use voxel_protocol::playlist::Directives;
use voxel_protocol::ranges::{ByteRange, exact_ranges};
use voxel_protocol::request::{FollowWish, VoxelRequest};
use voxel_protocol::response::TEXT;
use voxel_protocol::site::{
    ALLOWED_METHODS, FileFacts, HttpRequest, HttpResponse, Piece, check_method, file_response, growing_response,
    literal_response, text_response,
};

use crate::authorize::Authorizer;
use crate::body::{Body, Media};
use crate::files::MediaFile;
use crate::growing::{Growing, Watched, Watchers};
use crate::metrics::Metrics;
use crate::open_error::OpenError;
use crate::playlists::{Found, Playlists, is_playlist};
use crate::sources::Sources;
use crate::viewers::Viewers;

/// A response to an ordinary request; the headers hold the content length.
#[derive(Debug)]
pub struct HttpAnswer {
    pub status: Status,
    pub headers: Vec<(&'static str, String)>,
    pub body: Body,
    /// What follows instead of the body.
    pub growing: Option<Growing>,
}

impl From<HttpResponse> for HttpAnswer {
    /// The answer of a response without a file.
    fn from(HttpResponse { status, headers, body, .. }: HttpResponse) -> Self {
        Self { status, headers, body: Body::literal(body), growing: None }
    }
}

/// What a VOXEL request asks for.
#[derive(Debug)]
pub enum Opened {
    /// Bytes, and their file's validator.
    Body { body: Body, etag: String },
    /// The records of a file that is to be followed, the file, and how.
    Followed(Arc<Watched>, Arc<dyn Media>, FollowWish),
}

impl Opened {
    fn body(&mut self) -> Option<&mut Body> {
        if let Self::Body { body, .. } = self { Some(body) } else { None }
    }
}

#[derive(Debug)]
pub struct Site {
    pub sources: Sources,
    pub playlists: Playlists,
    pub origins: OriginPolicy,
    /// Whom to ask who may read; `None`: everybody may.
    pub authorizer: Option<Authorizer>,
    pub limits: Limits,
    pub metrics: Arc<Metrics>,
    pub watchers: Watchers,
    pub viewers: Viewers,
    /// Content of the discovery file; `None`: WebTransport is switched off.
    pub discovery: Option<Discovery>,
    /// The base64 hashes of the certificate in use, which is replaced from time to time.
    pub certificate_hashes: watch::Sender<Vec<String>>,
    /// What a session's URL must carry as `?token=`; `None`: sessions need no token.
    pub token: Option<String>,
    /// Whether all requests are refused from now on.
    pub draining: AtomicBool,
}

impl Site {
    /// A 503 while draining.
    pub fn refuse_while_draining(&self) -> Result<(), HttpError> {
        if self.draining.load(Ordering::Relaxed) { Err(HttpError::stopping()) } else { Ok(()) }
    }

    /// The response to any HTTP request. Runs on file threads. The response to HEAD needs nothing from an origin but the
    /// file's facts.
    pub async fn respond(&self, request: &HttpRequest, client: IpAddr) -> HttpAnswer {
        let is_head = request.method == "HEAD";
        let answer = match self.answer_without_file(request) {
            Ok(None) => self.answer_with_file(request, client).await,
            Ok(Some(response)) => Ok(response.into()),
            Err(error) => Err(error),
        };
        let mut answer = answer.unwrap_or_else(|error| refusal(&error));
        let origin = request.headers.get("origin");
        answer.headers.extend(self.origins.response_headers(origin, &request.authority));
        if is_head {
            (answer.body, answer.growing) = (Body::literal([]), None);
        }
        answer
    }

    /// What a VOXEL request asks for. Runs on file threads.
    pub async fn open(
        &self,
        request: &VoxelRequest,
        OpenedBy { target, authority, origin }: &OpenedBy,
        client: IpAddr,
    ) -> Result<Opened, HttpError> {
        let (headers, origin, session) = (&request.headers, origin.as_deref(), Some(target.as_str()));
        let asked = Asked { method: "GET", target: &request.target, authority, headers, origin, session, client };
        self.check_allowed(&asked).await?;
        let asked = (request.target.as_str(), client, request.follow.is_some());
        let opened = self.open_file(asked, |media| self.opened(request, media), Opened::body).await?;
        self.viewers.count(&request.target, headers);
        Ok(opened)
    }

    /// Refuses a request for a file that its client may not read.
    async fn check_allowed(&self, asked: &Asked<'_>) -> Result<(), HttpError> {
        match &self.authorizer {
            Some(authorizer) => authorizer.check(asked).await,
            None => Ok(()),
        }
    }

    async fn answer_with_file(&self, request: &HttpRequest, client: IpAddr) -> Result<HttpAnswer, HttpError> {
        let HttpRequest { method, target, authority, headers } = request;
        let origin = headers.get("origin");
        self.check_allowed(&Asked { method, target, authority, headers, origin, session: None, client }).await?;
        let (asked, is_head) = ((target.as_str(), client, false), method == "HEAD");
        let answer = |media| self.answer(request, media);
        let mut answer = match self.playlist(request, client).await? {
            Some(answer) => answer,
            None => self.open_file(asked, answer, |answer| (!is_head).then_some(&mut answer.body)).await?,
        };
        if method == "GET" {
            self.viewers.count(target, headers);
        }
        // What one client may read is not for caches that others share.
        for (name, value) in answer.headers.iter_mut().filter(|_| self.authorizer.is_some()) {
            if *name == "cache-control" {
                value.insert_str(0, "private, ");
            }
        }
        Ok(answer)
    }

    /// The response with a playlist, once it has the parts that are asked for; `None`: there is none.
    async fn playlist(&self, request: &HttpRequest, client: IpAddr) -> Result<Option<HttpAnswer>, HttpError> {
        let path = path_of(&request.target);
        if !is_playlist(path) {
            return Ok(None);
        }
        let Ok(Found::Playlist(mut state)) = self.playlists.read(path, client).await else { return Ok(None) };
        let wanted = if state.playlist.is_some() { Directives::of(&request.target)? } else { Directives::default() };
        if request.method == "GET" {
            state = self.playlists.wait((path, client), state, &wanted, &self.draining).await?;
        }
        let Some(playlist) = &state.playlist else {
            let (content, facts) = (Box::new(state.data.clone()), state.facts.clone());
            return self.answer(request, Ok(MediaFile { content, facts, live: None })).map(Some);
        };
        let text = playlist.served(wanted.skip);
        if wanted != Directives::default() {
            // Nobody asks for it again, some times a second.
            return Ok(Some(not_kept(literal_response(state.facts.content_type, text)).into()));
        }
        let (size, validator) = (text.len() as u64, Some(state.facts.etag()));
        // Its date says too little of what changes some times a second.
        let facts = FileFacts { size, validator, modified: SystemTime::now(), ..state.facts.clone() };
        let media = MediaFile { content: Box::new(Bytes::from(text)), facts, live: None };
        let mut answer = self.answer(request, Ok(media))?;
        answer.headers.retain(|(name, _)| *name != "last-modified");
        Ok(Some(answer))
    }

    /// What `answer` makes of a target's file, with the first bytes of its `body`. A file that changes before these are
    /// there is opened once more. `follows`: whether the file is asked for as one that may grow.
    async fn open_file<T>(
        &self,
        (target, client, follows): (&str, IpAddr, bool),
        answer: impl Fn(Result<MediaFile, OpenError>) -> Result<T, HttpError>,
        body: impl Fn(&mut T) -> Option<&mut Body>,
    ) -> Result<T, HttpError> {
        let path = path_of(target);
        let mut is_first_try = true;
        loop {
            let mut answer = answer(self.sources.open(path, client, follows).await)?;
            let Some(body) = body(&mut answer) else { return Ok(answer) };
            match body.begin().await {
                Ok(()) => return Ok(answer),
                Err(OpenError::Changed(_)) if is_first_try => is_first_try = false,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The answer to a request that is not for a file.
    fn answer_without_file(&self, request: &HttpRequest) -> Result<Option<HttpResponse>, HttpError> {
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
            let headers = self.origins.preflight_headers().into_iter().chain([allow]).collect();
            return Ok(Some(empty_response(Status::NoContent, headers)));
        }
        let path = path_of(target);
        if let Some(discovery) = self.discovery.as_ref().filter(|_| path == DISCOVERY_PATH) {
            let document = discovery.document(&request.authority, &self.certificate_hashes.borrow());
            return Ok(Some(not_kept(literal_response("application/json", document))));
        }
        if path == TIME_PATH {
            return Ok(Some(not_kept(literal_response(TEXT, iso_date(SystemTime::now())))));
        }
        Ok(None)
    }

    /// The response with a file.
    fn answer(&self, request: &HttpRequest, media: Result<MediaFile, OpenError>) -> Result<HttpAnswer, HttpError> {
        let media = match media {
            Ok(media) => media,
            Err(OpenError::Redirect(location)) => {
                let query = &request.target[path_of(&request.target).len()..];
                let headers = vec![("location", format!("{location}{query}")), ("content-length", "0".to_owned())];
                return Ok(empty_response(Status::PermanentRedirect, headers).into());
            }
            Err(error) => return Err(error.into()),
        };
        let respond = if media.facts.grows { growing_response } else { file_response };
        let response = respond(&media.facts, request, &self.limits, &boundary())?;
        let growing = media.live.zip(response.followed);
        let growing =
            growing.map(|(live, wanted)| Growing::new(self.watchers.follow(live.records), live.media, wanted));
        let (status, headers, body) = (response.status, response.headers, Body::new(response.body, media.content));
        Ok(HttpAnswer { status, headers, body, growing })
    }

    fn opened(&self, request: &VoxelRequest, media: Result<MediaFile, OpenError>) -> Result<Opened, HttpError> {
        let media = media?;
        if let (Some(wish), Some(live)) = (request.follow, media.live) {
            return Ok(Opened::Followed(self.watchers.follow(live.records), live.media, wish));
        }
        let etag = media.facts.etag();
        check_unchanged(request.if_match.as_deref(), &etag)?;
        let size = media.facts.size;
        let ranges = match &request.ranges {
            None => vec![ByteRange { start: 0, end: size }],
            Some(specs) => exact_ranges(specs, size, &self.limits)?,
        };
        let body = Body::new(ranges.into_iter().map(Piece::Range), media.content);
        Ok(Opened::Body { body, etag })
    }
}

fn empty_response(status: Status, headers: Vec<(&'static str, String)>) -> HttpResponse {
    HttpResponse { status, headers, body: Vec::new(), followed: None }
}

/// A response that caches must not keep.
fn not_kept(mut response: HttpResponse) -> HttpResponse {
    response.headers.push(("cache-control", "no-store".to_owned()));
    response
}

/// A response with a one-line text body.
pub fn refusal(error: &HttpError) -> HttpAnswer {
    HttpAnswer::from(text_response(error))
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
