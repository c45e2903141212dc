//! The client of other HTTP servers: connections that wait for the next request, and why one failed.

use std::error::Error;
use std::io;
use std::time::Duration;

use boring::x509::X509VerifyError;
use bytes::Bytes;
use http_body_util::Empty;
use hyper_boring::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::net::TcpStream;
use tokio_boring::HandshakeError;

use super::names::Names;
use crate::configuration_error::ConfigurationError;

pub const USER_AGENT: &str = concat!("voxel-quiche/", env!("CARGO_PKG_VERSION"));

/// Connections to a server that wait for the next request.
const IDLE_CONNECTIONS: usize = 16;
const IDLE: Duration = Duration::from_secs(60);

/// Most bytes of the head of an answer, which is kept in memory and on disk in part. Other caches allow 8 KiB or fewer.
const HEAD_BYTES: usize = 16 * 1024;

pub type HttpClient = Client<HttpsConnector<HttpConnector<Names>>, Empty<Bytes>>;

/// A client that waits so long for a connection. It follows no redirects.
pub fn client(patience: Duration) -> Result<HttpClient, ConfigurationError> {
    let mut tcp = HttpConnector::new_with_resolver(Names::default());
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(patience));
    let tls = boring::ssl::SslConnector::builder(boring::ssl::SslMethod::tls());
    let connector = tls.and_then(|tls| HttpsConnector::with_connector(tcp, tls));
    let connector = connector.map_err(|error| ConfigurationError(format!("cannot set up TLS: {error}")))?;
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE).pool_max_idle_per_host(IDLE_CONNECTIONS);
    Ok(builder.http1_max_buf_size(HEAD_BYTES).build(connector))
}

/// Why a certificate was refused, if that was it.
pub fn distrust(error: &(dyn Error + 'static)) -> Option<String> {
    let handshake = source_of::<HandshakeError<TcpStream>>(error)?;
    let reason = handshake.ssl()?.verify_result().err()?;
    // No certificate has been looked at.
    (reason != X509VerifyError::INVALID_CALL).then(|| reason.to_string())
}

/// The first reason of a kind.
pub fn source_of<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The innermost reason: the others only say that there is one.
pub fn cause(error: &(dyn Error + 'static)) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.downcast_ref::<io::Error>().map_or_else(|| inner.to_string(), crate::sockets::plain)
}
