//! Random bytes of the system, for secrets and ids. It never falls back to anything weaker.

/// So many.
///
/// # Errors
/// When the system has none.
pub(crate) fn bytes<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(bytes)
}
