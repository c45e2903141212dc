//! `linkemu`: a network link between two commands, or in front of a UDP port. See the README.

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

/// Exit code for invalid input or a missing right.
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
            return Err(linkemu::error::Error::Input(
                "linkemu run needs Linux; linkemu udp works on every system".into(),
            ));
        }
    }
    Ok(0)
}
