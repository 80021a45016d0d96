//! Tickets of streams: by one a page of another origin opens a stream, without a key.
//!
//! Pure. A ticket is signed under the pepper, so that every instance knows it; whether it was spent is the machine's to decide. It
//! never contains a key. A ticket is bound to the key that it was issued by, to an origin and to the parameters of the stream.

use arb_accounts::secrets::Pepper;
use arb_schemas::time::{Micros, SECOND};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use form_urlencoded::Serializer;
use serde::{Deserialize, Serialize};

/// The parameter that carries it.
pub(crate) const PARAMETER: &str = "ticket";
/// Within this time the first connection must come.
pub(crate) const LIFE: Micros = 60 * SECOND;
/// Longest text of one.
const MAX_TEXT: usize = 4_096;
/// Parameters that may differ at each connection.
const FREE: [&str; 2] = [PARAMETER, "last_event_id"];

/// A ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ticket {
    pub(crate) kid: String,
    pub(crate) origin: String,
    /// The parameters of the stream, in order.
    pub(crate) query: String,
    pub(crate) expires_at: Micros,
    /// By which it is spent: a hash, equal for each answer to one request.
    pub(crate) id: String,
}

impl Ticket {
    /// Its text.
    pub(crate) fn sign(&self, pepper: &Pepper) -> String {
        let content = serde_json::to_vec(self).unwrap_or_default();
        let content = URL_SAFE_NO_PAD.encode(content);
        let signature = pepper.hmac(&signed(&content));
        format!("{content}.{signature}")
    }

    /// From its text; `None` for one that was never issued.
    pub(crate) fn verify(text: &str, pepper: &Pepper) -> Option<Self> {
        let (content, signature) = Some(text).filter(|text| text.len() <= MAX_TEXT)?.split_once('.')?;
        let is_issued = pepper.is_of(&signed(content), signature);
        let content = URL_SAFE_NO_PAD.decode(content).ok().filter(|_| is_issued)?;
        serde_json::from_slice(&content).ok()
    }
}

fn signed(content: &str) -> String {
    format!("/stream-ticket/{content}")
}

/// The ticket in a query.
pub(crate) fn of_query(query: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == PARAMETER);
    values.next().map(|(_, value)| value.into_owned())
}

/// A query without its ticket.
pub(crate) fn without_ticket(query: &str) -> String {
    let pairs = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != PARAMETER);
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// What a ticket is bound to of a query: the parameters, in order.
pub(crate) fn bound(query: &str) -> String {
    let pairs = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| !FREE.contains(&&**name));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket() -> Ticket {
        Ticket {
            kid: "k".into(),
            origin: "https://a.example".into(),
            query: bound("sport=soccer&min_margin=0.02"),
            expires_at: 9,
            id: "ab".repeat(32),
        }
    }

    #[test]
    fn only_what_was_issued_is_a_ticket() {
        let (pepper, other) = (Pepper::new(&[7; 32]), Pepper::new(&[8; 32]));
        let text = ticket().sign(&pepper);
        assert_eq!(Ticket::verify(&text, &pepper), Some(ticket()));
        assert_eq!(Ticket::verify(&text, &other), None);
        for index in [0, text.len() / 2, text.len() - 1] {
            let mut bytes = text.clone().into_bytes();
            bytes[index] = if bytes[index] == b'a' { b'b' } else { b'a' };
            assert_eq!(Ticket::verify(std::str::from_utf8(&bytes).unwrap(), &pepper), None, "{index}");
        }
        let long = "a".repeat(MAX_TEXT + 1);
        for text in ["", ".", "a.b", &text[..text.len() - 1], &long] {
            assert_eq!(Ticket::verify(text, &pepper), None, "{text}");
        }
    }

    #[test]
    fn the_order_of_parameters_does_not_matter_and_their_values_do() {
        assert_eq!(bound("a=1&b=2"), bound("b=2&ticket=x&a=1&last_event_id=y"));
        assert_ne!(bound("a=1&b=2"), bound("a=1&b=3"));
        assert_eq!(
            (bound(""), without_ticket("b=2&ticket=x&a=%261")),
            (String::new(), "b=2&a=%261".to_owned())
        );
        assert_eq!(of_query("a=1&ticket=x.y"), Some("x.y".to_owned()));
        assert_eq!(of_query("a=1"), None);
    }
}
