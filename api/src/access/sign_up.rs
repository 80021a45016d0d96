//! Who may sign up: anybody, whoever has an invitation, or nobody. It never counts how often an invitation was used: the accounts
//! machine decides that, for all instances.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::files::reload::{FromFile, Reloaded};
use crate::files::{self, FileError};

/// Who may sign up.
#[derive(Debug)]
pub enum SignUp {
    /// Anybody.
    Open,
    /// Whoever has one of the invitations of a file.
    Invite(Reloaded<Invitations>),
    /// Nobody: an operator creates accounts.
    Closed,
}

/// The invitations of a file, one a line, as hashes.
#[derive(Debug, PartialEq, Eq)]
pub struct Invitations(Vec<[u8; 32]>);

impl FromFile for Invitations {
    type Error = FileError;

    fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = files::read(path)?;
        let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        Ok(Self(lines.map(hash).collect()))
    }
}

/// What is compared instead of the text, so that time reveals nothing of it.
fn hash(text: &[u8]) -> [u8; 32] {
    Sha256::digest(text).into()
}

impl SignUp {
    /// The invitation that somebody needs who signs up, where one is needed.
    ///
    /// # Errors
    /// Why nobody with this invitation may sign up.
    pub(crate) fn check<'a>(&self, invitation: Option<&'a str>) -> Result<Option<&'a str>, &'static str> {
        match self {
            Self::Open => Ok(None),
            Self::Closed => Err("Sign-up is closed: an operator creates accounts."),
            Self::Invite(invitations) => {
                let text = invitation.unwrap_or_default().trim();
                let given = hash(text.as_bytes());
                let is_valid = invitations.with(|invitations| invitations.0.contains(&given));
                is_valid.then_some(Some(text)).ok_or("Sign-up needs a valid invitation.")
            }
        }
    }

    /// Reads the invitations again, if they have changed.
    pub(crate) fn reload(&self) {
        if let Self::Invite(invitations) = self {
            let _ = invitations.reload_if_changed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_a_line_of_the_file_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("invitations");
        std::fs::write(&path, "# partners\nfirst-token\n\n second-token \n").unwrap();
        let sign_up = SignUp::Invite(Reloaded::open(path.clone()).unwrap());
        for (invitation, expected) in [
            (Some("first-token"), true),
            (Some("second-token"), true),
            (Some("third-token"), false),
            (Some("# partners"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(sign_up.check(invitation).is_ok(), expected, "{invitation:?}");
        }
        files::write(&path, b"second-token\n").unwrap();
        sign_up.reload();
        assert!(sign_up.check(Some("first-token")).is_err());
        assert!(SignUp::Open.check(None).is_ok() && SignUp::Closed.check(Some("first-token")).is_err());
    }
}
