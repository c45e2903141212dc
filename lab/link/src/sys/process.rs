use super::check;
use std::{
    io::{self, Read},
    mem,
    os::unix::{net::UnixStream, process::ExitStatusExt},
    process::ExitStatus,
};

pub enum Fork {
    Parent { child: libc::pid_t },
    Child,
}

/// Forks this process. The child is killed when the parent ends for any reason. The caller must have a single thread.
pub fn fork_to_die_with_parent() -> io::Result<Fork> {
    let (parent_end, mut child_end) = UnixStream::pair()?;
    // SAFETY: with a single thread the child's copy of the memory is consistent.
    let child = check(unsafe { libc::fork() })?;
    if child != 0 {
        // Open for as long as the parent lives.
        mem::forget(parent_end);
        return Ok(Fork::Parent { child });
    }
    drop(parent_end);
    // SAFETY: no memory is involved.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    // A parent that ended before the line above has closed its end.
    child_end.set_nonblocking(true)?;
    match child_end.read(&mut [0]) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Fork::Child),
        _ => Err(io::Error::other("the parent process has ended")),
    }
}

/// A child that has ended and was not reported yet, if there is one.
pub fn reap() -> io::Result<Option<(libc::pid_t, ExitStatus)>> {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    match check(unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) }) {
        Ok(0) => Ok(None),
        Ok(process) => Ok(Some((process, ExitStatus::from_raw(status)))),
        Err(error) if error.raw_os_error() == Some(libc::ECHILD) => Ok(None),
        Err(error) => Err(error),
    }
}
