//! What values may be. It never looks at the state.

use arb_schemas::records::AccountBankroll;
use arb_schemas::time::Micros;

use crate::command::{Actor, Request};
use crate::key::Permissions;
use crate::password;
use crate::reply::Refusal;
use crate::scope::Scope;
use crate::secrets;

/// Longest names of a source and of its book, in bytes: both together, with what stands between them, are a name of the engine.
const MAX_SOURCE: usize = 100;
const MAX_BOOK: usize = 150;
/// Characters of a name at most.
const MAX_NAME: usize = 100;
/// Bytes of an e-mail at most: RFC 5321, 4.5.3.1.3.
const MAX_EMAIL: usize = 254;
/// Bytes of a command's id at most.
const MAX_ID: usize = 200;
/// Bytes of an address at most: an IPv6 address with a zone.
const MAX_ADDRESS: usize = 64;
const MAX_BOOKS: usize = 200;
const MAX_CIDRS: usize = 100;

pub(super) fn invalid(field: &str, reason: &str) -> Refusal {
    Refusal::Invalid(field.to_owned(), reason.to_owned())
}

/// Refuses a request that could have no reply, in words.
pub(super) fn request(request: &Request) -> Result<(), String> {
    let is_text = |text: &str, most: usize| text.len() <= most && !text.chars().any(char::is_control);
    if request.id.is_empty() || !is_text(&request.id, MAX_ID) {
        return Err(format!("the id is empty, longer than {MAX_ID} bytes or has control characters"));
    }
    if !is_text(&request.address, MAX_ADDRESS) {
        return Err(format!("the address is longer than {MAX_ADDRESS} bytes or has control characters"));
    }
    if request.sent_at <= 0 {
        return Err("sent_at is not after 1970".to_owned());
    }
    match &request.actor {
        Actor::Session(id) | Actor::Key(id) if !is_text(id, MAX_ID) => {
            Err(format!("the actor's id is longer than {MAX_ID} bytes or has control characters"))
        }
        _ => Ok(()),
    }
}

/// An e-mail in lower case.
pub(super) fn email(email: &str) -> Result<String, Refusal> {
    let lower = email.to_lowercase();
    let parts = lower.split('@').collect::<Vec<_>>();
    let problem = if lower.len() > MAX_EMAIL {
        "is longer than 254 bytes"
    } else if lower.chars().any(|c| c.is_control() || c.is_whitespace()) {
        "has spaces or control characters"
    } else if parts.len() != 2 || parts.iter().any(|part| part.is_empty()) {
        "is not of the form name@host"
    } else {
        return Ok(lower);
    };
    Err(invalid("email", problem))
}

pub(super) fn account_id(id: &str) -> Result<(), Refusal> {
    let random = id.strip_prefix("acc_").unwrap_or_default();
    let is_id =
        random.len() == secrets::ACCOUNT_RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_id { Ok(()) } else { Err(invalid("account", "is not acc_ and 16 base62 characters")) }
}

/// Up to ten million units of a currency, rounded to a thousand of them at most.
pub(super) fn bankroll(bankroll: &AccountBankroll) -> Result<(), Refusal> {
    let is_code = |code: &String| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
    if !(1..=1_000_000_000).contains(&bankroll.total) {
        return Err(invalid("total", "is not from 0.01 to 10000000"));
    }
    if !bankroll.currency.as_ref().is_none_or(is_code) {
        return Err(invalid("currency", "is not three capital letters"));
    }
    if !(1..=100_000).contains(&bankroll.rounding) {
        return Err(invalid("rounding", "is not from 0.01 to 1000"));
    }
    Ok(())
}

pub(super) fn password(hash: &str) -> Result<(), Refusal> {
    if password::is_hash(hash) { Ok(()) } else { Err(invalid("password", "is not a hash of argon2id")) }
}

pub(super) fn name(field: &str, name: &str) -> Result<(), Refusal> {
    let is_name = (1..=MAX_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if is_name {
        Ok(())
    } else {
        Err(invalid(field, "is empty, longer than 100 characters or has control characters"))
    }
}

/// A source, whose updates are known by its name: short enough for the engine, which knows it with a prefix.
pub(super) fn source(source: &str) -> Result<(), Refusal> {
    name("source", source)?;
    if source.contains([':', '/']) {
        return Err(invalid(
            "source",
            "has a colon or a slash, which end a source's name where it is written before others",
        ));
    }
    if source.len() > MAX_SOURCE { Err(invalid("source", "is longer than 100 bytes")) } else { Ok(()) }
}

pub(super) fn kid(kid: &str) -> Result<(), Refusal> {
    if secrets::is_kid(kid) { Ok(()) } else { Err(invalid("kid", "is not 8 base62 characters")) }
}

pub(super) fn hmac(field: &str, hmac: &str) -> Result<(), Refusal> {
    if secrets::is_hmac(hmac) { Ok(()) } else { Err(invalid(field, "is not 64 hexadecimal digits")) }
}

pub(super) fn books(books: &[String]) -> Result<(), Refusal> {
    if books.len() > MAX_BOOKS {
        return Err(invalid("books", "are more than 200"));
    }
    books.iter().try_for_each(|book| self::book(book))
}

fn book(book: &str) -> Result<(), Refusal> {
    name("books", book)?;
    if book.contains(':') {
        return Err(invalid("books", "one has a colon, which stands between a private source and its book"));
    }
    if book.len() > MAX_BOOK { Err(invalid("books", "one is longer than 150 bytes")) } else { Ok(()) }
}

/// Permissions with each scope once.
pub(super) fn permissions(permissions: &Permissions, now: Micros) -> Result<Permissions, Refusal> {
    if permissions.scopes.is_empty() {
        return Err(invalid("scopes", "are none"));
    }
    if permissions.expires_at.is_some_and(|end| end <= now) {
        return Err(invalid("expires_at", "is over"));
    }
    if permissions.cidrs.len() > MAX_CIDRS {
        return Err(invalid("cidrs", "are more than 100"));
    }
    if permissions.monthly_cap.is_some_and(|cap| i64::try_from(cap).is_err()) {
        return Err(invalid("monthly_cap", "is too large"));
    }
    Ok(Permissions { scopes: sorted(&permissions.scopes), ..permissions.clone() })
}

/// Each scope once, in their order.
pub(super) fn sorted(scopes: &[Scope]) -> Vec<Scope> {
    let mut scopes = scopes.to_vec();
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}
