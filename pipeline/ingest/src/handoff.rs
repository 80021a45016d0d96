//! What the instance that publishes a source leaves to the next one: which part of it, up to where, and whether that was
//! all.
//!
//! It is pure: it never talks to Kafka and reads no clock. A note that is not understood is no note: the source is then
//! published from the beginning of its part, and polls that were published before are late for the engine and change
//! nothing.

use arb_schemas::time::Micros;

/// The first word of a note, which names its format.
const VERSION: &str = "1";

/// The part of a source that was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Part {
    /// Only polls after this time.
    pub after: Option<Micros>,
    /// Only polls up to this time.
    pub until: Option<Micros>,
}

/// How far a part is published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// Of which part.
    pub part: Part,
    /// `received_at` of the latest poll that is written with all before it.
    pub published: Option<Micros>,
    /// Time of the latest heartbeat that is.
    pub beat: Option<Micros>,
    /// Wall time at which the whole part was published.
    pub complete_at: Option<Micros>,
}

/// What is published already; all is to be published where nothing is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resume {
    /// The polls up to this time.
    pub after: Option<Micros>,
    /// The heartbeats up to this time.
    pub beat: Option<Micros>,
}

/// What the new holder of a lease does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It publishes what comes after this.
    Publish(Resume),
    /// Another instance has published everything since this one was started.
    Complete,
}

impl Position {
    /// Writes the text form.
    #[must_use]
    pub fn write(&self) -> String {
        let Self { part: Part { after, until }, published, beat, complete_at } = *self;
        let fields = [
            ("after", after),
            ("until", until),
            ("published", published),
            ("beat", beat),
            ("complete_at", complete_at),
        ];
        let words = fields.into_iter().filter_map(|(name, at)| at.map(|at| format!(" {name}={at}")));
        words.fold(VERSION.to_owned(), |text, word| text + &word)
    }

    /// Parses the text form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        (words.next() == Some(VERSION)).then_some(())?;
        let mut position = Self::default();
        for word in words {
            let (name, at) = word.split_once('=')?;
            let field = match name {
                "after" => &mut position.part.after,
                "until" => &mut position.part.until,
                "published" => &mut position.published,
                "beat" => &mut position.beat,
                "complete_at" => &mut position.complete_at,
                _ => return None,
            };
            *field = Some(at.parse().ok()?);
        }
        Some(position)
    }
}

/// What an instance that was started at this time does with the note that it finds.
///
/// A part that was complete before the instance was started is published again: the operator requests it a
/// second time.
#[must_use]
pub fn decide(note: Option<Position>, part: Part, started_at: Micros) -> Decision {
    let all = Decision::Publish(Resume { after: part.after, beat: None });
    match note {
        Some(note) if note.part == part => match note.complete_at {
            None => Decision::Publish(Resume { after: part.after.max(note.published), beat: note.beat }),
            Some(complete_at) if started_at <= complete_at => Decision::Complete,
            Some(_) => all,
        },
        _ => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: Part = Part { after: Some(10), until: None };

    #[expect(clippy::unnecessary_wraps, reason = "as it is compared with")]
    fn note(published: Option<Micros>, complete_at: Option<Micros>) -> Option<Position> {
        Some(Position { part: PART, published, beat: published, complete_at })
    }

    fn after(after: Option<Micros>) -> Decision {
        Decision::Publish(Resume { after, beat: None })
    }

    #[test]
    fn a_note_comes_back_as_it_was() {
        for position in [
            Position::default(),
            Position {
                part: Part { after: Some(-1), until: Some(7) },
                published: Some(3),
                beat: Some(4),
                complete_at: Some(9),
            },
        ] {
            assert_eq!(Position::read(&position.write()), Some(position));
        }
        assert_eq!(note(Some(12), None).unwrap().write(), "1 after=10 published=12 beat=12");
    }

    #[test]
    fn an_unknown_format_is_no_note() {
        for text in ["", "2 published=3", "1 published", "1 published=x", "1 other=3", "1 "] {
            assert_eq!(Position::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_next_holder_goes_on_where_the_last_one_was() {
        let at_12 = Resume { after: Some(12), beat: Some(12) };
        assert_eq!(decide(note(Some(12), None), PART, 100), Decision::Publish(at_12));
        assert_eq!(decide(note(None, None), PART, 100), after(Some(10)));
        assert_eq!(decide(None, PART, 100), after(Some(10)));
        // Killed in the heartbeats before the first poll.
        let beaten = Position { part: PART, beat: Some(11), ..Position::default() };
        let resume = Resume { after: Some(10), beat: Some(11) };
        assert_eq!(decide(Some(beaten), PART, 100), Decision::Publish(resume));
    }

    #[test]
    fn a_complete_part_is_published_again_only_by_who_was_started_later() {
        assert_eq!(decide(note(Some(12), Some(100)), PART, 100), Decision::Complete);
        assert_eq!(decide(note(Some(12), Some(100)), PART, 101), after(Some(10)));
    }

    #[test]
    fn the_note_of_another_part_says_nothing_of_this_one() {
        let other = Part { after: Some(10), until: Some(20) };
        assert_eq!(decide(note(Some(12), None), other, 1), after(Some(10)));
        assert_eq!(decide(note(Some(12), Some(100)), Part::default(), 1), after(None));
    }
}
