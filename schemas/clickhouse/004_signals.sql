-- Edge signals: what was worth a look, how much, how sure, and what became of it.
--
-- A row is a transition, as of windows; mere refreshes of times are on no topic that is kept by time, and in no row. Of a
-- signal that closes bets are as they were last told, and evidence and fair are empty.

CREATE TABLE IF NOT EXISTS arb_store.signal_transitions
(
    topic           LowCardinality(String),
    topic_id        LowCardinality(String),
    kafka_partition UInt32,
    kafka_offset    UInt64 CODEC(Delta, ZSTD(1)),
    row_index       UInt32 CODEC(Delta, ZSTD(1)),
    signal_id       String CODEC(ZSTD(1)),
    sequence        Int64 COMMENT 'of the counter of the windows' CODEC(Delta, ZSTD(1)),
    transition      LowCardinality(String) COMMENT 'opened, updated, closed',
    at              DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    reason          LowCardinality(String) COMMENT 'why it closed; empty while open',
    kind            LowCardinality(String) COMMENT 'value, low_hold, middle, steam, stale_price, odds_drop',
    event_id        String CODEC(ZSTD(1)),
    sport           LowCardinality(String),
    league          LowCardinality(String),
    home            LowCardinality(String),
    away            LowCardinality(String),
    commence_time   DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    in_play         Bool,
    market          LowCardinality(String),
    period          LowCardinality(String),
    line            Nullable(Int32) COMMENT 'thousandths; of a middle the line of the first bet',
    outcome         LowCardinality(String) COMMENT 'empty when bets are on several',
    strength        Float64 COMMENT 'a fraction; of what, by kind',
    confidence      Float64 COMMENT '0 to 1',
    kelly           Nullable(Float64) COMMENT 'a quarter of the Kelly fraction',
    bets            Nested
    (
        outcome         LowCardinality(String),
        side            LowCardinality(String),
        line            Nullable(Int32),
        book            LowCardinality(String),
        operator        LowCardinality(String),
        price           Int64,
        effective_price Int64,
        price_moved_at  DateTime64(6, 'UTC'),
        last_seen_at    DateTime64(6, 'UTC')
    ),
    evidence        Nested
    (
        role            LowCardinality(String),
        outcome         LowCardinality(String),
        side            LowCardinality(String),
        line            Nullable(Int32),
        book            LowCardinality(String),
        operator        LowCardinality(String),
        price           Int64,
        price_from      Nullable(Int64),
        effective_price Int64,
        price_moved_at  DateTime64(6, 'UTC'),
        last_seen_at    DateTime64(6, 'UTC')
    ),
    fair            Nested
    (
        method      LowCardinality(String),
        probability Float64
    ),
    opened_at       DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    expires_at      DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    inserted_at     DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (sport, event_id, signal_id, sequence)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE OR REPLACE VIEW arb.signal_transitions
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    t.signal_id AS signal_id,
    t.topic_id AS topic_id,
    t.kafka_partition AS kafka_partition,
    t.sequence AS sequence,
    t.transition AS transition,
    t.at AS at,
    nullIf(t.reason, '') AS reason,
    t.kind AS kind,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.home AS home,
    t.away AS away,
    t.commence_time AS commence_time,
    t.in_play AS in_play,
    t.market AS market,
    t.period AS period,
    t.line / 1e3 AS line,
    nullIf(t.outcome, '') AS outcome,
    t.strength AS strength,
    t.confidence AS confidence,
    t.kelly AS kelly,
    arrayMap(
        (what, side, points, book, operator, price, effective, moved, seen) -> CAST(
            (what, side, points / 1e3, book, nullIf(operator, ''), price / 1e6, effective / 1e6, moved, seen),
            'Tuple(outcome String, side String, line Nullable(Float64), book String, operator Nullable(String), price Float64, effective_price Float64, price_moved_at DateTime64(6, \'UTC\'), last_seen_at DateTime64(6, \'UTC\'))'),
        t.bets.outcome, t.bets.side, t.bets.line, t.bets.book, t.bets.operator, t.bets.price, t.bets.effective_price,
        t.bets.price_moved_at, t.bets.last_seen_at
    ) AS bets,
    arrayMap(
        (role, what, side, points, book, operator, price, was, effective, moved, seen) -> CAST(
            (role, what, side, points / 1e3, book, nullIf(operator, ''), price / 1e6, was / 1e6, effective / 1e6, moved, seen),
            'Tuple(role String, outcome String, side String, line Nullable(Float64), book String, operator Nullable(String), price Float64, price_from Nullable(Float64), effective_price Float64, price_moved_at DateTime64(6, \'UTC\'), last_seen_at DateTime64(6, \'UTC\'))'),
        t.evidence.role, t.evidence.outcome, t.evidence.side, t.evidence.line, t.evidence.book, t.evidence.operator,
        t.evidence.price, t.evidence.price_from, t.evidence.effective_price, t.evidence.price_moved_at, t.evidence.last_seen_at
    ) AS evidence,
    CAST(arrayZip(t.fair.method, t.fair.probability), 'Array(Tuple(method String, probability Float64))') AS fair,
    t.opened_at AS opened_at,
    t.expires_at AS expires_at,
    t.inserted_at AS arrived_at
FROM arb_store.signal_transitions AS t
COMMENT 'One row a transition of an edge signal: opened, updated (its bets, or who says so) or closed. strength is a fraction of another thing for each kind: the expected return of value and stale_price, the rise of the implied probability of steam and odds_drop, the return on the total stake where one bet wins of middle and low_hold. A close has the bets as they were last told, and neither evidence nor fair. Sequences number the events of one partition of the feed, as long as the topic lives (topic_id); arrived_at is when the row was written here.';

CREATE OR REPLACE VIEW arb.current_signals
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    s.signal_id AS signal_id,
    s.kind AS kind,
    s.sport AS sport,
    s.league AS league,
    s.event_id AS event_id,
    s.home AS home,
    s.away AS away,
    s.commence_time AS commence_time,
    s.in_play AS in_play,
    s.market AS market,
    s.period AS period,
    s.line AS line,
    s.outcome AS outcome,
    s.strength AS strength,
    s.confidence AS confidence,
    s.kelly AS kelly,
    s.bets AS bets,
    s.evidence AS evidence,
    s.fair AS fair,
    s.opened_at AS opened_at,
    s.at AS updated_at,
    s.expires_at AS expires_at
FROM
(
    SELECT *
    FROM arb.signal_transitions
    WHERE transition != 'closed'
        AND topic_id =
        (
            SELECT argMax(id, last)
            FROM
            (
                SELECT argMax(topic_id, (inserted_at, at)) AS id, max((inserted_at, at)) AS last FROM arb_store.signal_transitions
                UNION ALL
                SELECT argMax(topic_id, (inserted_at, at)) AS id, max((inserted_at, at)) AS last FROM arb_store.window_transitions
            )
        )
        AND (topic_id, signal_id) NOT IN (SELECT topic_id, signal_id FROM arb_store.signal_transitions WHERE transition = 'closed')
    ORDER BY sequence DESC
    LIMIT 1 BY signal_id
) AS s
COMMENT 'One row an open edge signal as its last transition left it. Only of the newest feed, which is that of the latest transition of a window or a signal: signals that were open when its topic was made anew are gone. Times of bets are those of that transition: that a price was only confirmed since, and until when that holds the signal open, is on the list of the API, not here.';

CREATE OR REPLACE VIEW arb.signals
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    t.signal_id AS signal_id,
    t.topic_id AS topic_id,
    argMin(t.kind, t.sequence) AS kind,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    argMax(t.home, t.sequence) AS home,
    argMax(t.away, t.sequence) AS away,
    argMax(t.commence_time, t.sequence) AS commence_time,
    argMin(t.market, t.sequence) AS market,
    argMin(t.period, t.sequence) AS period,
    tupleElement(argMin(tuple(t.line), t.sequence), 1) AS line,
    tupleElement(argMin(tuple(t.outcome), t.sequence), 1) AS outcome,
    t.opened_at AS opened_at,
    maxOrNullIf(t.at, t.transition = 'closed') AS closed_at,
    dateDiff('microsecond', t.opened_at, closed_at) / 1e6 AS lifetime_seconds,
    max(t.reason) AS reason,
    argMin(t.in_play, t.sequence) AS in_play,
    if(in_play, 'in-play', 'pre-match') AS phase,
    argMin(t.strength, t.sequence) AS strength_open,
    max(t.strength) AS strength_peak,
    argMax(t.strength, t.sequence) AS strength_last,
    argMin(t.confidence, t.sequence) AS confidence_open,
    tupleElement(argMin(tuple(t.kelly), t.sequence), 1) AS kelly_open,
    countIf(t.transition = 'updated') AS updates,
    argMin(t.bets, t.sequence) AS bets,
    argMin(t.evidence, t.sequence) AS evidence,
    arraySort(arrayDistinct(bets.book)) AS books
FROM arb.signal_transitions AS t
GROUP BY t.sport, t.league, t.event_id, t.opened_at, t.signal_id, t.topic_id
COMMENT 'One row an edge signal, from opening to close. While it is open closed_at, lifetime_seconds and reason are null. in_play, phase, confidence_open, kelly_open, bets, evidence and books are as it opened; strength_last is that of its last transition. reason: expired, faded (what it says holds no longer), followed (the price that lagged has gone where the others went), withdrawn, event_ended. Of a polled source a lifetime is known to within one interval on either side.';

CREATE OR REPLACE VIEW arb.signals_by_day
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    s.kind AS kind,
    toDate(s.opened_at) AS day,
    s.sport AS sport,
    s.league AS league,
    count() AS signals,
    countIf(isNull(s.closed_at)) AS open,
    countIf(s.reason = 'expired') AS expired,
    countIf(s.reason = 'faded') AS faded,
    countIf(s.reason = 'followed') AS followed,
    countIf(s.reason = 'withdrawn') AS withdrawn,
    countIf(s.reason = 'event_ended') AS event_ended,
    quantileExact(0.5)(s.strength_open) AS strength_p50,
    quantileExact(0.9)(s.strength_open) AS strength_p90,
    avg(s.confidence_open) AS mean_confidence,
    quantileExactOrNullIf(0.5)(ifNull(s.lifetime_seconds, 0), isNotNull(s.lifetime_seconds)) AS lifetime_p50_seconds,
    quantileExactOrNullIf(0.9)(ifNull(s.lifetime_seconds, 0), isNotNull(s.lifetime_seconds)) AS lifetime_p90_seconds
FROM arb.signals AS s
GROUP BY kind, day, sport, league
COMMENT 'One row a kind of edge signal on a day of UTC in a league, by when signals opened: how many, what became of them, how strong and how sure they were as they opened, and how long those lived that have closed. Strengths of two kinds do not compare.';
