//! `linkemu`: a link between two commands, or before a UDP port. See the README.

#![deny(unsafe_code)]

mod cli;
mod emulation;
mod event;
mod log;
mod report;
#[cfg(target_os = "linux")]
mod run;
#[allow(unsafe_code)]
mod sys;
mod udp;

use cli::Command;
use linkemu::{config, error::Result};
use std::{env, ffi::OsString, process::ExitCode};

/// Bad input, or a system that lacks something.
const REFUSED: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    let code = cli::parse(&words).and_then(execute).unwrap_or_else(|error| {
        report::say(&error.to_string());
        REFUSED
    });
    ExitCode::from(code)
}

fn execute(command: Command) -> Result<u8> {
    match command {
        Command::Help => println!("{}", cli::HELP),
        Command::Udp(options) => report::lateness(&udp::run(config::load(&options.link)?, &options)?),
        #[cfg(target_os = "linux")]
        Command::Run(options) => return run::run(config::load(&options.link)?, &options),
        #[cfg(not(target_os = "linux"))]
        Command::Run(_) => {
            return Err(linkemu::error::Error::Input("linkemu run needs Linux; linkemu udp does not".into()));
        }
    }
    Ok(0)
}
