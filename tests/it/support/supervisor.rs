//! Two processors, a sink and two instances of the API, each started again whenever it ends, as a supervisor does.

use super::broker_faults::Victim;
use super::processors::Processors;
use super::program::Role;
use super::serve::{Key, Serve};
use super::sinks::Ground;
use super::wait_for;

/// Small batches, many of them.
const SINK: [&str; 4] = ["--batch-rows", "500", "--batch-interval-ms", "50"];
/// So little that clients that come back must be served from Kafka.
const SERVE: [&str; 2] = ["--stream-events", "64"];

/// Roles that run.
pub(crate) struct Supervisor<'a> {
    ground: &'a Ground,
    key: &'a Key,
    processors: Processors<'a>,
    /// Records of a transaction, at most, by slot.
    commit_records: [&'static str; 2],
    sink: Role,
    serves: [Serve; 2],
    /// How many were killed here.
    pub(crate) killed: usize,
    /// How many were started again.
    pub(crate) restarted: usize,
}

impl<'a> Supervisor<'a> {
    /// Starts all of them.
    pub(crate) fn start(ground: &'a Ground, key: &'a Key, commit_records: [&'static str; 2]) -> Self {
        let serves = ["serve-0", "serve-1"].map(|name| Serve::launch(&ground.broker, key, name, &SERVE));
        let (sink, processors) = (ground.sink("sink.log", &SINK), Processors::on(&ground.broker));
        let mut all = Self { ground, key, processors, commit_records, sink, serves, killed: 0, restarted: 0 };
        (0..2).for_each(|slot| all.start_processor(slot));
        for serve in &mut all.serves {
            wait_for("an instance is ready", || serve.is_ready().then_some(()));
        }
        all
    }

    fn start_processor(&mut self, slot: u32) {
        let records = self.commit_records[slot as usize];
        self.processors.start(slot, &["--commit-records", records]);
    }

    /// Where the instances of the API listen.
    pub(crate) fn addresses(&self) -> [String; 2] {
        self.serves.each_ref().map(|serve| serve.listen.clone())
    }

    /// Kills one with -9, if it has not ended by itself.
    pub(crate) fn kill(&mut self, victim: Victim) {
        self.tend();
        match victim {
            Victim::Processor(slot) => self.processors.of(slot).kill(),
            Victim::Sink => self.sink.kill(),
            Victim::Serve(index) => self.serves[index].role.kill(),
        }
        self.killed += 1;
    }

    /// Starts again whatever has ended.
    pub(crate) fn tend(&mut self) {
        for slot in self.processors.dead() {
            self.start_processor(slot);
            self.restarted += 1;
        }
        if self.sink.died() {
            self.sink = self.ground.sink("sink.log", &SINK);
            self.restarted += 1;
        }
        for (index, serve) in self.serves.iter_mut().enumerate().filter_map(ended) {
            let name = format!("serve-{index}");
            *serve = Serve::launch_at(&serve.listen, &self.ground.broker, self.key, &name, &SERVE);
            self.restarted += 1;
        }
    }
}

fn ended((index, serve): (usize, &mut Serve)) -> Option<(usize, &mut Serve)> {
    serve.role.died().then_some((index, serve))
}
