//! The back end for all IP traffic: two commands, each in its own network, with the link between them.
//!
//! It consists of two processes. The supervisor stays in the namespaces in which it was started, forwards signals and
//! waits. The session is the first process of a PID namespace, so that the kernel ends all its descendants when it ends
//! for any reason; and it ends with the supervisor. Networks, devices and mounts have no names outside and end with it.

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

/// Exit code when the link or the server failed, as in timeout(1).
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

/// Waits for the session and forwards signals to it.
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
