//! What the tests of the program share; none of them uses all of it.
#![allow(dead_code)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command, Output},
    sync::atomic::{AtomicU32, Ordering},
};

pub const LINKEMU: &str = env!("CARGO_BIN_EXE_linkemu");
pub const PROBE: &str = env!("CARGO_BIN_EXE_link-probe");

/// A folder that goes away with this value.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("linkemu-test-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = env::temp_dir().join(name);
        fs::create_dir(&folder).expect("a new folder");
        Self(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A link file with so many equal paths.
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

pub const CLEAN: &str =
    r#"{ "trace": { "mbps": 20 }, "queue": { "discipline": "drop-tail", "limit": { "packets": 100 } }, "delayMs": 5 }"#;

/// `linkemu run`, not started yet.
pub fn run(link: &Path, server: &[&str], client: &[&str]) -> Command {
    let mut command = Command::new(LINKEMU);
    command.arg("run").arg(link).arg("--").args(server).arg("---").args(client);
    command
}

/// The same with a log.
pub fn run_with_log(link: &Path, log: &Path, server: &[&str], client: &[&str]) -> Command {
    let mut command = Command::new(LINKEMU);
    command.arg("run").arg(link).arg("--log").arg(log).arg("--").args(server).arg("---").args(client);
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn outcome(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

/// Says why when this machine allows no namespaces, which is the only reason not to run a test.
pub fn namespaces_are_allowed() -> bool {
    let scratch = Scratch::new();
    let output = outcome(&mut run(&scratch.link(1, CLEAN), &["true"], &["true"]));
    let refused = text(&output.stderr).contains("cannot create namespaces");
    if refused {
        println!("skipped: {}", text(&output.stderr).trim());
    }
    !refused
}
