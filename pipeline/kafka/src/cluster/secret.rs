//! A password or another secret.
//!
//! It must never be shown: its debug output is fixed.

use std::fmt;
use std::path::Path;

use super::SettingsError;

/// A secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Of a text, such as the value of an environment variable.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The content of a file without the end of its last line.
    ///
    /// # Errors
    /// [`SettingsError::File`] when the file cannot be read or is empty; `option` is the option that names it.
    pub fn read(option: &'static str, file: &Path) -> Result<Self, SettingsError> {
        let error = |problem: String| SettingsError::File { option, file: file.to_owned(), problem };
        let text = std::fs::read_to_string(file).map_err(|source| error(source.to_string()))?;
        match text.trim_end_matches(['\r', '\n']) {
            "" => Err(error("it is empty".to_owned())),
            secret => Ok(Self::new(secret)),
        }
    }

    /// For the client that needs it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(..)")
    }
}
