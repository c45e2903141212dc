//! `linkemu run` from outside: what it carries and how it ends.
#![cfg(target_os = "linux")]

mod support;

use std::{fs, os::unix::fs::MetadataExt, os::unix::process::CommandExt, path::Path, process::Output};
use support::{CLEAN, LINKEMU, PROBE, Scratch, namespaces_are_allowed, outcome, run, run_with_log, text};

const SERVER: [&str; 3] = [PROBE, "serve", "10.77.0.1:5000"];
/// So few packets that they fit into the receiver's buffer, however busy the machine.
const CLIENT: [&str; 6] = [PROBE, "measure", "10.77.0.1:5000", "250", "200", "4"];

const LOSSY: &str = r#"{ "trace": { "mbps": 20 }, "queue": { "discipline": "drop-tail", "limit": { "packets": 2000 } },
    "delayMs": 5, "lossPercent": 10 }"#;

/// Sequence numbers of the packets that arrived.
fn arrived(output: &Output) -> Vec<u32> {
    let lines = text(&output.stdout);
    let number = |line: &str| line.split(',').next().and_then(|number| number.parse().ok());
    lines.lines().skip(1).map(|line| number(line).expect("a line of the probe")).collect()
}

#[test]
fn packets_cross_and_are_logged() {
    if !namespaces_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let log = scratch.path("log");
    let output = outcome(&mut run_with_log(&scratch.link(1, CLEAN), &log, &SERVER, &CLIENT));
    assert_eq!(arrived(&output).len(), 250, "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(0));

    let csv = fs::read_to_string(log.join("path0-down.csv")).expect("a log");
    let delivered: u32 = csv.lines().skip(1).map(|line| line.split(',').nth(4).unwrap().parse::<u32>().unwrap()).sum();
    assert_eq!(delivered, 250);
    let summary = fs::read_to_string(log.join("summary.json")).expect("a summary");
    assert!(summary.contains(r#""valid": "#) && summary.contains(r#""deliveredPackets": 250"#), "{summary}");
}

#[test]
fn the_same_seed_loses_the_same_packets() {
    if !namespaces_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let link = scratch.link(1, LOSSY);
    let survivors = || arrived(&outcome(&mut run(&link, &SERVER, &CLIENT)));
    let first = survivors();
    // 225 ± 4.6 standard deviations of 4.7.
    assert!((203..=247).contains(&first.len()), "{} of 250 at 10 % loss", first.len());
    assert_eq!(first, survivors());
}

#[test]
fn a_second_path_has_its_own_addresses() {
    if !namespaces_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let server = [PROBE, "serve", "10.77.1.1:5000"];
    let client = [PROBE, "measure", "10.77.1.1:5000", "50", "200", "4"];
    let output = outcome(&mut run(&scratch.link(2, CLEAN), &server, &client));
    assert_eq!(arrived(&output).len(), 50, "{}", text(&output.stderr));
}

#[test]
fn the_exit_code_is_the_clients() {
    if !namespaces_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let link = scratch.link(1, CLEAN);
    let code = |server: &[&str], client: &[&str]| outcome(&mut run(&link, server, client)).status.code();
    assert_eq!(code(&["sleep", "1000"], &["true"]), Some(0));
    assert_eq!(code(&["sleep", "1000"], &["sh", "-c", "exit 7"]), Some(7));
    assert_eq!(code(&["sleep", "1000"], &["sh", "-c", "kill -9 $$"]), Some(128 + 9));
    assert_eq!(code(&["true"], &["sh", "-c", "sleep 0.3; exit 5"]), Some(5), "a server may end in peace");
    assert_eq!(code(&["false"], &["sleep", "1000"]), Some(125), "without its server the client is ended");
}

#[test]
fn only_the_client_writes_to_standard_output() {
    if !namespaces_are_allowed() {
        return;
    }
    let scratch = Scratch::new();
    let server = ["sh", "-c", "echo from the server; exec sleep 1000"];
    let output = outcome(&mut run(&scratch.link(1, CLEAN), &server, &["sh", "-c", "sleep 0.3; echo from the client"]));
    assert_eq!(text(&output.stdout), "from the client\n");
    assert!(text(&output.stderr).contains("from the server\n"));
}

#[test]
fn bad_input_is_named_in_one_line() {
    let scratch = Scratch::new();
    let unwritable = scratch.path("file");
    fs::write(&unwritable, "").expect("a file");
    let link = scratch.link(1, CLEAN);
    let mistakes = [
        (run(Path::new("/no/such.json"), &["true"], &["true"]), "cannot read /no/such.json"),
        (run(&unwritable, &["true"], &["true"]), "EOF while parsing"),
        (run_with_log(&link, &unwritable, &["true"], &["true"]), "cannot create"),
        (run(&link, &["sleep", "1000"], &["/no/such/program"]), "cannot run /no/such/program"),
    ];
    for (mut command, message) in mistakes {
        let output = outcome(&mut command);
        let problem = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{problem}");
        assert!(problem.lines().count() == 1 && problem.starts_with("linkemu: "), "{problem}");
        assert!(problem.contains(message) || problem.contains("cannot create namespaces"), "{problem}");
    }
}

#[test]
fn an_ordinary_user_can_run_a_link() {
    const NOBODY: u32 = 65_534;
    let is_root = fs::metadata("/proc/self").expect("/proc is mounted").uid() == 0;
    if !is_root || !namespaces_are_allowed() {
        // Without root the other tests have shown it.
        return;
    }
    let scratch = Scratch::new();
    // The build folder may be closed to others.
    let program = scratch.path("linkemu");
    fs::copy(LINKEMU, &program).expect("a copy");
    let link = scratch.link(1, CLEAN);
    let mut command = std::process::Command::new(&program);
    command.arg("run").arg(&link).args(["--", "sleep", "1000", "---", "id", "-u"]).current_dir("/");
    let output = outcome(command.uid(NOBODY).gid(NOBODY));
    if text(&output.stderr).contains("cannot create namespaces") {
        println!("skipped: {}", text(&output.stderr).trim());
        return;
    }
    assert_eq!(text(&output.stdout), format!("{NOBODY}\n"), "{}", text(&output.stderr));
}
