//! The child processes of `arb up`.
//!
//! It never leaves one behind: ended in the reverse order of their start, each with a budget.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb_pipeline::stop::Stop;

use crate::cli::LogFormat;

/// How long a child may take to end by itself; Kafka's own budget is 20 s.
const END: Duration = Duration::from_secs(25);
const LOOK: Duration = Duration::from_millis(50);

/// Those that run, in the order of their start.
pub(super) struct Children {
    running: Vec<(String, Child)>,
    log_format: LogFormat,
}

impl Children {
    /// None yet; all will log in this format.
    pub(super) fn new(log_format: LogFormat) -> Self {
        Self { running: Vec::new(), log_format }
    }

    /// Starts a role of this binary.
    pub(super) fn start(&mut self, role: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let binary = std::env::current_exe().context("the path of this program")?;
        let child = Command::new(binary)
            .arg(role)
            .args(["--log-format", self.log_format.key()])
            .args(arguments)
            .stdin(Stdio::piped())
            // Out of the terminal's group: Ctrl-C reaches the parent alone.
            .process_group(0)
            .spawn()
            .with_context(|| format!("{role} cannot be started"))?;
        self.running.push((role.to_owned(), child));
        Ok(())
    }

    /// Fails when a child has ended that should not have: only a feed that is played out may.
    pub(super) fn check(&mut self) -> anyhow::Result<()> {
        for (role, child) in &mut self.running {
            let Some(status) = child.try_wait()? else { continue };
            if role != "ingest" || !status.success() {
                bail!("{role} ended with {status}");
            }
        }
        Ok(())
    }

    /// Waits until the end is wished.
    pub(super) fn watch(&mut self, stop: &Stop) -> anyhow::Result<()> {
        while !stop.wait(LOOK) {
            self.check()?;
        }
        Ok(())
    }

    /// Ends all of them.
    pub(super) fn stop(&mut self) {
        while let Some((role, mut child)) = self.running.pop() {
            // A closed standard input is the wish to end.
            drop(child.stdin.take());
            let deadline = Instant::now() + END;
            while child.try_wait().is_ok_and(|status| status.is_none()) {
                if Instant::now() > deadline {
                    eprintln!("{role} did not end within {} s and is killed", END.as_secs());
                    let _ = child.kill();
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
