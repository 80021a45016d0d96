-- Within which the book of a leg confirms its prices. Rows of before have null there.

ALTER TABLE arb_store.window_transitions
    ADD COLUMN IF NOT EXISTS legs.expected_interval Array(Nullable(Int64)) DEFAULT arrayMap(book -> NULL, legs.book) COMMENT 'microseconds within which the book confirms 95 of 100 prices' AFTER legs.last_seen_at;
