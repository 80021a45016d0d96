//! A bet in words: whether it is laid, on what it is, and its own line with its sign. `api/dashboard/src/model/bet.ts` does the same for the page.
//!
//! It never decides what a bet is worth, and never leaves out a side.

use std::fmt::Display;

/// A bet on the line of its market, of an event's home and away side: `Lay Lowmarsh Kites -1.5`. The line, in points or goals, is
/// the market's: of a handicap the home side's, so the away side's own line is its opposite.
pub(super) fn bet((outcome, side): (&str, &str), line: Option<f64>, [home, away]: [&str; 2]) -> String {
    let lay = if side == "lay" { "Lay " } else { "" };
    let text = match (outcome, line) {
        ("home", line) => format!("{lay}{home}{}", handicap(line)),
        ("away", line) => format!("{lay}{away}{}", handicap(line.map(|line| -line))),
        (outcome, line) => format!("{lay}{}{}", words(outcome), after_space(line)),
    };
    text.replace(TURNING, "")
}

/// Characters that turn the text after them around: a name with one would show the line of its bet backwards.
const TURNING: [char; 9] = [
    '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}',
    '\u{2069}',
];

fn handicap(line: Option<f64>) -> String {
    // A negative zero has a sign in text.
    let line = line.map(|line| if line == 0.0 { "0".to_owned() } else { format!("{line:+}") });
    after_space(line)
}

fn after_space(text: Option<impl Display>) -> String {
    text.map(|text| format!(" {text}")).unwrap_or_default()
}

/// A key such as `home_or_draw` as words.
fn words(key: &str) -> String {
    let text = key.replace('_', " ");
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_name_does_not_turn_its_line_around() {
        assert_eq!(bet(("home", "back"), Some(1.5), ["\u{202e}Anchors\u{2066}", "Kites"]), "Anchors +1.5");
    }

    /// The page's test reads the same table.
    const TABLE: &str = include_str!("../../dashboard/src/model/bets.json");

    #[test]
    fn each_bet_is_called_what_the_page_calls_it() {
        let rows: Vec<Value> = serde_json::from_str(TABLE).unwrap();
        assert!(rows.len() > 15);
        for row in rows {
            let text = |name: &str| row[name].as_str().unwrap();
            let names = ["Inverlee Anchors", "Lowmarsh Kites"];
            let found = bet((text("outcome"), text("side")), row["line"].as_f64(), names);
            assert_eq!(found, text("bet"), "{row}");
        }
    }
}
