//! What the tests of the program share; none of them uses all of it.
#![allow(dead_code)]

use std::{
    env, fs,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{self, Command, Output},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::SystemTime,
};

pub const LINKEMU: &str = env!("CARGO_BIN_EXE_linkemu");
pub const PROBE: &str = env!("CARGO_BIN_EXE_link-probe");

/// A folder that goes away with this value.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        // Process numbers are used again, and a killed test leaves its folder.
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("the clock is set").as_nanos();
        let name = format!("linkemu-test-{}-{time}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = env::temp_dir().join(name);
        fs::create_dir(&folder).expect("a new folder");
        // Some tests run programs as another user, whatever the umask.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("the folder is ours");
        Self(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A named pipe. Opening one end waits for the other, so it tells one command what another has done.
    pub fn pipe(&self) -> PathBuf {
        let pipe = self.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        pipe
    }

    /// A link file with this number of equal paths.
    pub fn link(&self, paths: usize, down: &str) -> PathBuf {
        let up = r#"{ "trace": { "mbps": 20 }, "queue": { "discipline": "fq-codel", "limit": { "packets": 100 } }, "delayMs": 5 }"#;
        let path = format!(r#"{{ "down": {down}, "up": {up} }}"#);
        let file = self.path("link.json");
        fs::write(&file, format!(r#"{{ "seed": 3, "paths": [{}] }}"#, vec![path; paths].join(", "))).expect("a file");
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder is there");
    }
}

/// Without loss, even when a busy machine makes a sender send all its packets at once.
pub const CLEAN: &str = r#"{ "trace": { "mbps": 20 }, "queue": { "discipline": "drop-tail", "limit": { "packets": 2000 } }, "delayMs": 5 }"#;

/// `linkemu run`, not started yet.
pub fn run(link: &Path, log: Option<&Path>, server: &[&str], client: &[&str]) -> Command {
    let mut command = Command::new(LINKEMU);
    command.arg("run").arg(link);
    if let Some(folder) = log {
        command.arg("--log").arg(folder);
    }
    command.arg("--").args(server).arg("---").args(client);
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn outcome(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

/// What a machine may not allow: the program says "cannot" and one of these.
const RIGHTS: [&str; 4] = ["create namespaces", "mount /proc", "create a network", "open /dev/net/tun"];

/// Whether this user may run links on this machine, which every test that needs one asks first. If not, says why.
pub fn links_are_allowed() -> bool {
    static REFUSAL: LazyLock<Option<String>> = LazyLock::new(|| {
        let scratch = Scratch::new();
        refusal(&outcome(&mut run(&scratch.link(1, CLEAN), None, &["true"], &["true"])))
    });
    if let Some(reason) = &*REFUSAL {
        skip(reason);
    }
    REFUSAL.is_none()
}

/// The message of a run to which the machine did not give one of the [`RIGHTS`].
pub fn refusal(output: &Output) -> Option<String> {
    let problem = text(&output.stderr).trim().to_owned();
    let refused = RIGHTS.iter().any(|right| problem.starts_with(&format!("linkemu: cannot {right}")));
    refused.then_some(problem)
}

/// Says in a line of its own that the running test is skipped. Not with a macro: the test runner captures what macros print.
pub fn skip(reason: &str) {
    let test = thread::current().name().unwrap_or_default().to_owned();
    writeln!(io::stderr(), "\nskipped: {test}: {reason}").expect("standard error is open");
}
