//! Asks the site's service who may read (docs/PROTOCOL.md, "Who may read"). What cannot be found out is refused.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use boring::sha::sha256;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Uri, header};
use http_body_util::Empty;
use lru::LruCache;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use voxel_protocol::authorization::{Answer, Asked, Question, may_be_asked_about, unclear, verdict};
use voxel_protocol::client::ClientAddress;
use voxel_protocol::error::{HttpError, Status};

use crate::configuration_error::ConfigurationError;
use crate::edge::client::{HttpClient, USER_AGENT, cause, client, distrust};
use crate::log;

/// Time for an answer, with that for a turn: then the request is refused.
const PATIENCE: Duration = Duration::from_secs(5);

/// Questions under way, and those of one client address: whoever asks many must not hold up all others.
const QUESTIONS: usize = 64;
const QUESTIONS_OF_ONE: usize = 16;

/// Verdicts that are kept, each of 32 bytes and a moment.
const VERDICTS: NonZeroUsize = NonZeroUsize::new(50_000).expect("positive");

/// A question that has the verdict "yes".
type Key = [u8; 32];

/// Asks at one address, and remembers whom it lets read.
#[derive(Debug)]
pub struct Authorizer(Arc<Asking>);

#[derive(Debug)]
struct Asking {
    url: Uri,
    /// Further headers of clients that the questions hold.
    names: Vec<String>,
    /// The longest time for which a verdict counts.
    kept: Duration,
    /// Requests of one client address that may wait; 0: as many as come.
    each: usize,
    client: HttpClient,
    turns: Semaphore,
    turns_of_one: Mutex<HashMap<ClientAddress, Arc<Semaphore>>>,
    /// Until when each counts.
    allowed: Mutex<LruCache<Key, Instant>>,
    /// The runtime of the client, which is not that of the file threads.
    runtime: Handle,
}

impl Authorizer {
    /// Asks at this address. Must be called in the runtime that is to make the requests. `each`: requests that one client address
    /// may have in flight; 0: no limit.
    pub fn new(url: &str, names: &[String], kept: Duration, each: usize) -> Result<Self, ConfigurationError> {
        if let Some(name) = names.iter().find(|name| !may_be_asked_about(name)) {
            let message =
                format!("--authorize-header must be the name of a client's header, in lower case, got '{name}'");
            return Err(ConfigurationError(message));
        }
        let (url, client) = (parse(url)?, client(PATIENCE)?);
        Ok(Self(Arc::new(Asking {
            url,
            names: names.to_vec(),
            kept,
            each,
            client,
            turns: Semaphore::new(QUESTIONS),
            turns_of_one: Mutex::default(),
            allowed: Mutex::new(LruCache::new(VERDICTS)),
            runtime: Handle::current(),
        })))
    }

    /// Refuses a request whose client may not read.
    pub async fn check(&self, asked: &Asked<'_>) -> Result<(), HttpError> {
        let Self(asking) = self;
        let question = Question::new(asked, &asking.names)?;
        let key = sha256(&question.bytes());
        if asking.is_allowed(&key) {
            return Ok(());
        }
        let (client, asking) = (ClientAddress::from(asked.client), Arc::clone(asking));
        let runtime = asking.runtime.clone();
        let work = async move {
            let result = timeout(PATIENCE, asking.ask_in_turn(client, &key, &question)).await;
            result.unwrap_or_else(|_| Err(failed("no answer in time")))
        };
        // Ends with whoever waits for it.
        let mut task = JoinSet::new();
        task.spawn_on(work, &runtime);
        task.join_next().await.and_then(Result::ok).unwrap_or_else(|| Err(unclear()))
    }
}

impl Asking {
    fn is_allowed(&self, key: &Key) -> bool {
        locked(&self.allowed).get(key).is_some_and(|until| *until > Instant::now())
    }

    async fn ask_in_turn(&self, client: ClientAddress, key: &Key, question: &Question) -> Result<(), HttpError> {
        let own = (self.each > 0).then(|| Turns::of(self, client)).transpose()?;
        let closed = |_| unclear();
        let _own = match &own {
            Some(Turns { own, .. }) => Some(own.acquire().await.map_err(closed)?),
            None => None,
        };
        let _turn = self.turns.acquire().await.map_err(closed)?;
        // Another request may have asked meanwhile.
        if self.is_allowed(key) { Ok(()) } else { self.ask(key, question).await }
    }

    async fn ask(&self, key: &Key, question: &Question) -> Result<(), HttpError> {
        let asked_at = Instant::now();
        let request = self.request(question).ok_or_else(unclear)?;
        let answer = self.client.request(request).await;
        let head = answer.map_err(|error| failed(&distrust(&error).unwrap_or_else(|| cause(&error))))?;
        let text = |name: HeaderName| head.headers().get(name).and_then(|value| value.to_str().ok());
        let (cache_control, www_authenticate) = (text(header::CACHE_CONTROL), text(header::WWW_AUTHENTICATE));
        let answer = Answer { status: head.status().as_u16(), cache_control, www_authenticate };
        match verdict(&answer, self.kept.as_secs()) {
            Some(Ok(seconds)) => {
                locked(&self.allowed).put(*key, asked_at + Duration::from_secs(seconds));
                Ok(())
            }
            Some(Err(refusal)) => {
                locked(&self.allowed).pop(key);
                Err(refusal)
            }
            None => Err(failed(&format!("it answered {}", answer.status))),
        }
    }

    fn request(&self, question: &Question) -> Option<Request<Empty<Bytes>>> {
        let mut headers = HeaderMap::new();
        headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
        for (name, value) in &question.fields {
            let value: Vec<u8> = value.chars().map(|character| character as u8).collect();
            headers.insert(HeaderName::try_from(name).ok()?, HeaderValue::from_bytes(&value).ok()?);
        }
        let mut request = Request::get(self.url.clone()).body(Empty::new()).ok()?;
        *request.headers_mut() = headers;
        Some(request)
    }
}

/// What the questions of one client take turns by, for as long as it has any.
struct Turns<'a> {
    asking: &'a Asking,
    client: ClientAddress,
    own: Arc<Semaphore>,
}

impl<'a> Turns<'a> {
    fn of(asking: &'a Asking, client: ClientAddress) -> Result<Self, HttpError> {
        let mut all = locked(&asking.turns_of_one);
        let own = all.entry(client).or_insert_with(|| Arc::new(Semaphore::new(QUESTIONS_OF_ONE)));
        // One is the table's.
        if Arc::strong_count(own) > asking.each {
            return Err(HttpError::new(Status::TooManyRequests, "too many requests in flight"));
        }
        Ok(Self { asking, client, own: Arc::clone(own) })
    }
}

impl Drop for Turns<'_> {
    fn drop(&mut self) {
        let mut all = locked(&self.asking.turns_of_one);
        if Arc::strong_count(&self.own) == 2 {
            all.remove(&self.client);
        }
    }
}

/// Neither the question nor the address is logged: both may hold secrets.
fn failed(reason: &str) -> HttpError {
    log::warning("authorization failed", &[("reason", reason.into())]);
    unclear()
}

fn locked<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn parse(text: &str) -> Result<Uri, ConfigurationError> {
    let refused = || ConfigurationError(format!("--authorize must be like http://host:port/path, got '{text}'"));
    let uri: Uri = text.parse().map_err(|_| refused())?;
    let is_http = uri.scheme_str().is_some_and(|scheme| ["http", "https"].contains(&scheme));
    let authority = uri.authority().filter(|it| is_http && !it.host().is_empty() && !it.as_str().contains('@'));
    let authority = authority.filter(|_| !text.contains('#')).ok_or_else(refused)?;
    let port = &authority.as_str()[authority.host().len()..];
    if !port.is_empty() && authority.port_u16().is_none_or(|port| port == 0) {
        return Err(refused());
    }
    Ok(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, good) in [
            ("http://127.0.0.1:8000/auth?site=1", true),
            ("https://auth.example", true),
            ("http://[::1]:80/", true),
            ("auth.example/x", false),
            ("ftp://auth.example/", false),
            ("http://user:secret@auth.example/", false),
            ("http://auth.example:0/", false),
            ("http://auth.example:99999/", false),
            ("http://auth.example/#x", false),
            ("", false),
        ] {
            assert_eq!(parse(text).is_ok(), good, "{text}");
        }
    }
}
