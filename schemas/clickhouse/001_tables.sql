-- What the sink writes: one row for each thing that happened, never changed afterwards. Analysts read the views of the
-- database `arb`, not these.
--
-- Every row carries the place of the Kafka record that it was made from (topic, topic_id, kafka_partition, kafka_offset)
-- and its number within that record (row_index): together they name a row once, and the sink proves with them what has
-- arrived. A topic that is deleted and made anew begins at offset 0 again, and has another id.
-- Prices are decimal odds in millionths, lines are thousandths, margins and probabilities are fractions, times are UTC.
-- Rows are kept for 400 days from their arrival (not from their own time: a recording of last year is news to us).

CREATE DATABASE IF NOT EXISTS arb_store;

CREATE TABLE IF NOT EXISTS arb_store.ticks
(
    topic           LowCardinality(String),
    topic_id        LowCardinality(String),
    kafka_partition UInt32,
    kafka_offset    UInt64 CODEC(Delta, ZSTD(1)),
    row_index       UInt32 CODEC(Delta, ZSTD(1)),
    source          LowCardinality(String),
    received_at     DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    polled          Bool COMMENT 'the frame is part of a poll, which names all that is on offer',
    event_id        String CODEC(ZSTD(1)),
    sport           LowCardinality(String),
    league          LowCardinality(String),
    home            LowCardinality(String),
    away            LowCardinality(String),
    commence_time   DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    book            LowCardinality(String),
    market          LowCardinality(String),
    period          LowCardinality(String),
    line            Nullable(Int32) COMMENT 'thousandths',
    outcome         LowCardinality(String),
    side            LowCardinality(String),
    price           Int64 COMMENT 'decimal odds in millionths' CODEC(Delta, ZSTD(1)),
    status          LowCardinality(String),
    last_seen_at    DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    price_moved_at  Nullable(DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    inserted_at     DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (sport, event_id, market, book, received_at)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS arb_store.window_transitions
(
    topic               LowCardinality(String),
    topic_id            LowCardinality(String),
    kafka_partition     UInt32,
    kafka_offset        UInt64 CODEC(Delta, ZSTD(1)),
    row_index           UInt32 CODEC(Delta, ZSTD(1)),
    window_id           String CODEC(ZSTD(1)),
    sequence            Int64 CODEC(Delta, ZSTD(1)),
    transition          LowCardinality(String) COMMENT 'opened, updated, closed',
    at                  DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    event_id            String CODEC(ZSTD(1)),
    sport               LowCardinality(String),
    league              LowCardinality(String),
    home                Nullable(String) COMMENT 'null when closed, as all that a close does not say',
    away                Nullable(String),
    commence_time       Nullable(DateTime64(6, 'UTC')),
    in_play             Nullable(Bool),
    kind                Nullable(String),
    market              LowCardinality(String),
    period              LowCardinality(String),
    line                Nullable(Int32) COMMENT 'thousandths',
    implied_probability Nullable(Float64),
    margin              Float64 COMMENT 'when closed, the last one while open',
    margin_worst        Nullable(Float64),
    simultaneous        Nullable(Bool),
    score               Nullable(Float64),
    warnings            Array(LowCardinality(String)),
    legs                Nested
    (
        outcome             LowCardinality(String),
        side                LowCardinality(String),
        book                LowCardinality(String),
        price               Int64,
        implied_probability Float64,
        stake_share         Float64,
        price_moved_at      DateTime64(6, 'UTC'),
        last_seen_at        DateTime64(6, 'UTC')
    ),
    opened_at           DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    reason              LowCardinality(String) COMMENT 'why it closed; empty while open',
    margin_open         Nullable(Float64) COMMENT 'said when closed, as the peak',
    margin_peak         Nullable(Float64),
    inserted_at         DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (sport, event_id, window_id, sequence)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS arb_store.line_movements
(
    topic              LowCardinality(String),
    topic_id           LowCardinality(String),
    kafka_partition    UInt32,
    kafka_offset       UInt64 CODEC(Delta, ZSTD(1)),
    row_index          UInt32 CODEC(Delta, ZSTD(1)),
    sequence           Int64 CODEC(Delta, ZSTD(1)),
    kind               LowCardinality(String) COMMENT 'price, main_line',
    event_id           String CODEC(ZSTD(1)),
    sport              LowCardinality(String),
    league             LowCardinality(String),
    home               LowCardinality(String),
    away               LowCardinality(String),
    commence_time      DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    market             LowCardinality(String),
    period             LowCardinality(String),
    line               Nullable(Int32) COMMENT 'thousandths; of a main line the new one',
    line_from          Nullable(Int32),
    outcome            LowCardinality(String) COMMENT 'empty for a main line, as the book',
    book               LowCardinality(String),
    price_from         Nullable(Int64),
    price_to           Nullable(Int64),
    probability_change Nullable(Float64),
    window_start       DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    window_end         DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    inserted_at        DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(window_end)
ORDER BY (sport, event_id, market, book, window_end)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS arb_store.stale_alerts
(
    topic             LowCardinality(String),
    topic_id          LowCardinality(String),
    kafka_partition   UInt32,
    kafka_offset      UInt64 CODEC(Delta, ZSTD(1)),
    row_index         UInt32 CODEC(Delta, ZSTD(1)),
    sequence          Int64 CODEC(Delta, ZSTD(1)),
    scope             LowCardinality(String) COMMENT 'book, arb',
    state             LowCardinality(String) COMMENT 'stale, recovered, gone',
    event_id          String CODEC(ZSTD(1)),
    sport             LowCardinality(String),
    league            LowCardinality(String),
    home              LowCardinality(String),
    away              LowCardinality(String),
    commence_time     DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    book              LowCardinality(String),
    window_id         String COMMENT 'empty unless the scope is an arb',
    last_seen_at      Nullable(DateTime64(6, 'UTC')),
    expected_interval Int64 COMMENT 'microseconds',
    at                DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    inserted_at       DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (sport, event_id, book, at)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

-- Records that are none, whole: quarantine of what the sink alone would otherwise lose.
CREATE TABLE IF NOT EXISTS arb_store.rejected
(
    topic           LowCardinality(String),
    topic_id        LowCardinality(String),
    kafka_partition UInt32,
    kafka_offset    UInt64,
    row_index       UInt32,
    reason          String,
    key             String,
    value           String,
    inserted_at     DateTime('UTC') DEFAULT now(),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (topic, kafka_partition, kafka_offset)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;
