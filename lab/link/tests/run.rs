//! `linkemu run` from outside: what it carries and how it ends.
#![cfg(target_os = "linux")]

mod support;

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    process::{Command, Output},
};
use support::{CLEAN, LINKEMU, PROBE, Scratch, links_are_allowed, outcome, refusal, run, skip, text};

/// Packets that the probe sends. They fit into the receiver's buffer, which Linux fills with 1280 bytes for each of
/// these small packets and limits to 208 KiB: none is lost while a busy machine lets the receiver wait.
const PACKETS: usize = 120;

const LOSSY: &str = r#"{ "trace": { "mbps": 20 }, "queue": { "discipline": "drop-tail", "limit": { "packets": 2000 } },
    "delayMs": 5, "loss": { "percent": 10 } }"#;

/// One end of the link measures what the other sends; returns the sequence numbers that arrived.
fn measure(link: &Path, server_address: &str, log: Option<&Path>) -> Vec<u32> {
    let scratch = Scratch::new();
    let pipe = scratch.pipe();
    let pipe = pipe.to_str().expect("a name of our own");
    let (address, packets) = (format!("{server_address}:5000"), PACKETS.to_string());
    let mut command =
        run(link, log, &[PROBE, "serve", &address, pipe], &[PROBE, "measure", &address, &packets, "200", "4", pipe]);
    let output = outcome(&mut command);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    let number = |line: &str| line.split(',').next().and_then(|number| number.parse().ok());
    lines.lines().skip(1).map(|line| number(line).expect("a line of the probe")).collect()
}

#[test]
fn packets_cross_and_are_logged() {
    if !links_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let log = scratch.path("log");
    assert_eq!(measure(&scratch.link(1, CLEAN), "10.77.0.1", Some(&log)).len(), PACKETS);

    let csv = fs::read_to_string(log.join("path0-down.csv")).expect("a log");
    let delivered = |line: &str| line.split(',').nth(4).and_then(|count| count.parse::<usize>().ok()).expect("a count");
    assert_eq!(csv.lines().skip(1).map(delivered).sum::<usize>(), PACKETS);
    let summary = fs::read_to_string(log.join("summary.json")).expect("a summary");
    assert!(summary.contains(r#""valid": "#) && summary.contains(r#""deliveredPackets": 120"#), "{summary}");
}

#[test]
fn the_same_seed_loses_the_same_packets() {
    if !links_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let link = scratch.link(1, LOSSY);
    let first = measure(&link, "10.77.0.1", None);
    // 108 ± 4.6 standard deviations of 3.3.
    assert!((92..PACKETS).contains(&first.len()), "{} of {PACKETS} at 10 % loss", first.len());
    assert_eq!(first, measure(&link, "10.77.0.1", None));
}

#[test]
fn a_second_path_has_its_own_addresses() {
    if links_are_allowed() {
        let scratch = Scratch::new();
        assert_eq!(measure(&scratch.link(2, CLEAN), "10.77.1.1", None).len(), PACKETS);
    }
}

#[test]
fn the_exit_code_is_the_clients() {
    if !links_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let link = scratch.link(1, CLEAN);
    let code = |server: &[&str], client: &[&str]| outcome(&mut run(&link, None, server, client)).status.code();
    assert_eq!(code(&["sleep", "1000"], &["true"]), Some(0));
    assert_eq!(code(&["sleep", "1000"], &["sh", "-c", "exit 7"]), Some(7));
    assert_eq!(code(&["sleep", "1000"], &["sh", "-c", "kill -9 $$"]), Some(128 + 9));
    assert_eq!(code(&["false"], &["sleep", "1000"]), Some(125), "without its server the client is ended");
}

#[test]
fn a_server_may_end_before_the_client_with_success() {
    if !links_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let pipe = scratch.pipe().display().to_string();
    let server = format!("echo $$ > {pipe}");
    // Until the emulator has noticed that the server ended.
    let client = format!("read server < {pipe}; while kill -0 $server 2> /dev/null; do sleep 0.01; done; exit 5");
    let output = outcome(&mut run(&scratch.link(1, CLEAN), None, &["sh", "-c", &server], &["sh", "-c", &client]));
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
}

#[test]
fn only_the_client_writes_to_standard_output() {
    if !links_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let pipe = scratch.pipe().display().to_string();
    let server = format!("echo from the server; echo > {pipe}; exec sleep 1000");
    let client = format!("read line < {pipe}; echo from the client");
    let output = outcome(&mut run(&scratch.link(1, CLEAN), None, &["sh", "-c", &server], &["sh", "-c", &client]));
    assert_eq!(text(&output.stdout), "from the client\n");
    assert!(text(&output.stderr).contains("from the server\n"));
}

fn assert_names_the_problem(output: &Output, message: &str) {
    let problem = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{problem}");
    assert!(problem.lines().count() == 1 && problem.starts_with("linkemu: "), "{problem}");
    assert!(problem.contains(message), "{problem}");
}

#[test]
fn a_bad_link_file_is_named_in_one_line() {
    let scratch = Scratch::new();
    let empty = scratch.path("file");
    fs::write(&empty, "").expect("a file");
    for (link, message) in [(Path::new("/no/such.json"), "cannot read /no/such.json"), (&empty, "EOF while parsing")] {
        assert_names_the_problem(&outcome(&mut run(link, None, &["true"], &["true"])), message);
    }
}

#[test]
fn what_cannot_be_run_or_written_is_named_in_one_line() {
    if !links_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let link = scratch.link(1, CLEAN);
    let no_folder = scratch.path("file");
    fs::write(&no_folder, "").expect("a file");
    let no_log = run(&link, Some(&no_folder), &["true"], &["true"]);
    let no_client = run(&link, None, &["sleep", "1000"], &["/no/such/program"]);
    for (mut command, message) in [(no_log, "cannot create"), (no_client, "cannot run /no/such/program")] {
        assert_names_the_problem(&outcome(&mut command), message);
    }
}

const NOBODY: &str = "65534";

/// Runs `id -u` on a link as an ordinary user, with a /dev/net of its own where the TUN device has this mode. `None` on
/// a machine that does not allow the test to arrange that.
fn run_as_nobody(tun_mode: &str) -> Option<Output> {
    if fs::metadata("/proc/self").expect("/proc is mounted").uid() != 0 {
        skip("needs root");
        return None;
    }
    if !links_are_allowed() {
        return None;
    }
    let scratch = Scratch::new();
    // The build folder may be closed to others.
    let program = scratch.path("linkemu");
    // By another program: what this one has open for writing, children of other tests inherit for a moment, and it cannot be run.
    assert!(Command::new("cp").arg(LINKEMU).arg(&program).status().expect("cp").success());
    let link = scratch.link(1, CLEAN);
    let prepare = format!("mount -t tmpfs -o mode=755 tun /dev/net && mknod -m {tun_mode} /dev/net/tun c 10 200");
    let as_nobody = format!("exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups");
    let script =
        format!("{{ {prepare}; }} || {{ echo cannot mount a /dev/net >&2; exit 99; }}; {as_nobody} \"$0\" \"$@\"");
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script]).arg(&program).arg("run").arg(&link);
    let output = outcome(command.args(["--", "sleep", "1000", "---", "id", "-u"]).current_dir("/"));
    if output.status.code() == Some(99) {
        skip(&text(&output.stderr).trim().replace('\n', "; "));
        return None;
    }
    Some(output)
}

#[test]
fn an_ordinary_user_can_run_a_link() {
    let Some(output) = run_as_nobody("666") else { return };
    // Whether the TUN device can be opened is what the test is about.
    match refusal(&output).filter(|reason| !reason.contains("/dev/net/tun")) {
        Some(reason) => skip(&reason),
        None => assert_eq!(text(&output.stdout), format!("{NOBODY}\n"), "{}", text(&output.stderr)),
    }
}

#[test]
fn an_ordinary_user_without_a_right_to_the_tun_device_gets_one_line() {
    let Some(output) = run_as_nobody("600") else { return };
    match refusal(&output).filter(|reason| !reason.contains("/dev/net/tun")) {
        Some(reason) => skip(&reason),
        None => assert_names_the_problem(
            &output,
            "cannot open /dev/net/tun for reading and writing: Permission denied (os error 13)",
        ),
    }
}
