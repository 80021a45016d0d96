//! `arb key`: makes an API key and prints it, the only time that it is shown.

use arb_api::access::keys::Keys;

use crate::cli::Key;

pub(crate) fn run(config: &Key) -> anyhow::Result<()> {
    println!("{}", Keys::create(&config.keys, &config.name, config.plan.into())?);
    Ok(())
}
