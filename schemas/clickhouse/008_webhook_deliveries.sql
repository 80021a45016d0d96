-- What became of webhook deliveries: a row for each entry of the delivery log.
--
-- What a partner's server answered is the partner's own: the API shows it to the account of the endpoint, and the view for
-- analysts does not have it. Rows are kept for 90 days.

CREATE TABLE IF NOT EXISTS arb_store.webhook_deliveries
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

CREATE OR REPLACE VIEW arb.webhook_deliveries
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    t.delivery AS webhook_id,
    t.endpoint AS endpoint,
    t.kind AS type,
    nullIf(t.subject, '') AS subject,
    t.attempt AS attempt,
    t.outcome AS outcome,
    t.status AS status,
    t.latency / 1e6 AS latency_seconds,
    t.next_at AS next_attempt_at,
    t.created_at AS event_read_at,
    t.at AS at,
    t.inserted_at AS arrived_at
FROM arb_store.webhook_deliveries AS t
COMMENT 'One row an entry of the delivery log of webhooks: an attempt and what came of it, or a delivery that ended without one (attempt 0). outcome: delivered (2xx), failed (tried again at next_attempt_at), given_up, gone (410), expired and superseded (policy live), dropped (the endpoint was deleted), overflowed. What servers answered is shown to their account by the API alone.';
