use super::check;
use std::{
    fs::{self, File},
    io,
    os::{fd::AsRawFd, unix::process::CommandExt},
    process::Command,
    ptr, thread,
};

/// Gives this process its own mount namespace, and its next child its own PID namespace, which ends with that child.
/// Without the privilege for that, the process first enters a new user namespace in which it has it.
pub fn isolate() -> io::Result<()> {
    let own = libc::CLONE_NEWNS | libc::CLONE_NEWPID;
    match unshare(own) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            // SAFETY: no memory is involved.
            let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
            unshare(own | libc::CLONE_NEWUSER)?;
            // The order is the kernel's condition for an ordinary user (user_namespaces(7)).
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
        }
        result => result,
    }
}

/// Mounts the /proc of a new PID namespace, visible in this mount namespace only.
pub fn mount_own_proc() -> io::Result<()> {
    let nothing = ptr::null();
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    // SAFETY: all strings are terminated and static; the other pointers may be null for these calls.
    unsafe {
        check(libc::mount(nothing, c"/".as_ptr(), nothing, libc::MS_REC | libc::MS_PRIVATE, ptr::null()))?;
        check(libc::mount(c"proc".as_ptr(), c"/proc".as_ptr(), c"proc".as_ptr(), flags, ptr::null()))?;
    }
    Ok(())
}

/// A network namespace. It ends with the last process in it and the last of these handles.
pub struct Network(File);

impl Network {
    pub fn create() -> io::Result<Self> {
        on_scratch_thread(|| {
            unshare(libc::CLONE_NEWNET)?;
            File::open("/proc/thread-self/ns/net").map(Self)
        })
    }

    /// Does `work` inside this network.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        on_scratch_thread(|| {
            enter_network(&self.0)?;
            work()
        })
    }

    /// Makes a command run inside this network.
    pub fn contain(&self, command: &mut Command) -> io::Result<()> {
        let network = self.0.try_clone()?;
        // SAFETY: between fork and exec only setns is called, which is a plain system call.
        unsafe { command.pre_exec(move || enter_network(&network)) };
        Ok(())
    }
}

/// unshare and setns change the network of the calling thread, so these threads do nothing else.
fn on_scratch_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| scope.spawn(work).join().expect("set-up does not panic"))
}

fn enter_network(network: &File) -> io::Result<()> {
    // SAFETY: no memory is involved.
    check(unsafe { libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET) }).map(drop)
}

fn unshare(flags: libc::c_int) -> io::Result<()> {
    // SAFETY: no memory is involved.
    check(unsafe { libc::unshare(flags) }).map(drop)
}
