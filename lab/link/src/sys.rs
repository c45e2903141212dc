//! System calls that the standard library does not have: the only unsafe code of the program.

#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
mod netlink;
#[cfg(target_os = "linux")]
pub mod process;
pub mod schedule;
pub mod signal;
#[cfg(target_os = "linux")]
pub mod tun;

use std::io;

/// Turns C's -1 into the error that it stands for.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
