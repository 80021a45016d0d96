//! `arb serve`: the board over HTTP, fed by a thread that reads its topic.

use std::sync::Arc;

use anyhow::{Context, anyhow};
use arb_api::board::Board;
use arb_api::keys::Keys;
use arb_api::{App, follow, server};
use arb_pipeline::kafka::{self, Table};
use arb_pipeline::stop::Stop;
use arb_schemas::topics::ARBS_BOARD;

use crate::cli::Serve;
use crate::signals;

pub(crate) fn run(config: Serve) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let brokers = config.brokers.brokers;
    let keys = Keys::read(&config.keys).context("no API keys; `arb key` makes one")?;
    let partitions = kafka::partitions(&brokers)?;
    let table = Table::open(&brokers, &ARBS_BOARD, partitions)?;
    let app = Arc::new(App { board: Board::new(partitions), keys });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let listener = runtime.block_on(server::listen(config.listen));
    let listener = listener.with_context(|| format!("{} cannot be listened on", config.listen))?;
    tracing::info!(listen = %config.listen, "serving");
    let follower = {
        let (app, stop) = (Arc::clone(&app), stop.clone());
        std::thread::Builder::new().name("board".to_owned()).spawn(move || {
            let _stop = StopAtEnd(stop.clone());
            follow::follow(table, &app.board, &stop)
        })?
    };
    runtime.block_on(server::serve(listener, app, &stop));
    Ok(follower.join().map_err(|_| anyhow!("the reader of the board panicked"))??)
}

/// A board that is no longer followed, for whatever reason, is not served.
struct StopAtEnd(Stop);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.stop();
    }
}
