//! What a link to a bet at its book may be: an address of http or https, of limited length.
//!
//! A link is shown to people, who follow it: one with a user name, with characters that an address does not have, or of another
//! scheme is none. It never fetches anything, and never repairs a link.
//!
//! Source: RFC 3986, section 2 (characters) and 3.2 (authority).

use std::fmt;

/// Bytes of a link, at most.
pub const LINK_BYTES: usize = 2_048;

/// Why a text is no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkFault {
    /// It has more than [`LINK_BYTES`].
    TooLong,
    /// It is no address of http or https with a host.
    NotHttp,
}

impl LinkFault {
    /// In words, after what it is about.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::TooLong => "too long",
            Self::NotHttp => "is no address of http or https",
        }
    }
}

impl fmt::Display for LinkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// Whether a text is a link that may be shown.
///
/// ```
/// use arb_model::link::{LinkFault, check};
///
/// assert_eq!(check("https://book.example/event/7?side=home"), Ok(()));
/// assert_eq!(check("javascript:alert(1)"), Err(LinkFault::NotHttp));
/// ```
///
/// # Errors
/// [`LinkFault`].
pub fn check(text: &str) -> Result<(), LinkFault> {
    if text.len() > LINK_BYTES {
        return Err(LinkFault::TooLong);
    }
    let rest = ["https://", "http://"].into_iter().find_map(|scheme| after(text, scheme));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    let has_host = authority.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[');
    let is_link = has_host && !authority.contains('@') && text.bytes().all(is_allowed);
    if is_link { Ok(()) } else { Err(LinkFault::NotHttp) }
}

/// What follows a scheme, in whatever case it is written.
fn after<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// The characters of an address: unreserved, reserved, and the percent sign.
fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

/// A value as a part of a path or a query: all but unreserved characters are percent-encoded.
pub fn encode(value: &str, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let digit = |of: u8| char::from(DIGITS[usize::from(of)]);
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_link_is_an_address_of_http_or_https() {
        for link in [
            "https://book.example",
            "HTTP://book.example:8443/a%20b?x=1#y",
            "https://[2001:db8::1]/",
            &format!("https://b.example/{}", "x".repeat(LINK_BYTES - 18)),
        ] {
            assert_eq!(check(link), Ok(()), "{link}");
        }
        for other in [
            "",
            "book.example",
            "//book.example",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://book.example",
            "https://",
            "https:///path",
            "https://?x",
            "https://user@book.example",
            "https://book.example@evil.example/",
            "https://book.example/a b",
            "https://book.example/\n",
            "https://sports.{state}.book.example/",
            "https://book.example/\"onclick",
            "https://b\u{f6}\u{f6}k.example",
            " https://book.example",
        ] {
            assert_eq!(check(other), Err(LinkFault::NotHttp), "{other:?}");
        }
        assert_eq!(check(&format!("https://b.example/{}", "x".repeat(LINK_BYTES))), Err(LinkFault::TooLong));
    }

    proptest! {
        /// Whatever a value is, it stays within the part of the address that it is put into, and nothing of it is lost.
        #[test]
        fn an_encoded_value_leaves_no_part_of_an_address(value in any::<String>()) {
            let mut out = "https://book.example/".to_owned();
            let start = out.len();
            encode(&value, &mut out);
            prop_assert!(out[start..].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
            prop_assert_eq!(check(&out).is_ok(), out.len() <= LINK_BYTES);
            let mut bytes = out[start..].bytes();
            let mut decoded = Vec::new();
            while let Some(byte) = bytes.next() {
                if byte != b'%' {
                    decoded.push(byte);
                    continue;
                }
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                decoded.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            }
            prop_assert_eq!(decoded, value.into_bytes());
        }
    }
}
