//! A role of `arb` in a process of its own, which reports what it has spent. It ends with the process.

use std::ffi::OsString;
use std::thread::Builder;

use serde_json::Value;

use super::{Act, Order, not_mine};

/// The actor.
pub(super) struct Program;

impl Act for Program {
    fn act(&mut self, order: Order) -> anyhow::Result<Value> {
        let Order::Run { arguments } = order else { return Err(not_mine(&order)) };
        Builder::new().name("role".to_owned()).spawn(move || {
            let command =
                std::iter::once(OsString::from("arb")).chain(arguments.into_iter().map(OsString::from));
            if let Err(error) = arb::run_within(command.collect::<Vec<_>>()) {
                let _ = arb::report("arb", &error, None);
            }
        })?;
        Ok(Value::Null)
    }
}
