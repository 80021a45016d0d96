//! `arb deliver` in a process of its own, which says what it has spent. It ends with the process.

use std::ffi::OsString;
use std::thread::Builder;

use serde_json::Value;

use super::{Act, Order, not_mine};

/// The actor.
pub(super) struct Deliverer;

impl Act for Deliverer {
    fn act(&mut self, order: Order) -> anyhow::Result<Value> {
        let Order::Deliver { brokers, admin, key } = order else { return Err(not_mine(&order)) };
        let admin = admin.to_string();
        let arguments = [
            "arb",
            "deliver",
            "--brokers",
            &brokers,
            "--admin-listen",
            &admin,
            "--webhook-key",
            &key,
            "--webhook-development",
        ];
        let arguments: Vec<_> = arguments.into_iter().map(OsString::from).collect();
        Builder::new().name("deliver".to_owned()).spawn(move || {
            if let Err(error) = arb::run_within(arguments) {
                let _ = arb::report("arb deliver", &error, None);
            }
        })?;
        Ok(Value::Null)
    }
}
