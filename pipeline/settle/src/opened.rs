//! From the feed to the tasks: each arb window that opens, as it opened.
//!
//! A window that is read twice is one task twice, which the machine drops. It never looks at what became of a window later.

use arb_model::{Name, OpenedWindow};
use arb_schemas::records::ArbWindow;
use arb_schemas::wire::{self, RecordType, WireError};

/// The change of a window that is new.
const OPENED: &str = "opened";

/// The task that a record of the feed makes, and its key: the event. `None` for a record that opens no window.
///
/// # Errors
/// [`WireError`] when it is no record, or the window cannot be written.
pub fn task(message: &[u8]) -> Result<Option<(Name, Vec<u8>)>, WireError> {
    if RecordType::of(message)? != RecordType::ArbWindow {
        return Ok(None);
    }
    let ArbWindow { change, entry, .. } = wire::decode(message)?;
    if change != OPENED {
        return Ok(None);
    }
    let window = OpenedWindow::of(&entry);
    Ok(Some((window.event.id.clone(), wire::encode(&window)?)))
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures;

    use super::*;

    #[test]
    fn a_window_that_opens_is_a_task_and_nothing_else_is() {
        let window = fixtures::window();
        let (key, task_of) = task(&wire::encode(&window).unwrap()).unwrap().unwrap();
        assert_eq!(key, window.entry.event.id);
        assert_eq!(wire::decode::<OpenedWindow>(&task_of).unwrap(), OpenedWindow::of(&window.entry));
        let updated = ArbWindow { change: "updated".into(), ..window };
        let others = [
            wire::encode(&updated),
            wire::encode(&fixtures::close()),
            wire::encode(&fixtures::signal_change()),
            wire::encode(&fixtures::window_grading()),
        ];
        for other in others {
            assert_eq!(task(&other.unwrap()).unwrap(), None);
        }
        assert!(task(b"no record").is_err());
    }
}
