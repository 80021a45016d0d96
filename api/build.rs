//! Lists the built files of the page, `dashboard/dist`, as a table that `src/page.rs` includes.
//!
//! It never builds them: `npm run build` does, and ADR 045 explains why they are checked in.
#![expect(clippy::disallowed_methods, reason = "Cargo names a build script's folders by variables")]

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("dashboard/dist/assets");
    println!("cargo:rerun-if-changed={}", folder.display());
    let files: Result<Vec<_>, _> =
        fs::read_dir(&folder)?.map(|file| file.map(|file| file.file_name())).collect();
    let mut names: Vec<_> = files?.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    let mut table = "&[\n".to_owned();
    for name in names {
        let path = folder.join(&name).display().to_string();
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    table.push(']');
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("page.rs"), table)?;
    Ok(())
}
