//! Nothing is left behind, however `linkemu run` ends: no process, no namespace, no device.
#![cfg(target_os = "linux")]

mod support;

use std::{
    collections::HashSet,
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use support::{CLEAN, Scratch, links_are_allowed, run};

/// Far more than ending takes; only a run that never ends gets there.
const PATIENCE: Duration = Duration::from_secs(30);

const SIGNALS: [(&str, i32); 3] = [("INT", 2), ("TERM", 15), ("HUP", 1)];

/// Names its namespaces, leaves a process behind that belongs to no session, and goes on with what follows.
const CLIENT: &str = "readlink /proc/self/ns/net /proc/self/ns/pid /proc/self/ns/mnt | tr '\\n' ' '; echo;
    setsid sleep 1000 & ";

/// A running link, and the namespaces that its client lives in.
struct Session {
    linkemu: Child,
    namespaces: HashSet<String>,
    _scratch: Scratch,
}

fn start(client: &str) -> Session {
    start_from(Parent::Ordinary, client)
}

/// What starts the program.
#[derive(Debug, Clone, Copy)]
enum Parent {
    Ordinary,
    /// SIGINT is ignored, as a shell does for what it starts in the background.
    IgnoringSignals,
}

fn start_from(parent: Parent, client: &str) -> Session {
    let scratch = Scratch::new();
    let server = ["sh", "-c", "sleep 1000 & sleep 1000"];
    let mut command = run(&scratch.link(2, CLEAN), None, &server, &["sh", "-c", client]);
    if let Parent::IgnoringSignals = parent {
        let mut env = Command::new("env");
        env.arg("--ignore-signal=INT,TERM,HUP,CHLD").arg(command.get_program()).args(command.get_args());
        command = env;
    }
    let mut linkemu = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut line = String::new();
    BufReader::new(linkemu.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    let namespaces: HashSet<String> = line.split_whitespace().map(str::to_owned).collect();
    assert_eq!(namespaces.len(), 3, "{line:?}");
    Session { linkemu, namespaces, _scratch: scratch }
}

impl Session {
    fn signal(&self, name: &str) {
        // The shell's own: a program of that name is not everywhere.
        let kill = format!("kill -s {name} {}", self.linkemu.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.linkemu.wait().expect("a child").code()
    }

    /// Processes in one of the namespaces.
    fn processes(&self) -> Vec<PathBuf> {
        let lives_there = |process: &PathBuf| {
            ["net", "pid", "mnt"].iter().any(|kind| {
                let namespace = fs::read_link(process.join("ns").join(kind)).unwrap_or_default();
                self.namespaces.contains(namespace.to_string_lossy().as_ref())
            })
        };
        let entries = fs::read_dir("/proc").expect("/proc is mounted").filter_map(Result::ok);
        entries.map(|entry| entry.path()).filter(lives_there).collect()
    }

    /// Namespaces without names end with their last process, and TUN devices with their namespace; so it is enough that no
    /// process is left, that nothing is mounted and that no device has come to this network.
    fn assert_nothing_is_left(&self) {
        let deadline = Instant::now() + PATIENCE;
        let mut left = self.processes();
        while !left.is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
            // Others that come later are of another emulator: the kernel gives a namespace's number away again.
            let now = self.processes();
            left.retain(|process| now.contains(process));
        }
        assert_eq!(left, Vec::<PathBuf>::new());
        let mounts = fs::read_to_string("/proc/self/mountinfo").expect("/proc is mounted");
        assert!(!self.namespaces.iter().any(|namespace| mounts.contains(namespace.as_str())), "{mounts}");
        let devices = fs::read_to_string("/proc/self/net/dev").expect("/proc is mounted");
        assert!(!devices.lines().any(|line| line.trim_start().starts_with("link0:")), "{devices}");
    }
}

#[test]
fn after_success() {
    if links_are_allowed() {
        let mut session = start(&format!("{CLIENT} true"));
        assert_eq!(session.exit_code(), Some(0));
        session.assert_nothing_is_left();
    }
}

#[test]
fn after_failure() {
    if links_are_allowed() {
        let mut session = start(&format!("{CLIENT} exit 3"));
        assert_eq!(session.exit_code(), Some(3));
        session.assert_nothing_is_left();
    }
}

#[test]
fn after_signals_whatever_the_parent_ignores() {
    if !links_are_allowed() {
        return;
    }
    let parents = [Parent::Ordinary, Parent::IgnoringSignals];
    for (parent, (name, number)) in parents.into_iter().flat_map(|parent| SIGNALS.map(|signal| (parent, signal))) {
        let mut session = start_from(parent, &format!("{CLIENT} exec sleep 1000"));
        assert!(session.processes().len() >= 4, "the check sees what is there");
        session.signal(name);
        assert_eq!(session.exit_code(), Some(128 + number), "{name} reaches the client of {parent:?}");
        session.assert_nothing_is_left();
    }
}

#[test]
fn after_a_signal_that_the_client_ignores() {
    if links_are_allowed() {
        let mut session = start(&format!("trap '' TERM; {CLIENT} while :; do sleep 1000; done"));
        session.signal("TERM");
        assert_eq!(session.exit_code(), Some(128 + 9));
        session.assert_nothing_is_left();
    }
}

#[test]
fn after_success_whatever_the_parent_ignores() {
    if links_are_allowed() {
        let mut session = start_from(Parent::IgnoringSignals, &format!("{CLIENT} true"));
        assert_eq!(session.exit_code(), Some(0));
        session.assert_nothing_is_left();
    }
}

#[test]
fn after_a_kill() {
    if links_are_allowed() {
        let mut session = start(&format!("{CLIENT} exec sleep 1000"));
        session.signal("KILL");
        assert_eq!(session.exit_code(), None, "killed");
        session.assert_nothing_is_left();
    }
}
