/// Above ordinary programs, below the kernel's own threads.
#[cfg(target_os = "linux")]
const REALTIME_PRIORITY: libc::c_int = 10;

/// Asks that this thread runs before ordinary ones. Where that is not allowed packets leave later under load; the log says
/// how late.
#[cfg(target_os = "linux")]
pub fn request_realtime() {
    let parameters = libc::sched_param { sched_priority: REALTIME_PRIORITY };
    // SAFETY: the parameters outlive the call, which changes nothing but the calling thread's scheduling.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
}

#[cfg(not(target_os = "linux"))]
pub fn request_realtime() {}

/// Asks that this program stays in memory: a page that the system has put aside takes it tens of milliseconds to read again.
/// Where that is not allowed the log says how late packets are.
#[cfg(unix)]
pub fn stay_in_memory() {
    // SAFETY: changes nothing but where this process' pages are kept.
    unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) };
}

#[cfg(not(unix))]
pub fn stay_in_memory() {}
