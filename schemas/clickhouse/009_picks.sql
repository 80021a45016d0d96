-- Picks of bots: what was published of each before its event, and every grading.
--
-- A row is a record of the feed: a pick as it was after it was published or graded. Rows of one pick differ in what came after
-- publishing alone. Records of two feeds (simulated, recorded, live) are never put together.

CREATE TABLE IF NOT EXISTS arb_store.pick_transitions
(
    topic               LowCardinality(String),
    topic_id            LowCardinality(String),
    kafka_partition     UInt32,
    kafka_offset        UInt64 CODEC(Delta, ZSTD(1)),
    row_index           UInt32 CODEC(Delta, ZSTD(1)),
    pick_id             String CODEC(ZSTD(1)),
    transition          LowCardinality(String) COMMENT 'published, graded',
    at                  DateTime64(6, 'UTC') COMMENT 'when it was published, or its result was reported' CODEC(Delta, ZSTD(1)),
    bot                 LowCardinality(String),
    version             Int64,
    feed                LowCardinality(String) COMMENT 'simulated, recorded, live',
    event_id            String CODEC(ZSTD(1)),
    sport               LowCardinality(String),
    league              LowCardinality(String),
    home                LowCardinality(String),
    away                LowCardinality(String),
    commence_time       DateTime64(6, 'UTC') COMMENT 'as announced when it was published' CODEC(Delta, ZSTD(1)),
    starts_at           DateTime64(6, 'UTC') COMMENT 'the newest known start' CODEC(Delta, ZSTD(1)),
    market              LowCardinality(String),
    period              LowCardinality(String),
    line                Nullable(Int32) COMMENT 'thousandths',
    outcome             LowCardinality(String),
    draw_refunds        Bool,
    book                LowCardinality(String),
    price               Int64 COMMENT 'millionths',
    probability         Float64 COMMENT 'that the bot took for fair',
    method              LowCardinality(String),
    stake               Float64 COMMENT 'a fraction of the bank',
    reasons             Array(String) CODEC(ZSTD(1)),
    published_at        DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    closing_price       Nullable(Int64) COMMENT 'millionths, at the book of the pick',
    closing_probability Nullable(Float64),
    closing_seen_at     Nullable(DateTime64(6, 'UTC')),
    grade               Int64 COMMENT 'the number of the grading; 0 before the first',
    settlement          LowCardinality(String) COMMENT 'empty before the first grading',
    profit              Float64 COMMENT 'per unit staked',
    home_points         Nullable(Int32),
    away_points         Nullable(Int32),
    result_source       LowCardinality(String),
    inserted_at         DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (bot, feed, pick_id, grade)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE OR REPLACE VIEW arb.pick_transitions
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    t.pick_id AS pick_id,
    t.transition AS transition,
    t.at AS at,
    t.bot AS bot,
    t.version AS version,
    t.feed AS feed,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.home AS home,
    t.away AS away,
    t.commence_time AS commence_time,
    t.starts_at AS starts_at,
    t.market AS market,
    t.period AS period,
    t.line / 1e3 AS line,
    t.outcome AS outcome,
    t.draw_refunds AS draw_refunds,
    t.book AS book,
    t.price / 1e6 AS price,
    t.probability AS probability,
    t.method AS method,
    t.stake AS stake,
    t.reasons AS reasons,
    t.published_at AS published_at,
    t.closing_price / 1e6 AS closing_price,
    t.closing_probability AS closing_probability,
    t.closing_seen_at AS closing_seen_at,
    t.price / 1e6 * t.closing_probability - 1 AS closing_line_value,
    t.grade AS grade,
    nullIf(t.settlement, '') AS settlement,
    if(t.settlement IN ('', 'open', 'no_result'), NULL, t.profit) AS profit,
    t.home_points AS home_points,
    t.away_points AS away_points,
    nullIf(t.result_source, '') AS result_source,
    t.inserted_at AS arrived_at
FROM arb_store.pick_transitions AS t
COMMENT 'One row a pick that was published (grade 0), and one a grading of it (1, 2, ...): a correction is another grading. settlement: won, half_won, push, half_lost, lost, void; open where a result was withdrawn, no_result where none came within 30 days. profit is per unit staked, and null while a pick is not settled. closing_line_value is null without a price in the 15 minutes before the start.';

CREATE OR REPLACE VIEW arb.picks
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT *
FROM arb.pick_transitions
ORDER BY grade DESC
LIMIT 1 BY pick_id
COMMENT 'One row a pick of a bot as its last grading left it.';

CREATE OR REPLACE VIEW arb.bot_records
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    p.bot AS bot,
    p.version AS version,
    p.feed AS feed,
    count() AS picks,
    countIf(isNull(p.settlement) OR p.settlement = 'open') AS open,
    countIf(p.settlement = 'no_result') AS without_result,
    count(p.profit) AS bets,
    avg(p.profit) AS mean_profit,
    if(bets > 1, stddevSamp(p.profit) / sqrt(bets), NULL) AS standard_error,
    countIf(isNotNull(p.profit) AND isNotNull(p.closing_line_value)) AS bets_with_closing,
    avgIf(p.closing_line_value, isNotNull(p.profit)) AS mean_closing_line_value,
    min(p.published_at) AS first_pick_at,
    max(p.published_at) AS last_pick_at
FROM arb.picks AS p
GROUP BY bot, version, feed
COMMENT 'One row a bot, a version of its rule and a feed: its record at flat stakes of one unit. mean_profit is the return per unit staked, standard_error takes bets for independent. Records of two versions or two feeds are never put together: a simulated book lags by construction. A return within 1.645 standard errors of 0 cannot be told from luck.';
