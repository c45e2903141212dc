//! The back end for everything that IP carries: two commands in networks of their own with the link between them.
//!
//! Two processes do it. The supervisor stays where it was started, passes signals on and waits. The other is the first
//! process of a world of its own (a PID namespace), so that when it ends, in whatever way, the kernel ends all that it
//! started; and it ends with the supervisor. Networks, devices and mounts have no names outside, so they go with it.

mod session;
mod topology;

use crate::{
    cli::RunOptions,
    sys::{
        namespace,
        process::{self, Fork},
        signal,
    },
};
use linkemu::{
    config::Link,
    error::{Context, Result},
};
use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

/// What the link or the server did wrong is no exit code of the client's (as with timeout(1)).
pub const FAILED: u8 = 125;

/// Runs both commands; returns the exit code for the program.
pub fn run(link: Link, options: &RunOptions) -> Result<u8> {
    // Before the fork, so that no signal ends a process that is not ready for it.
    signal::block().context("cannot block signals")?;
    namespace::isolate().context("cannot create namespaces (run as root, or allow user namespaces)")?;
    match process::fork_to_die_with_parent().context("cannot start a process")? {
        Fork::Child => session::run(link, options),
        Fork::Parent { child } => supervise(child),
    }
}

/// Waits for the session and passes on to it what is meant for it.
fn supervise(session: libc::pid_t) -> Result<u8> {
    loop {
        let signal = signal::wait().context("cannot wait for signals")?;
        if signal.number != libc::SIGCHLD {
            if !signal.from_terminal {
                signal::send(session, signal.number).context("cannot pass a signal on")?;
            }
        } else if let Some((_, status)) = process::reap().context("cannot wait for the session")? {
            return Ok(status.code().map_or(FAILED, |code| code as u8));
        }
    }
}

/// A command's exit code as a shell gives it: 128 and the signal that ended it.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|number| 128 + number));
    code.map_or(FAILED, |code| code as u8)
}
