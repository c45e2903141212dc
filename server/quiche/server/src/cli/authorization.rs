//! Options that say who may read.

use std::time::Duration;

use clap::Args;

use crate::authorize::Authorizer;
use crate::configuration_error::ConfigurationError;

#[derive(Clone, Debug, Args)]
pub struct AuthorizationOptions {
    /// Address that is asked who may read, as nginx' auth_request: 2xx lets a request through, 401 and 403 refuse it; with path, credentials,
    /// page and client of each request for a file, over HTTP and over sessions
    #[arg(long, value_name = "URL")]
    pub authorize: Option<String>,

    /// Header of clients of which that address is told, besides authorization and cookie; repeatable
    #[arg(long = "authorize-header", value_name = "NAME")]
    pub authorize_headers: Vec<String>,

    /// Seconds for which it is not asked again about the same path and credentials; 0: it is asked about every request
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub authorize_seconds: u64,
}

impl AuthorizationOptions {
    /// Whom to ask who may read. `each`: requests that one client address may have in flight; 0: no limit.
    pub fn authorizer(&self, each: usize) -> Result<Option<Authorizer>, ConfigurationError> {
        let Some(url) = &self.authorize else {
            return match self.authorize_headers.first() {
                Some(_) => Err(ConfigurationError("--authorize-header needs --authorize".to_owned())),
                None => Ok(None),
            };
        };
        Authorizer::new(url, &self.authorize_headers, Duration::from_secs(self.authorize_seconds), each).map(Some)
    }
}
