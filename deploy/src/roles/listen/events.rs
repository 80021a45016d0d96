//! Events out of the lines of a stream. Pure.
//!
//! Source: WHATWG HTML, "Server-sent events", 9.2.6, as far as this server writes it.

use std::io::BufRead;

/// An event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StreamEvent {
    pub(super) name: String,
    pub(super) data: String,
    /// From which a stream goes on after it.
    pub(super) id: String,
}

/// The events of a stream, until it ends or breaks.
pub(super) struct StreamEvents<R> {
    lines: std::io::Lines<R>,
    /// The last id; an event without one has that of the event before it.
    id: String,
}

impl<R: BufRead> StreamEvents<R> {
    pub(super) fn new(stream: R) -> Self {
        Self { lines: stream.lines(), id: String::new() }
    }
}

impl<R: BufRead> Iterator for StreamEvents<R> {
    type Item = StreamEvent;

    fn next(&mut self) -> Option<StreamEvent> {
        let mut event = StreamEvent::default();
        loop {
            let line = self.lines.next()?.ok()?;
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => value.clone_into(&mut event.name),
                "data" => value.clone_into(&mut event.data),
                "id" => value.clone_into(&mut self.id),
                "" if line.is_empty() && !event.data.is_empty() => {
                    event.id.clone_from(&self.id);
                    return Some(event);
                }
                // A comment, such as a heartbeat.
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_end_with_an_empty_line_and_comments_are_none() {
        let text =
            ": hello\n\nevent: a\ndata: {\"n\":1}\nid: x\n\n:\n\nevent: b\ndata: 2\n\nevent: cut\ndata: 3\n";
        let events: Vec<_> = StreamEvents::new(text.as_bytes()).collect();
        let event =
            |name: &str, data: &str| StreamEvent { name: name.into(), data: data.into(), id: "x".into() };
        assert_eq!(events, [event("a", "{\"n\":1}"), event("b", "2")]);
    }
}
