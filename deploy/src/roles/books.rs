//! Which table of books a role works with.
//!
//! It never guesses: a file that cannot be read or is wrong ends the role with the place of the fault.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use arb_engine::venues::Books;
use arb_process::books;

/// The table from a file, or the table that this program contains.
pub(crate) fn read(file: Option<&Path>) -> anyhow::Result<Arc<Books>> {
    let Some(path) = file else {
        return Ok(Arc::new(books::shipped()?));
    };
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(Arc::new(books::parse(&text).with_context(|| path.display().to_string())?))
}
