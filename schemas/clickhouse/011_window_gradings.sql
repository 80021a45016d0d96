-- Gradings of arb windows: what each leg paid, and what all stakes returned.
--
-- A row is a record of the feed: a window as it opened, and one grading of it. Rows of one window differ in the grading alone. Of a grading
-- whose result was withdrawn legs have no settlement.

CREATE TABLE IF NOT EXISTS arb_store.window_gradings
(
    topic           LowCardinality(String),
    topic_id        LowCardinality(String),
    kafka_partition UInt32,
    kafka_offset    UInt64 CODEC(Delta, ZSTD(1)),
    row_index       UInt32 CODEC(Delta, ZSTD(1)),
    window_id       String CODEC(ZSTD(1)),
    grade           Int64 COMMENT 'the number of the grading, from 1',
    state           LowCardinality(String) COMMENT 'settled, open',
    at              DateTime64(6, 'UTC') COMMENT 'when the result was reported' CODEC(Delta, ZSTD(1)),
    event_id        String CODEC(ZSTD(1)),
    sport           LowCardinality(String),
    league          LowCardinality(String),
    home            LowCardinality(String),
    away            LowCardinality(String),
    commence_time   DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    in_play         Bool COMMENT 'as it opened, as the following but those of the result',
    market          LowCardinality(String),
    period          LowCardinality(String),
    line            Nullable(Int32) COMMENT 'thousandths',
    margin          Float64,
    margin_worst    Float64,
    verified        Bool,
    simultaneous    Bool,
    total_stake_max Nullable(Int64) COMMENT 'minor units',
    opened_at       DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    legs            Nested
    (
        outcome             LowCardinality(String),
        side                LowCardinality(String),
        book                LowCardinality(String),
        price               Int64,
        implied_probability Float64,
        stake_share         Float64,
        settlement          LowCardinality(String),
        returned            Nullable(Float64)
    ),
    returned        Nullable(Float64) COMMENT 'per unit of the total stake; null unless it is settled',
    home_points     Nullable(Int32),
    away_points     Nullable(Int32),
    result_source   LowCardinality(String),
    inserted_at     DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (sport, event_id, window_id, grade)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE OR REPLACE VIEW arb.window_gradings
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    t.window_id AS window_id,
    t.topic_id AS topic_id,
    t.grade AS grade,
    t.state AS state,
    t.at AS at,
    t.returned AS returned,
    t.returned - 1 AS profit,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.home AS home,
    t.away AS away,
    t.commence_time AS commence_time,
    t.in_play AS in_play,
    if(in_play, 'in-play', 'pre-match') AS phase,
    t.market AS market,
    t.period AS period,
    t.line / 1e3 AS line,
    t.margin AS margin,
    t.margin_worst AS margin_worst,
    t.verified AS verified,
    t.simultaneous AS simultaneous,
    t.total_stake_max / 100 AS total_stake_max,
    t.opened_at AS opened_at,
    arrayMap(
        (what, of_side, at_book, odds, probability, share, became, paid) -> CAST(
            (what, of_side, at_book, odds / 1e6, 1 / probability, share, nullIf(became, ''), paid),
            'Tuple(outcome String, side String, book String, price Float64, effective_price Float64, stake_share Float64, settlement Nullable(String), returned Nullable(Float64))'),
        t.legs.outcome, t.legs.side, t.legs.book, t.legs.price, t.legs.implied_probability, t.legs.stake_share, t.legs.settlement,
        t.legs.returned
    ) AS legs,
    arraySort(arrayDistinct(t.legs.book)) AS books,
    t.home_points AS home_points,
    t.away_points AS away_points,
    t.result_source AS result_source,
    t.inserted_at AS arrived_at
FROM arb_store.window_gradings AS t
COMMENT 'One row a grading of an arb window (1, 2, ...): a correction is another grading. state: settled, or open where the result was withdrawn. returned is what all legs paid per unit of the total stake, had they been placed as the window opened, and profit is that minus 1; both are null unless it is settled. margin, verified, simultaneous and legs are as it opened; returned of a leg is a part of the total stake. A window for which no result came has no row.';

CREATE OR REPLACE VIEW arb.settled_windows
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT *
FROM
(
    SELECT *
    FROM arb.window_gradings
    ORDER BY grade DESC
    LIMIT 1 BY topic_id, window_id
)
WHERE state = 'settled'
COMMENT 'One row an arb window that is settled, by its last grading. Windows whose result is not known, or was withdrawn, have none. A recording that is played again into new topics gives its windows again, with another topic_id.';
