//! The id of a signal that opens.
//!
//! It depends on the signal's subject and the record that opens it, and on nothing else.

use sha2::{Digest, Sha256};

use crate::context::MarketContext;
use crate::effect::{SignalId, first_16};
use crate::market::Outcome;

use super::signal::Subject;

/// The first 16 bytes of SHA-256 over the subject and the coordinates of the record that opens the signal.
pub(super) fn signal_id(subject: &Subject, context: &MarketContext<'_>) -> SignalId {
    let at = context.step.at;
    let mut hash = Sha256::new();
    // One record can open a signal by the time that it brings, and another of the same subject by its content.
    let by = if context.step.by_time { "time" } else { "frame" };
    hash.update(format!("{by}/{}/{}/{}/{}", at.topic, at.partition, at.offset, context.step.event.id));
    let Subject { kind, line, second, outcome, book } = subject;
    let outcome = outcome.map_or("", Outcome::key);
    let book = book.as_deref().unwrap_or_default();
    hash.update(format!("/{}/{}/{line:?}/{second:?}/{outcome}/{book}", context.market.key(), kind.key()));
    SignalId(first_16(hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StepContext;
    use crate::effect::SignalKind;
    use crate::fixtures::{World, context, price, quote};
    use crate::venues::Books;

    #[test]
    fn an_id_is_of_the_subject_and_the_record_and_of_nothing_else() {
        let world = World::new(Books::default(), 2);
        let of = |kind, book: &str, outcome, offset, by_time, decimal: &str| {
            let step = StepContext { by_time, ..world.step(offset, 0) };
            let bets = [quote(world.book(book), None, outcome, price(decimal))];
            signal_id(&Subject::of(kind, &bets, &world.names).unwrap(), &context(&step, "h2h"))
        };
        let (kind, home) = (SignalKind::StalePrice, Outcome::Home);
        let first = of(kind, "a", home, 1, false, "2");
        assert_eq!(first, of(kind, "a", home, 1, false, "3"), "the price is not part of it");
        let value = of(SignalKind::Value, "a", home, 1, false, "2");
        assert_eq!(value, of(SignalKind::Value, "b", home, 1, false, "2"), "a value is about the bet");
        let others = [
            value,
            of(kind, "b", home, 1, false, "2"),
            of(kind, "a", Outcome::Away, 1, false, "2"),
            of(kind, "a", home, 2, false, "2"),
            of(kind, "a", home, 1, true, "2"),
        ];
        assert!(others.iter().all(|other| *other != first), "{others:?}");
    }
}
