-- Whether a pick was still on offer at the first poll after it was published, and after a minute. Rows of before have null there.
-- A view keeps the columns that it was made with, so that all views of picks are replaced.

ALTER TABLE arb_store.pick_transitions
    ADD COLUMN IF NOT EXISTS poll_price Nullable(Int64) COMMENT 'millionths, at the book of the pick, at the first poll after publishing' AFTER closing_seen_at,
    ADD COLUMN IF NOT EXISTS poll_seen_at Nullable(DateTime64(6, 'UTC')) AFTER poll_price,
    ADD COLUMN IF NOT EXISTS minute_price Nullable(Int64) COMMENT 'millionths, at the book of the pick, one to two minutes after publishing' AFTER poll_seen_at,
    ADD COLUMN IF NOT EXISTS minute_seen_at Nullable(DateTime64(6, 'UTC')) AFTER minute_price;

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
    t.poll_price / 1e6 AS price_after_poll,
    t.poll_seen_at AS seen_after_poll_at,
    if(isNull(t.poll_seen_at), NULL, ifNull(t.poll_price >= t.price, false)) AS on_offer_after_poll,
    t.minute_price / 1e6 AS price_after_minute,
    t.minute_seen_at AS seen_after_minute_at,
    if(isNull(t.minute_seen_at), NULL, ifNull(t.minute_price >= t.price, false)) AS on_offer_after_minute,
    t.grade AS grade,
    nullIf(t.settlement, '') AS settlement,
    if(t.settlement IN ('', 'open', 'no_result'), NULL, t.profit) AS profit,
    t.home_points AS home_points,
    t.away_points AS away_points,
    nullIf(t.result_source, '') AS result_source,
    t.inserted_at AS arrived_at
FROM arb_store.pick_transitions AS t
COMMENT 'One row a pick that was published (grade 0), and one a grading of it (1, 2, ...): a correction is another grading. settlement: won, half_won, push, half_lost, lost, void; open where a result was withdrawn, no_result where none came within 30 days. profit is per unit staked, and null while a pick is not settled. closing_line_value is null without a price in the 15 minutes before the start. on_offer_after_poll: whether the book offered the published price or a better one at the first poll after publishing, on_offer_after_minute: one to two minutes after; null where that was not observed, as of every pick of a simulated feed. A row has what was known at its time: of a pick that is graded it does not change any more.';

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
    countIf(isNotNull(p.profit) AND isNotNull(p.on_offer_after_poll)) AS bets_seen_after_poll,
    avgIf(p.on_offer_after_poll, isNotNull(p.profit)) AS share_on_offer_after_poll,
    countIf(isNotNull(p.profit) AND isNotNull(p.on_offer_after_minute)) AS bets_seen_after_minute,
    avgIf(p.on_offer_after_minute, isNotNull(p.profit)) AS share_on_offer_after_minute,
    min(p.published_at) AS first_pick_at,
    max(p.published_at) AS last_pick_at
FROM arb.picks AS p
GROUP BY bot, version, feed
COMMENT 'One row a bot, a version of its rule and a feed: its record at flat stakes of one unit. mean_profit is the return per unit staked, standard_error takes bets for independent. Records of two versions or two feeds are never put together: a simulated book lags by construction. share_on_offer_after_poll and share_on_offer_after_minute: of the bets for which that was observed, the part that was still on offer; null where there is none. A return within 1.645 standard errors of 0 cannot be told from luck.';
