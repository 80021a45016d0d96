-- What the sink writes: one row for each thing that happened, never changed afterwards. Analysts read the views of the
-- database {views}, not these.
--
-- Every row carries the place of the Kafka record that it was made from (topic, topic_id, kafka_partition, kafka_offset)
-- and its number within that record (row_index): together they name a row once, and the sink proves with them what has
-- arrived. A topic that is deleted and made anew begins at offset 0 again, and has another id.
-- Prices are decimal odds in millionths, lines are thousandths, margins and probabilities are fractions, times are UTC.
-- Rows are kept for 400 days from their arrival (not from their own time: a recording of last year is news to us).
-- {store} and {views} are the databases that the migrator was given.

CREATE TABLE IF NOT EXISTS {store}.ticks
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
    bet_limit       Nullable(Int64) COMMENT 'the most that can be staked, in minor units; of a lay the stake of the backer' CODEC(ZSTD(1)),
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

-- The ticks of private sources: what clients push for their own account alone. No view reads them: nothing that an analyst sees depends on one.
CREATE TABLE IF NOT EXISTS {store}.private_ticks
AS {store}.ticks
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (source, event_id, market, book, received_at)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS {store}.window_transitions
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
    margin_rounded      Nullable(Float64) COMMENT 'of the stakes of the legs, pushes aside',
    total_stake_max     Nullable(Int64) COMMENT 'minor units',
    currency            LowCardinality(String) COMMENT 'empty when not known',
    ttl_p10             Nullable(Float64) COMMENT 'seconds',
    ttl_median          Nullable(Float64),
    ttl_p90             Nullable(Float64),
    execution_probability Nullable(Float64) COMMENT 'that it lives long enough for its bets to be placed',
    simultaneous        Bool COMMENT 'when closed, whether it ever was',
    verified            Bool COMMENT 'as simultaneous',
    failed_checks       Nested
    (
        flag   LowCardinality(String),
        reason String
    ),
    score               Nullable(Float64),
    warnings            Array(LowCardinality(String)),
    legs                Nested
    (
        outcome             LowCardinality(String),
        side                LowCardinality(String),
        book                LowCardinality(String),
        operator            LowCardinality(String),
        price               Int64,
        effective_price     Int64,
        implied_probability Float64,
        stake_share         Float64,
        stake               Nullable(Int64),
        liability           Nullable(Int64),
        limit               Nullable(Int64),
        price_moved_at      DateTime64(6, 'UTC'),
        last_seen_at        DateTime64(6, 'UTC'),
        expected_interval   Int64
    ),
    opened_at           DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    reason              LowCardinality(String) COMMENT 'why it closed; empty while open',
    margin_open         Nullable(Float64) COMMENT 'said when closed, as the peak',
    margin_peak         Nullable(Float64),
    stood               Nullable(Bool) COMMENT 'of a close: all legs were on offer at their prices or better when each was first confirmed after the opening; null where one was not confirmed',
    stood_after         Nullable(Int64) COMMENT 'microseconds from the opening to the confirmation that decided it',
    verified_stood      Nullable(Bool) COMMENT 'as stood, after it was verified for the first time',
    verified_stood_after Nullable(Int64) COMMENT 'as stood_after, from then on',
    inserted_at         DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (sport, event_id, window_id, sequence)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS {store}.line_movements
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

CREATE TABLE IF NOT EXISTS {store}.stale_alerts
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
CREATE TABLE IF NOT EXISTS {store}.rejected
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

-- Edge signals: what was worth a look, how much, how sure, and what became of it.
--
-- A row is a transition, as of windows; mere refreshes of times are on no topic that is kept by time, and in no row. Of a
-- signal that closes bets are as they were last told, and evidence and fair are empty.
CREATE TABLE IF NOT EXISTS {store}.signal_transitions
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

-- What became of webhook deliveries: a row for each entry of the delivery log.
--
-- What a partner's server answered is the partner's own: the API shows it to the account of the endpoint, and the view for
-- analysts does not have it. Rows are kept for 90 days.
CREATE TABLE IF NOT EXISTS {store}.webhook_deliveries
(
    topic           LowCardinality(String),
    topic_id        LowCardinality(String),
    kafka_partition UInt32,
    kafka_offset    UInt64 CODEC(Delta, ZSTD(1)),
    row_index       UInt32 CODEC(Delta, ZSTD(1)),
    delivery        String COMMENT 'webhook-id' CODEC(ZSTD(1)),
    endpoint        String CODEC(ZSTD(1)),
    kind            LowCardinality(String),
    subject         String CODEC(ZSTD(1)),
    sequence        Int64 CODEC(Delta, ZSTD(1)),
    attempt         Int64 COMMENT '0 where no attempt was made',
    outcome         LowCardinality(String),
    status          Nullable(Int32) COMMENT 'of HTTP',
    latency         Int64 COMMENT 'microseconds',
    answer          String COMMENT 'the first 4 KiB of the answer, or the error' CODEC(ZSTD(3)),
    next_at         Nullable(DateTime64(6, 'UTC')),
    created_at      DateTime64(6, 'UTC') COMMENT 'when the event was read from the feed' CODEC(Delta, ZSTD(1)),
    at              DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    inserted_at     DateTime('UTC') DEFAULT now() CODEC(Delta, ZSTD(1)),
    INDEX by_offset kafka_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (endpoint, at, kafka_partition, kafka_offset)
TTL inserted_at + INTERVAL 90 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

-- Picks of bots: what was published of each before its event, and every grading.
--
-- A row is a record of the feed: a pick as it was after it was published or graded. Rows of one pick differ in what came after
-- publishing alone. Records of two feeds (simulated, recorded, live) are never put together.
CREATE TABLE IF NOT EXISTS {store}.pick_transitions
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
    poll_price          Nullable(Int64) COMMENT 'millionths, at the book of the pick, at the first poll after publishing',
    poll_seen_at        Nullable(DateTime64(6, 'UTC')),
    minute_price        Nullable(Int64) COMMENT 'millionths, at the book of the pick, one to two minutes after publishing',
    minute_seen_at      Nullable(DateTime64(6, 'UTC')),
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

-- Gradings of arb windows: what each leg paid, and what all stakes returned.
--
-- A row is a record of the feed: a window as it opened, and one grading of it. Rows of one window differ in the grading alone. Of a grading
-- whose result was withdrawn legs have no settlement.
CREATE TABLE IF NOT EXISTS {store}.window_gradings
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
