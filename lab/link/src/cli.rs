//! The command line.

use linkemu::error::{Error, Result};
use std::{
    ffi::{OsStr, OsString},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

pub const HELP: &str = "\
linkemu run LINK.json [--log DIR] -- SERVER… --- CLIENT…
    Runs two commands, each in its own network (server 10.77.0.1, client 10.77.0.2; path N: 10.77.N.1 and .2, from 0), with
    the link between them. Ends when the client ends, with the client's exit code, and ends all processes. Linux only; as
    root, or as any user who may create user namespaces and open /dev/net/tun.

linkemu udp LINK.json --listen [ADDRESS:]PORT --to [ADDRESS:]PORT [--log DIR]
    Relays UDP packets from one port through the link to another port, and the responses back, until Ctrl-C.

lab/link/README.md describes LINK.json and the files in DIR.
Exit codes of linkemu itself: 2 invalid input or a missing right, 125 the link or the server failed, 128+N the client was
ended by signal N.";

#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Run(RunOptions),
    Udp(UdpOptions),
    Help,
}

#[derive(Debug, PartialEq, Eq)]
pub struct RunOptions {
    pub link: PathBuf,
    pub log: Option<PathBuf>,
    /// Program and arguments.
    pub server: Vec<OsString>,
    pub client: Vec<OsString>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct UdpOptions {
    pub link: PathBuf,
    pub log: Option<PathBuf>,
    pub listen: SocketAddr,
    pub to: SocketAddr,
}

/// Parses the words after the program's name.
pub fn parse(words: &[OsString]) -> Result<Command> {
    match words.split_first() {
        Some((command, rest)) if command == "run" => parse_run(rest).map(Command::Run),
        Some((command, rest)) if command == "udp" => parse_udp(rest).map(Command::Udp),
        Some((word, _)) if word == "--help" || word == "-h" => Ok(Command::Help),
        Some((word, _)) => Err(usage(&format!("the command must be run or udp, got {word:?}"))),
        None => Err(usage("a command is missing: run or udp")),
    }
}

fn parse_run(words: &[OsString]) -> Result<RunOptions> {
    let (own, commands) = split_at(words, "--").ok_or_else(|| usage("-- SERVER… is missing"))?;
    let (server, client) = split_at(commands, "---").ok_or_else(|| usage("--- CLIENT… is missing"))?;
    if server.is_empty() || client.is_empty() {
        return Err(usage("SERVER and CLIENT must not be empty"));
    }
    let mut words = Words::new(own);
    let log = words.take_option("--log")?.map(PathBuf::from);
    Ok(RunOptions { link: words.take_file()?, log, server: server.to_vec(), client: client.to_vec() })
}

fn parse_udp(words: &[OsString]) -> Result<UdpOptions> {
    let mut words = Words::new(words);
    let log = words.take_option("--log")?.map(PathBuf::from);
    let listen = words.take_address("--listen")?;
    let to = words.take_address("--to")?;
    Ok(UdpOptions { link: words.take_file()?, log, listen, to })
}

fn split_at<'a>(words: &'a [OsString], separator: &str) -> Option<(&'a [OsString], &'a [OsString])> {
    let place = words.iter().position(|word| word == separator)?;
    Some((&words[..place], &words[place + 1..]))
}

fn usage(problem: &str) -> Error {
    Error::Input(format!("{problem} (see linkemu --help)"))
}

/// Words, from which options are removed by name.
struct Words(Vec<OsString>);

impl Words {
    fn new(words: &[OsString]) -> Self {
        Self(words.to_vec())
    }

    fn take_option(&mut self, name: &str) -> Result<Option<OsString>> {
        let Some(place) = self.0.iter().position(|word| word == name) else { return Ok(None) };
        if place + 1 == self.0.len() {
            return Err(usage(&format!("{name} needs a value")));
        }
        Ok(self.0.drain(place..place + 2).next_back())
    }

    fn take_address(&mut self, name: &str) -> Result<SocketAddr> {
        let word = self.take_option(name)?.ok_or_else(|| usage(&format!("{name} is missing")))?;
        let text = word.to_str().unwrap_or_default();
        let on_loopback = || text.parse().ok().map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        text.parse()
            .ok()
            .or_else(on_loopback)
            .ok_or_else(|| usage(&format!("{name} must be [ADDRESS:]PORT, got {text:?}")))
    }

    /// The only remaining word: the link file.
    fn take_file(self) -> Result<PathBuf> {
        match self.0.as_slice() {
            [file] if !starts_with_dash(file) => Ok(file.into()),
            [] => Err(usage("LINK.json is missing")),
            words => Err(usage(&format!("unexpected argument: {}", words[words.len() - 1].to_string_lossy()))),
        }
    }
}

fn starts_with_dash(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Result<Command> {
        parse(&text.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn run_takes_two_commands() {
        let expected = RunOptions {
            link: "link.json".into(),
            log: Some("logs".into()),
            server: ["serve", "--log", "x"].map(OsString::from).into(),
            client: ["play", "--", "y"].map(OsString::from).into(),
        };
        let command =
            parse_text("run link.json --log logs -- serve --log x --- play -- y").expect("a valid command line");
        assert_eq!(command, Command::Run(expected));
    }

    #[test]
    fn udp_takes_ports_and_addresses() {
        let expected = UdpOptions {
            link: "link.json".into(),
            log: None,
            listen: SocketAddr::from(([127, 0, 0, 1], 9000)),
            to: SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], 4433)),
        };
        let command = parse_text("udp --listen 9000 link.json --to [::1]:4433").expect("a valid command line");
        assert_eq!(command, Command::Udp(expected));
    }

    #[test]
    fn mistakes_are_named() {
        let mistakes = [
            ("", "a command is missing: run or udp"),
            ("walk", "the command must be run or udp, got \"walk\""),
            ("run link.json", "-- SERVER… is missing"),
            ("run link.json -- serve", "--- CLIENT… is missing"),
            ("run link.json -- --- play", "SERVER and CLIENT must not be empty"),
            ("run -- serve --- play", "LINK.json is missing"),
            ("run a b -- serve --- play", "unexpected argument: b"),
            ("run --quick -- serve --- play", "unexpected argument: --quick"),
            ("udp link.json --to 1", "--listen is missing"),
            ("udp link.json --listen x --to 1", "--listen must be [ADDRESS:]PORT, got \"x\""),
            ("udp link.json --listen 70000 --to 1", "--listen must be [ADDRESS:]PORT, got \"70000\""),
            ("udp link.json --to 1 --listen", "--listen needs a value"),
        ];
        for (text, message) in mistakes {
            let problem = parse_text(text).expect_err(text).to_string();
            assert_eq!(problem, format!("{message} (see linkemu --help)"));
        }
    }
}
