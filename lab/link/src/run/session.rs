use super::{FAILED, exit_code, topology::Topology};
use crate::{
    cli::RunOptions,
    event::{self, Event},
    report,
    sys::{
        namespace::{self, Network},
        process,
        signal::{self, Signal},
    },
};
use linkemu::{
    config::Link,
    error::{Context, Result},
};
use std::{
    collections::HashMap,
    ffi::OsString,
    io,
    os::unix::process::CommandExt,
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

/// How long a command may take to end after a signal. Then it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// The work of the first process in the new namespaces. When it returns the kernel kills the other processes.
pub fn run(link: Link, options: &RunOptions) -> Result<u8> {
    namespace::mount_own_proc().context("cannot mount /proc")?;
    let (sender, events) = event::channel()?;
    let Topology { server: server_network, client: client_network, emulation } =
        Topology::create(link, options.log.as_deref(), &sender)?;
    let mut server = command(&options.server, &server_network)?;
    // The terminal and standard output are the client's: with a group of its own the server outlives a Ctrl-C.
    let server = spawn(server.stdin(Stdio::null()).stdout(io::stderr()).process_group(0))?;
    let client = spawn(&mut command(&options.client, &client_network)?)?;
    let mut session = Session { events, server, client, ended: HashMap::new() };
    let outcome = session.wait_for_client().and_then(|code| {
        session.end(server)?;
        report::lateness(&emulation.stop()?);
        Ok(code)
    });
    Ok(outcome.unwrap_or_else(|error| {
        report::say(&error.to_string());
        FAILED
    }))
}

fn command(words: &[OsString], network: &Network) -> Result<Command> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    signal::restore_in(&mut command);
    network.contain(&mut command).context("cannot share a network")?;
    Ok(command)
}

fn spawn(command: &mut Command) -> Result<libc::pid_t> {
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.spawn().context(format!("cannot run {name}"))?;
    Ok(child.id() as libc::pid_t)
}

/// The two commands while they run.
struct Session {
    events: Receiver<Event>,
    server: libc::pid_t,
    client: libc::pid_t,
    ended: HashMap<libc::pid_t, ExitStatus>,
}

impl Session {
    /// Returns the client's exit code, or [`FAILED`] if the server fails first.
    fn wait_for_client(&mut self) -> Result<u8> {
        while !self.ended.contains_key(&self.client) {
            if let Some(failure) = self.ended.get(&self.server).filter(|status| !status.success()) {
                report::say(&format!("the server ended before the client ({failure})"));
                self.end(self.client)?;
                return Ok(FAILED);
            }
            match self.events.recv() {
                Ok(Event::Signal(signal)) if signal.number != libc::SIGCHLD => self.pass_on(signal)?,
                Ok(event) => self.note(event)?,
                Err(_) => unreachable!("the signal thread keeps its sender"),
            }
        }
        Ok(exit_code(self.ended[&self.client]))
    }

    /// Sends a signal to the client and waits for its end. A signal from the terminal has reached the client already,
    /// which may continue.
    fn pass_on(&mut self, signal: Signal) -> Result<()> {
        if signal.from_terminal { Ok(()) } else { self.end_with(self.client, signal.number) }
    }

    /// Asks a command to end, waits, and kills it if it does not.
    fn end(&mut self, process: libc::pid_t) -> Result<()> {
        self.end_with(process, libc::SIGTERM)
    }

    fn end_with(&mut self, process: libc::pid_t, number: libc::c_int) -> Result<()> {
        for number in [number, libc::SIGKILL] {
            if self.ended.contains_key(&process) {
                return Ok(());
            }
            signal::send(process, number).context("cannot send a signal")?;
            self.wait_at_most(GRACE, process)?;
        }
        Ok(())
    }

    fn wait_at_most(&mut self, patience: Duration, process: libc::pid_t) -> Result<()> {
        let deadline = Instant::now() + patience;
        while !self.ended.contains_key(&process) {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(event) => self.note(event)?,
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => unreachable!("the signal thread keeps its sender"),
            }
        }
        Ok(())
    }

    /// Records processes that have ended: the commands, and orphans that the first process inherited.
    fn note(&mut self, event: Event) -> Result<()> {
        if let Event::Failed(error) = event {
            return Err(error);
        }
        while let Some((process, status)) = process::reap().context("cannot wait for the commands")? {
            self.ended.entry(process).or_insert(status);
        }
        Ok(())
    }
}
