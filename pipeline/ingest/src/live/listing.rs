//! The two free listings: which sports are in season, and when the events of one start.
//!
//! An entry that is not understood is left out; an answer that is no array is none. It never looks at a price.

use std::collections::BTreeSet;

use arb_schemas::time::{Micros, parse_rfc3339};
use serde_json::Value;

use super::answer::Problem;

/// Whether this can be the key of a sport: it becomes part of a path.
#[must_use]
pub fn is_key(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !text.is_empty() && text.len() <= 100 && text.bytes().all(is_word)
}

/// The sports in season whose events have two sides.
///
/// # Errors
/// [`Problem::Broken`].
pub fn sports(body: &str) -> Result<BTreeSet<String>, Problem> {
    let key = |sport: &Value| {
        let is_played = sport["active"] == true && sport["has_outrights"] != true;
        sport["key"].as_str().filter(|key| is_played && is_key(key)).map(str::to_owned)
    };
    Ok(array(body)?.iter().filter_map(key).collect())
}

/// When the events start.
///
/// # Errors
/// [`Problem::Broken`].
pub fn starts(body: &str) -> Result<Vec<Micros>, Problem> {
    Ok(array(body)?.iter().filter_map(|event| parse_rfc3339(event["commence_time"].as_str()?)).collect())
}

fn array(body: &str) -> Result<Vec<Value>, Problem> {
    serde_json::from_str(body).map_err(|_| Problem::Broken("no JSON array"))
}

#[cfg(test)]
mod tests {
    use arb_schemas::time::SECOND;

    use super::*;

    #[test]
    fn sports_out_of_season_and_outrights_are_left_out() {
        let body = r#"[{"key":"soccer_epl","active":true,"has_outrights":false},
            {"key":"icehockey_nhl","active":false,"has_outrights":false},
            {"key":"golf_masters_winner","active":true,"has_outrights":true},
            {"key":"../odds","active":true}, {"key":7,"active":true}, 5, {"key":"basketball_nba","active":true}]"#;
        assert!(sports(body).unwrap().iter().eq(["basketball_nba", "soccer_epl"]));
        for broken in ["", "{}", "[", "null", r#"[{"key":"a"}"#] {
            assert_eq!(sports(broken), Err(Problem::Broken("no JSON array")), "{broken}");
        }
    }

    #[test]
    fn an_event_without_a_start_is_left_out() {
        let body = r#"[{"commence_time":"1970-01-01T00:00:05Z"},{"commence_time":"soon"},{},7]"#;
        assert_eq!(starts(body), Ok(vec![5 * SECOND]));
        assert_eq!(starts("[]"), Ok(vec![]));
        assert!(starts("<html>").is_err());
    }
}
