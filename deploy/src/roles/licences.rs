//! `arb licences`: under which licences this program is, and what of others it contains.
//!
//! It never shows less than the files of the repository.

use std::io::Write;

/// The licences to choose from, then those of what the program contains.
const TEXTS: [&str; 3] = [
    include_str!("../../../LICENSE-MIT"),
    include_str!("../../../LICENSE-APACHE"),
    include_str!("../../../NOTICES"),
];

pub(crate) fn run() -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(TEXTS.join("\n").as_bytes())?)
}
