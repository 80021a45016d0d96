//! `arb mcp`: the API as tools, for one client on standard input and output.
//!
//! It never writes anything to standard output itself.

use crate::cli::Mcp;

#[cfg(feature = "mcp")]
pub(crate) fn run(config: &Mcp) -> anyhow::Result<()> {
    let client = arb_mcp::client::ApiClient::new(&config.url, &key(config)?)?;
    let stop = crate::system::signals::stop(crate::cli::Child { child: false })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(arb_mcp::serve(client, stop.stopped()));
    // A read of standard input, and a request that nobody waits for any more, cannot be cancelled.
    runtime.shutdown_background();
    Ok(served?)
}

#[cfg(feature = "mcp")]
fn key(config: &Mcp) -> anyhow::Result<String> {
    use anyhow::Context;

    match &config.key_file {
        Some(file) => std::fs::read_to_string(file).with_context(|| file.display().to_string()),
        None => crate::cli::mcp::key()
            .context("set ARB_KEY to a key of the board, or name its file by --key-file"),
    }
}

#[cfg(not(feature = "mcp"))]
pub(crate) fn run(_: &Mcp) -> anyhow::Result<()> {
    anyhow::bail!("this program was compiled without arb mcp: cargo build --release --package arb has it")
}
