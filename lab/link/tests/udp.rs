//! `linkemu udp` from outside.

mod support;

use std::{
    fs,
    io::{BufRead, BufReader},
    net::{SocketAddr, UdpSocket},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};
use support::{CLEAN, LINKEMU, Scratch, outcome, text};

/// Far more than a loopback packet takes.
const PATIENCE: Duration = Duration::from_secs(20);

fn start_relay(link: &Path, to: SocketAddr, log: &Path) -> (Child, SocketAddr) {
    let mut command = Command::new(LINKEMU);
    command.arg("udp").arg(link).args(["--listen", "0", "--to", &to.to_string(), "--log"]).arg(log);
    let mut relay = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut announcement = String::new();
    BufReader::new(relay.stderr.take().expect("piped")).read_line(&mut announcement).expect("a line");
    let address = announcement.split_whitespace().nth(2).and_then(|word| word.parse().ok());
    (relay, address.unwrap_or_else(|| panic!("{announcement:?} names the address")))
}

fn client(relay: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.connect(relay).expect("an address");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    socket
}

#[test]
fn every_client_gets_its_own_answers() {
    let scratch = Scratch::new();
    let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let log = scratch.path("log");
    let (mut relay, address) = start_relay(&scratch.link(1, CLEAN), server.local_addr().expect("bound"), &log);
    thread::spawn(move || {
        let mut buffer = [0; 100];
        while let Ok((length, from)) = server.recv_from(&mut buffer) {
            let _ = server.send_to(&buffer[..length], from);
        }
    });
    let clients = [client(address), client(address)];
    for (index, socket) in clients.iter().enumerate() {
        for number in 0..20 {
            socket.send(format!("{index} {number}").as_bytes()).expect("sent");
        }
    }
    for (index, socket) in clients.iter().enumerate() {
        for number in 0..20 {
            let mut buffer = [0; 100];
            let length = socket.recv(&mut buffer).expect("an answer");
            assert_eq!(text(&buffer[..length]), format!("{index} {number}"));
        }
    }
    let kill = format!("kill {}", relay.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
    assert_eq!(relay.wait().expect("a child").code(), Some(0));
    let summary = fs::read_to_string(log.join("summary.json")).expect("a summary");
    assert_eq!(summary.matches(r#""deliveredPackets": 40"#).count(), 2, "{summary}");
}

#[test]
fn bad_input_is_named_in_one_line() {
    let scratch = Scratch::new();
    let taken = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("bound").port().to_string();
    for (paths, listen, message) in
        [(1, port.as_str(), "cannot listen on 127.0.0.1:"), (2, "0", "needs a link with one path")]
    {
        let mut command = Command::new(LINKEMU);
        command.arg("udp").arg(scratch.link(paths, CLEAN)).args(["--listen", listen, "--to", "1"]);
        let output = outcome(&mut command);
        let problem = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{problem}");
        assert!(problem.lines().count() == 1 && problem.contains(message), "{problem}");
    }
}
