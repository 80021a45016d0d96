//! Why options of the connection cannot be used, each in a sentence. It never shows a secret.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Options that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// They do not fit together.
    #[error("{0}")]
    Options(String),
    /// A file cannot be used.
    #[error("{option} {}: {problem}", file.display())]
    File {
        /// The option that names it.
        option: &'static str,
        /// The file.
        file: PathBuf,
        /// The reason.
        problem: String,
    },
}

pub(super) fn refuse<T>(sentence: String) -> Result<T, SettingsError> {
    Err(SettingsError::Options(sentence))
}

/// A file that can be read and looks like PEM; whether it fits is for the TLS library.
pub(super) fn check_pem(option: &'static str, file: &Path) -> Result<Vec<u8>, SettingsError> {
    let error = |problem: String| SettingsError::File { option, file: file.to_owned(), problem };
    let text = std::fs::read(file).map_err(|source| error(source.to_string()))?;
    let is_pem = text.windows(11).any(|window| window == b"-----BEGIN ");
    if is_pem { Ok(text) } else { Err(error("it is not a PEM file".to_owned())) }
}
