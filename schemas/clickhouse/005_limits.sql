-- What a book takes at a price, where its source says so. Rows of before have null there.

ALTER TABLE arb_store.ticks
    ADD COLUMN IF NOT EXISTS bet_limit Nullable(Int64) COMMENT 'the most that can be staked, in minor units; of a lay the stake of the backer' CODEC(ZSTD(1)) AFTER status;

CREATE OR REPLACE VIEW arb.ticks
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    t.source AS source,
    t.received_at AS received_at,
    t.polled AS polled,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.home AS home,
    t.away AS away,
    t.commence_time AS commence_time,
    t.received_at >= t.commence_time AS in_play,
    t.market AS market,
    t.period AS period,
    t.line / 1e3 AS line,
    t.outcome AS outcome,
    t.side AS side,
    t.book AS book,
    t.price / 1e6 AS price,
    1e6 / t.price AS implied_probability,
    t.status AS status,
    t.bet_limit / 100 AS bet_limit,
    t.last_seen_at AS last_seen_at,
    dateDiff('microsecond', t.last_seen_at, t.received_at) / 1e6 AS age_seconds,
    t.price_moved_at AS price_moved_at
FROM arb_store.ticks AS t
COMMENT 'One row a tick: what a source said of one price of one book when it was asked, or when it told. age_seconds is how long before that the source had confirmed it; bet_limit the most that can be staked at it, in the currency of the book (of a lay the stake of the backer), null where nobody says.';
