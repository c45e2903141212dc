/// Above ordinary programs, below the kernel's own threads.
#[cfg(target_os = "linux")]
const REALTIME_PRIORITY: libc::c_int = 10;

/// Requests that this thread runs before ordinary threads. Where that is not allowed packets leave later under load,
/// which the log shows.
#[cfg(target_os = "linux")]
pub fn request_realtime() {
    let parameters = libc::sched_param { sched_priority: REALTIME_PRIORITY };
    // SAFETY: the parameters outlive the call, which changes nothing but the calling thread's scheduling.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
}

#[cfg(not(target_os = "linux"))]
pub fn request_realtime() {}

/// Requests that this program stays in memory: reading a swapped page takes tens of milliseconds. Where that is not
/// allowed the log shows how late packets left.
#[cfg(unix)]
pub fn stay_in_memory() {
    // SAFETY: changes nothing but where this process' pages are kept.
    unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) };
}

#[cfg(not(unix))]
pub fn stay_in_memory() {}
