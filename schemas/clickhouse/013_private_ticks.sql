-- The ticks of private sources: what clients push for their own account alone. They have the columns of ticks, and no view reads them: analysts
-- read the database arb, of which nothing depends on a private source.

CREATE TABLE IF NOT EXISTS arb_store.private_ticks
AS arb_store.ticks
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (source, event_id, market, book, received_at)
TTL inserted_at + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;
