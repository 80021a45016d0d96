//! What analysts' views make of rows, on a real ClickHouse: small cases whose answers were worked out by hand.

use serde_json::{Value, json};

use crate::support::clickhouse::ClickHouse;

/// Databases with the schema, whose tables are filled as the writer.
fn server() -> ClickHouse {
    let server = ClickHouse::start();
    server.migrate();
    server
}

fn insert(server: &ClickHouse, table: &str, rows: &[Value]) {
    let lines: Vec<_> = rows.iter().map(Value::to_string).collect();
    let sql = format!("INSERT INTO arb_store.{table} FORMAT JSONEachRow\n{}", lines.join("\n"));
    server.query_as("writer", &sql);
}

/// `row` with the fields of `changes` in their places.
fn with(mut row: Value, changes: Value) -> Value {
    let (fields, Value::Object(changes)) = (row.as_object_mut().unwrap(), changes) else { unreachable!() };
    fields.extend(changes);
    row
}

/// So many minutes after one o'clock.
fn at(minute: u32) -> String {
    moment(minute * 60)
}

/// So many seconds after it.
fn moment(second: u32) -> String {
    format!("2026-01-01 {:02}:{:02}:{:02}.000000", 1 + second / 3600, second / 60 % 60, second % 60)
}

/// A polled price of `home`, received ten seconds after it was seen, of an event that starts at 20:00.
fn tick(minute: u32, book: &str, hundredths: u32) -> Value {
    json!({
        "topic": "odds.ticks.v1", "kafka_offset": minute, "source": "s", "polled": true,
        "received_at": moment(minute * 60 + 10), "last_seen_at": at(minute),
        "event_id": "e", "sport": "soccer", "league": "cup", "home": "H", "away": "A",
        "commence_time": "2026-01-01 20:00:00", "book": book, "market": "h2h", "period": "full_time",
        "outcome": "home", "side": "back", "price": hundredths * 10_000, "status": "active",
    })
}

/// Books a, b and c shorten one after the other; then b and c together; then a drifts while c is gone.
fn story() -> Vec<Value> {
    let polls = [
        (0, [200, 200, 200]),
        (10, [190, 200, 200]),
        (20, [190, 190, 200]),
        (30, [190, 190, 190]),
        (70, [192, 180, 180]),
        (110, [210, 180, 0]),
    ];
    let of_poll = |(minute, prices): (u32, [u32; 3])| {
        ["a", "b", "c"]
            .into_iter()
            .zip(prices)
            .filter(|(_, price)| *price > 0)
            .map(move |(book, price)| tick(minute, book, price))
    };
    polls.into_iter().flat_map(of_poll).collect()
}

#[test]
fn a_move_has_a_role_among_those_of_others() {
    let server = server();
    insert(&server, "ticks", &story());
    let received = |minute: u32| moment(minute * 60 + 10);
    let moves = "SELECT book, moved_at, price_from, price_to, role FROM";
    let expected = [
        json!({"book": "a", "moved_at": received(10), "price_from": 2.0, "price_to": 1.9, "role": "leads"}),
        json!({"book": "b", "moved_at": received(20), "price_from": 2.0, "price_to": 1.9, "role": "follows"}),
        json!({"book": "c", "moved_at": received(30), "price_from": 2.0, "price_to": 1.9, "role": "lags"}),
        json!({"book": "b", "moved_at": received(70), "price_from": 1.9, "price_to": 1.8, "role": "together"}),
        json!({"book": "c", "moved_at": received(70), "price_from": 1.9, "price_to": 1.8, "role": "together"}),
        json!({"book": "a", "moved_at": received(110), "price_from": 1.92, "price_to": 2.1, "role": "alone"}),
    ];
    let ask = |from: &str| server.query_as("analyst", &format!("{moves} {from} ORDER BY moved_at, book"));
    assert_same(&ask("arb.price_moves"), &expected);
    // From the third poll on, no book has moved before c.
    let since = format!("arb.price_moves_between(since = '{}', until = '{}')", at(20), at(110));
    let mut shorter = expected[2..5].to_vec();
    shorter[0]["role"] = json!("alone");
    assert_same(&ask(&since), &shorter);
}

#[test]
fn a_books_quality_is_counted_from_poll_to_poll() {
    let server = server();
    insert(&server, "ticks", &story());
    // What was pushed, and what is played a second time, withdraws nothing.
    insert(&server, "ticks", &[with(tick(15, "d", 200), json!({"polled": false, "received_at": at(16)}))]);
    insert(
        &server,
        "ticks",
        &story().into_iter().map(|tick| with(tick, json!({"topic_id": "recreated"}))).collect::<Vec<_>>(),
    );
    let alert = |state| json!({"scope": "book", "state": state, "sport": "soccer", "league": "cup", "book": "a", "at": at(50)});
    insert(&server, "stale_alerts", &[alert("stale"), alert("recovered")]);
    let quality = server.query_as(
        "analyst",
        "SELECT book, age_p50_seconds, quotes_offered, quotes_withdrawn, withdrawn_share, moves, leads, lags, lead_share,
            stale_alerts FROM arb.book_quality ORDER BY book",
    );
    let row = |book: &str, age: u8, quotes: (u8, u8, Value), moves: (u8, u8, u8, Value), alerts: u8| {
        json!({
            "book": book, "age_p50_seconds": age, "quotes_offered": quotes.0, "quotes_withdrawn": quotes.1,
            "withdrawn_share": quotes.2, "moves": moves.0, "leads": moves.1, "lags": moves.2, "lead_share": moves.3,
            "stale_alerts": alerts,
        })
    };
    assert_same(
        &quality,
        &[
            row("a", 10, (5, 0, json!(0)), (2, 1, 0, json!(1)), 1),
            row("b", 10, (5, 0, json!(0)), (2, 0, 0, Value::Null), 0),
            row("c", 10, (5, 1, json!(0.2)), (2, 0, 1, json!(0)), 0),
            row("d", 60, (0, 0, Value::Null), (0, 0, 0, Value::Null), 0),
        ],
    );
}

#[test]
fn the_best_price_is_of_what_a_poll_names() {
    let server = server();
    let other = |changes| with(tick(10, "d", 990), changes);
    insert(&server, "ticks", &story());
    insert(
        &server,
        "ticks",
        &[
            with(tick(10, "b", 210), json!({"outcome": "away"})),
            // Not on offer, not a bet on the outcome, not polled, of another line.
            other(json!({"status": "suspended"})),
            other(json!({"side": "lay"})),
            other(json!({"polled": false})),
            other(json!({"market": "totals", "line": 2500, "outcome": "over"})),
        ],
    );
    let history = server.query_as(
        "analyst",
        "SELECT market, line, outcome, price, book, books, outcomes, round(implied_probability_sum, 6) AS sum
            FROM arb.best_price_history WHERE received_at = '2026-01-01 01:10:10' ORDER BY market, outcome",
    );
    let sum = |sum: f64| (sum * 1e6).round() / 1e6;
    let both = sum(1.0 / 2.0 + 1.0 / 2.1);
    assert_same(
        &history,
        &[
            json!({"market": "h2h", "line": null, "outcome": "away", "price": 2.1, "book": "b", "books": 1, "outcomes": 2, "sum": both}),
            json!({"market": "h2h", "line": null, "outcome": "home", "price": 2, "book": "b", "books": 3, "outcomes": 2, "sum": both}),
            json!({"market": "totals", "line": 2.5, "outcome": "over", "price": 9.9, "book": "d", "books": 1, "outcomes": 1, "sum": sum(1.0 / 9.9)}),
        ],
    );
}

#[test]
fn a_bar_has_the_prices_of_a_minute() {
    let server = server();
    let row = |microsecond: u32, offset: u8, price| {
        let received_at = format!("2026-01-01 01:05:00.{microsecond:06}");
        with(
            tick(5, "a", price),
            json!({"received_at": received_at, "kafka_offset": offset, "polled": false}),
        )
    };
    // The last two at one time: the later record is the later word.
    insert(&server, "ticks", &[row(3, 8, 190), row(1, 5, 200), row(3, 7, 180), row(2, 6, 220)]);
    insert(&server, "ticks", &[tick(6, "a", 300), with(tick(6, "a", 900), json!({"status": "suspended"}))]);
    let bars = server.query_as(
        "analyst",
        "SELECT minute, open, high, low, close, ticks FROM arb.minute_bars ORDER BY minute",
    );
    assert_same(
        &bars,
        &[
            json!({"minute": "2026-01-01 01:05:00", "open": 2.0, "high": 2.2, "low": 1.8, "close": 1.9, "ticks": 4}),
            json!({"minute": "2026-01-01 01:06:00", "open": 3.0, "high": 3.0, "low": 3.0, "close": 3.0, "ticks": 1}),
        ],
    );
}

/// A transition of a window, a minute each.
fn transition(window: &str, sequence: u32, margin: f64, is_proven: bool) -> Value {
    json!({
        "topic": "feed.events.v1", "topic_id": "now", "window_id": window, "sequence": sequence, "transition": "opened",
        "at": at(sequence), "opened_at": at(1), "event_id": "e", "sport": "soccer", "league": "cup", "home": "H",
        "away": "A", "in_play": false, "kind": "surebet", "market": "h2h", "period": "full_time",
        "margin": margin, "margin_worst": margin, "score": margin, "simultaneous": is_proven, "verified": is_proven,
        "legs.outcome": ["home", "away"], "legs.side": ["back", "back"], "legs.book": ["b", "a"],
        "legs.price": [2_500_000, 2_000_000], "legs.implied_probability": [0.4, 0.5], "legs.stake_share": [0.44, 0.56],
        "legs.price_moved_at": [at(0), at(0)], "legs.last_seen_at": [at(0), at(0)], "legs.operator": ["", ""],
        "legs.effective_price": [2_500_000, 2_000_000], "legs.stake": [null, null], "legs.liability": [null, null], "legs.limit": [null, null], "legs.expected_interval": [900_000_000, 900_000_000],
    })
}

fn closed(window: &str, sequence: u32, margin: f64) -> Value {
    json!({
        "topic": "feed.events.v1", "topic_id": "now", "window_id": window, "sequence": sequence, "transition": "closed",
        "at": at(sequence), "opened_at": at(1), "event_id": "e", "sport": "soccer", "league": "cup", "market": "h2h",
        "period": "full_time", "margin": margin, "margin_open": 0.01, "margin_peak": 0.03, "reason": "withdrawn", "simultaneous": true, "verified": true,
        "stood": true, "stood_after": 40_000_000, "verified_stood": false, "verified_stood_after": 1_500_000,
    })
}

#[test]
fn a_window_is_told_from_opening_to_close() {
    let server = server();
    let updated = |sequence, margin, is_proven| {
        with(transition("w", sequence, margin, is_proven), json!({"transition": "updated"}))
    };
    // In whatever order they arrive.
    insert(
        &server,
        "window_transitions",
        &[closed("w", 31, 0.02), updated(3, 0.03, true), updated(5, 0.02, false)],
    );
    let open =
        with(transition("open", 1, 0.04, true), json!({"legs.expected_interval": [40_500_000, 900_000_000]}));
    insert(&server, "window_transitions", &[transition("w", 1, 0.01, false), open]);
    let windows = server.query_as(
        "analyst",
        "SELECT window_id, lifetime_seconds, reason, phase, margin_open, margin_peak, margin_close, simultaneous_at_open,
            simultaneous_ever, stood, stood_after_seconds AS after, verified_stood, verified_stood_after_seconds AS verified_after, updates, books, home, legs.price AS prices, legs.expected_interval_seconds AS intervals
            FROM arb.windows ORDER BY window_id",
    );
    let common = json!({"phase": "pre-match", "books": ["a", "b"], "home": "H", "prices": [2.5, 2.0]});
    assert_same(
        &windows,
        &[
            with(
                common.clone(),
                json!({
                    "window_id": "open", "lifetime_seconds": null, "reason": null, "margin_open": 0.04, "margin_peak": 0.04,
                    "margin_close": null, "simultaneous_at_open": true, "simultaneous_ever": true, "updates": 0,
                    "stood": null, "after": null, "verified_stood": null, "verified_after": null, "intervals": [40.5, 900],
                }),
            ),
            with(
                common,
                json!({
                    "window_id": "w", "lifetime_seconds": 1800, "reason": "withdrawn", "margin_open": 0.01,
                    "margin_peak": 0.03, "margin_close": 0.02, "simultaneous_at_open": false, "simultaneous_ever": true,
                    "updates": 2, "intervals": [900, 900], "stood": true, "after": 40, "verified_stood": false, "verified_after": 1.5,
                }),
            ),
        ],
    );
}

#[test]
fn the_board_is_what_is_open_now_ranked_as_the_api_ranks() {
    let server = server();
    let before =
        with(transition("of another feed", 9, 0.5, true), json!({"topic_id": "before", "inserted_at": 1}));
    insert(
        &server,
        "window_transitions",
        &[before, transition("gone", 1, 0.3, true), closed("gone", 2, 0.3)],
    );
    let moved = with(
        transition("moved", 8, 0.02, true),
        json!({"transition": "updated", "legs.expected_interval": [60_000_000, 1_500_000]}),
    );
    // Of the last two only the id differs.
    let open =
        [("moved", 1, 0.09, true), ("unproven", 1, 0.2, false), ("y", 1, 0.01, true), ("x", 1, 0.01, true)];
    let mut rows = vec![moved];
    rows.extend(
        open.map(|(window, sequence, margin, is_proven)| transition(window, sequence, margin, is_proven)),
    );
    insert(&server, "window_transitions", &rows);
    let board = server.query_as(
        "analyst",
        "SELECT rank, window_id, margin, legs.expected_interval_seconds AS intervals FROM arb.current_board ORDER BY rank",
    );
    assert_same(
        &board,
        &[
            json!({"rank": 1, "window_id": "moved", "margin": 0.02, "intervals": [60, 1.5]}),
            json!({"rank": 2, "window_id": "x", "margin": 0.01, "intervals": [900, 900]}),
            json!({"rank": 3, "window_id": "y", "margin": 0.01, "intervals": [900, 900]}),
            json!({"rank": 4, "window_id": "unproven", "margin": 0.2, "intervals": [900, 900]}),
        ],
    );
}

/// A transition of a signal, a minute each.
fn signal_row(signal: &str, sequence: u32, change: &str, strength: f64) -> Value {
    let is_open = ["opened", "updated"].contains(&change);
    let row = json!({
        "topic": "feed.events.v1", "topic_id": "now", "signal_id": signal, "sequence": sequence,
        "transition": if is_open { change } else { "closed" }, "reason": if is_open { "" } else { change },
        "at": at(sequence), "opened_at": at(1), "expires_at": at(90), "kind": "value", "event_id": "e", "sport": "soccer",
        "league": "cup", "home": "H", "away": "A", "commence_time": "2026-01-01 20:00:00", "in_play": false,
        "market": "totals", "period": "full_time", "line": 2500, "outcome": "over", "strength": strength,
        "confidence": 0.9, "kelly": null,
    });
    let quotes = json!({
        "bets.outcome": ["over"], "bets.side": ["back"], "bets.line": [2500], "bets.book": ["a"], "bets.operator": [""],
        "bets.price": [2_100_000], "bets.effective_price": [2_050_000], "bets.price_moved_at": [at(0)],
        "bets.last_seen_at": [at(0)],
        "evidence.role": ["leader"], "evidence.outcome": ["over"], "evidence.side": ["back"], "evidence.line": [2500],
        "evidence.book": ["b"], "evidence.operator": ["o"], "evidence.price": [1_950_000],
        "evidence.price_from": [2_000_000], "evidence.effective_price": [1_950_000],
        "evidence.price_moved_at": [at(0)], "evidence.last_seen_at": [at(0)],
        "fair.method": ["shin"], "fair.probability": [0.5],
    });
    with(row, quotes)
}

#[test]
fn a_signal_is_told_from_opening_to_close() {
    let server = server();
    let before = with(
        signal_row("of another feed", 1, "opened", 0.5),
        json!({"topic_id": "before", "inserted_at": 1}),
    );
    // In whatever order they arrive.
    insert(
        &server,
        "signal_transitions",
        &[signal_row("s", 31, "followed", 0.02), signal_row("s", 3, "updated", 0.04), before],
    );
    let open = with(
        signal_row("open", 4, "opened", 0.03),
        json!({"kind": "middle", "outcome": "", "line": null, "kelly": 0.01}),
    );
    insert(&server, "signal_transitions", &[signal_row("s", 1, "opened", 0.02), open]);
    let signals = server.query_as(
        "analyst",
        "SELECT signal_id, kind, reason, lifetime_seconds, strength_open, strength_peak, strength_last, kelly_open, line,
            outcome, updates, books, phase FROM arb.signals WHERE topic_id = 'now' ORDER BY signal_id",
    );
    let common = json!({"books": ["a"], "phase": "pre-match"});
    let closed = json!({
        "signal_id": "s", "kind": "value", "reason": "followed", "lifetime_seconds": 1800, "strength_open": 0.02,
        "strength_peak": 0.04, "strength_last": 0.02, "kelly_open": null, "line": 2.5, "outcome": "over", "updates": 1,
    });
    let open = json!({
        "signal_id": "open", "kind": "middle", "reason": null, "lifetime_seconds": null, "strength_open": 0.03,
        "strength_peak": 0.03, "strength_last": 0.03, "kelly_open": 0.01, "line": null, "outcome": null, "updates": 0,
    });
    assert_same(&signals, &[with(common.clone(), open), with(common, closed)]);
    let now = server.query_as(
        "analyst",
        "SELECT signal_id, bets.price AS price, bets.effective_price AS effective, bets[1].operator AS operator,
            evidence[1].role AS role, evidence[1].price_from AS was, fair.probability AS fair FROM arb.current_signals",
    );
    let expected = json!({
        "signal_id": "open", "price": [2.1], "effective": [2.05], "operator": null, "role": "leader", "was": 2.0,
        "fair": [0.5],
    });
    assert_same(&now, &[expected]);
    let days = server.query_as(
        "analyst",
        "SELECT kind, day, signals, open, followed, expired, strength_p50, lifetime_p50_seconds FROM arb.signals_by_day
            ORDER BY kind",
    );
    let day = |kind: &str, counts: [u8; 3], strength: f64, lifetime: Value| {
        json!({
            "kind": kind, "day": "2026-01-01", "signals": counts[0], "open": counts[1], "followed": counts[2], "expired": 0,
            "strength_p50": strength, "lifetime_p50_seconds": lifetime,
        })
    };
    // Of both feeds: the analyst chooses.
    assert_same(
        &days,
        &[day("middle", [1, 1, 0], 0.03, Value::Null), day("value", [2, 1, 1], 0.5, json!(1800))],
    );
    // A window of a feed that was recreated since: nothing is known to be open there.
    let recreated = with(
        transition("w", 1, 0.01, true),
        json!({"topic_id": "recreated", "inserted_at": "2100-01-01 00:00:00"}),
    );
    insert(&server, "window_transitions", &[recreated]);
    assert_same(&server.query_as("analyst", "SELECT signal_id FROM arb.current_signals"), &[]);
}

/// Numbers as numbers, whether they are written with a point or not.
fn assert_same(ours: &[Value], expected: &[Value]) {
    crate::support::oracle::assert_same(ours, expected, "the view");
}

#[test]
fn every_view_says_what_a_row_is() {
    let server = server();
    let views = server.query_as("analyst", "SELECT name, comment FROM system.tables WHERE database = 'arb'");
    let document = std::fs::read_to_string(crate::support::root().join("deploy/docs/analysts.md")).unwrap();
    assert!(views.len() >= 10, "{views:?}");
    for view in &views {
        let (name, comment) = (view["name"].as_str().unwrap(), view["comment"].as_str().unwrap());
        assert!(comment.starts_with("One row ") || name.ends_with("_between"), "{name}: {comment}");
        assert!(document.contains(&format!("`arb.{name}")), "analysts.md does not name {name}");
    }
}
