use super::check;
use std::{io, mem::MaybeUninit, ptr};
#[cfg(target_os = "linux")]
use std::{os::unix::process::CommandExt, process::Command};

/// Signals that the program handles: requests to end, and changes of children.
const ANSWERED: [libc::c_int; 5] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGCHLD];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal {
    pub number: libc::c_int,
    /// The terminal sent it (Ctrl-C), and to every process of the foreground at once.
    pub from_terminal: bool,
}

/// Keeps signals for [`wait`] instead of letting them end the program; threads and commands started later inherit this.
/// This holds for signals that the parent process ignored, too: with an ignored SIGCHLD children could not be waited
/// for.
pub fn block() -> io::Result<()> {
    set_mask(libc::SIG_BLOCK, &answered())?;
    for number in ANSWERED {
        restore_disposition(number);
    }
    Ok(())
}

/// Makes a command start with no signal blocked and none ignored. Otherwise it inherits what [`block`] has done and
/// what the parent of this program ignores.
#[cfg(target_os = "linux")]
pub fn restore_in(command: &mut Command) {
    let restore = || {
        (1..=libc::SIGRTMAX()).for_each(restore_disposition);
        set_mask(libc::SIG_SETMASK, &empty())
    };
    // SAFETY: between fork and exec only signal, sigset functions and sigmask are called, which signal-safety(7)
    // allows.
    unsafe { command.pre_exec(restore) };
}

/// Fails only for signals that always have their default disposition.
fn restore_disposition(number: libc::c_int) {
    // SAFETY: no handler, and no memory, is involved.
    unsafe { libc::signal(number, libc::SIG_DFL) };
}

/// Waits for the next signal.
#[cfg(target_os = "linux")]
pub fn wait() -> io::Result<Signal> {
    let set = answered();
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    loop {
        // SAFETY: the set is initialised, and `info` is large enough for what is written into it.
        match check(unsafe { libc::sigwaitinfo(&raw const set, info.as_mut_ptr()) }) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(number) => {
                // SAFETY: all-zero bytes are a valid siginfo_t, and the call has filled it in.
                let from_terminal = unsafe { info.assume_init() }.si_code == libc::SI_KERNEL;
                return Ok(Signal { number, from_terminal });
            }
        }
    }
}

/// Waits for the next signal.
#[cfg(not(target_os = "linux"))]
pub fn wait() -> io::Result<Signal> {
    let set = answered();
    let mut number = 0;
    // SAFETY: the set is initialised, and `number` outlives the call.
    match unsafe { libc::sigwait(&raw const set, &raw mut number) } {
        0 => Ok(Signal { number, from_terminal: false }),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// Sends a signal to one process. That it has ended already is no error.
pub fn send(process: libc::pid_t, number: libc::c_int) -> io::Result<()> {
    // SAFETY: no memory is involved.
    match check(unsafe { libc::kill(process, number) }) {
        Err(error) if error.raw_os_error() != Some(libc::ESRCH) => Err(error),
        _ => Ok(()),
    }
}

fn set_mask(how: libc::c_int, set: &libc::sigset_t) -> io::Result<()> {
    // SAFETY: the set is initialised, and the old one is not asked for.
    match unsafe { libc::pthread_sigmask(how, set, ptr::null_mut()) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

fn empty() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set and does not fail.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        set.assume_init()
    }
}

fn answered() -> libc::sigset_t {
    let mut set = empty();
    for number in ANSWERED {
        // SAFETY: the set is initialised, and sigaddset does not fail for valid signal numbers.
        unsafe { libc::sigaddset(&raw mut set, number) };
    }
    set
}
