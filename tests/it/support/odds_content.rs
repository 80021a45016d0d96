//! Events as The Odds API writes them: their prices in decimal odds, and the books of a region.

use serde_json::{Value, json};

/// Writes the prices of events in decimal odds of two digits, as the API does.
pub(super) fn in_decimal(events: &mut Value) {
    each(events, &mut |key, value| {
        if key == "price"
            && let Some(american) = value.as_i64()
        {
            let odds = american as f64;
            let decimal = if american > 0 { 1.0 + odds / 100.0 } else { 1.0 - 100.0 / odds };
            *value = json!((decimal * 100.0).round() / 100.0);
        }
    });
}

/// Leaves the books of the regions that are asked for.
pub(super) fn of_regions(event: &mut Value, regions: &str) {
    let (is_us, is_other) = (regions.contains("us"), regions.split(',').any(|region| region != "us"));
    let mut place = 0;
    event["bookmakers"].as_array_mut().unwrap().retain(|_| {
        place += 1;
        if place % 2 == 1 { is_us } else { is_other }
    });
}

/// Visits every member of every object.
pub(super) fn each(value: &mut Value, visit: &mut impl FnMut(&str, &mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, visit)),
        Value::Object(members) => {
            for (key, member) in members {
                visit(key, member);
                each(member, visit);
            }
        }
        _ => {}
    }
}
