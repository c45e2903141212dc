//! `voxel-quiche DIR`: serves the files of a folder, or with `--origin` those of another HTTP server, over WebTransport
//! (voxel-1), HTTP/3 and HTTP/1.1.
//!
//! [`app`] starts both sides. On UDP, [`workers`] are as many threads as there are cores, [`endpoint`] the loop of each over its connections, [`connection`] one client's QUIC
//! connection, [`http3`] what its streams mean. On TCP, [`http1`]. Both answer from [`site`]; files are opened and read
//! on threads of their own ([`jobs`], [`files`], [`body`]), or fetched from an HTTP origin ([`edge`]).
#![forbid(unsafe_code)]

mod app;
mod authorize;
mod body;
mod certificate;
mod cli;
mod configuration_error;
mod connection;
mod descriptors;
mod edge;
mod endpoint;
mod files;
mod follow;
mod growing;
mod handshakes;
mod health;
mod http1;
mod http3;
mod jobs;
mod log;
mod metrics;
mod metrics_listener;
mod open_error;
mod places;
mod playlists;
mod process;
mod quic;
mod responses;
mod session;
mod shared_files;
mod site;
mod sockets;
mod sources;
mod viewers;
mod workers;

use std::process::ExitCode;

use clap::Parser;
use configuration_error::ConfigurationError;
use jobs::FILE_THREADS;

const EXIT_BAD_CONFIGURATION: u8 = 2;

fn main() -> ExitCode {
    let options = cli::Options::parse();
    if let Some(address) = &options.check_health {
        return health::check(address);
    }
    log::configure(options.log_format);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(FILE_THREADS)
        .build()
        .map_err(|error| ConfigurationError(format!("cannot start threads: {error}")));
    let served = runtime.and_then(|runtime| {
        let served = runtime.block_on(app::serve(options));
        // Without waiting for threads that still read files.
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("voxel-quiche: {error}");
            ExitCode::from(EXIT_BAD_CONFIGURATION)
        }
    }
}
