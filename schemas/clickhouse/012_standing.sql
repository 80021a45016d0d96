-- Whether windows could be taken: did all legs stand when each was first confirmed after the window opened, and after it was verified? Rows of
-- before have null there.

ALTER TABLE arb_store.window_transitions
    ADD COLUMN IF NOT EXISTS stood Nullable(Bool) COMMENT 'of a close: all legs were on offer at their prices or better when each was first confirmed after the opening; null where one was not confirmed' AFTER margin_peak,
    ADD COLUMN IF NOT EXISTS stood_after Nullable(Int64) COMMENT 'microseconds from the opening to the confirmation that decided it' AFTER stood,
    ADD COLUMN IF NOT EXISTS verified_stood Nullable(Bool) COMMENT 'as stood, after it was verified for the first time' AFTER stood_after,
    ADD COLUMN IF NOT EXISTS verified_stood_after Nullable(Int64) COMMENT 'as stood_after, from then on' AFTER verified_stood;

CREATE OR REPLACE VIEW arb.window_transitions
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    t.window_id AS window_id,
    t.topic_id AS topic_id,
    t.kafka_partition AS kafka_partition,
    t.sequence AS sequence,
    t.transition AS transition,
    t.at AS at,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.home AS home,
    t.away AS away,
    t.commence_time AS commence_time,
    t.in_play AS in_play,
    t.kind AS kind,
    t.market AS market,
    t.period AS period,
    t.line / 1e3 AS line,
    t.implied_probability AS implied_probability,
    t.margin AS margin,
    t.margin_worst AS margin_worst,
    t.margin_rounded AS margin_rounded,
    t.total_stake_max / 100 AS total_stake_max,
    nullIf(t.currency, '') AS currency,
    t.simultaneous AS simultaneous,
    t.verified AS verified,
    CAST(arrayZip(t.doubts.flag, t.doubts.reason), 'Array(Tuple(flag String, reason String))') AS doubts,
    t.ttl_p10 AS ttl_p10_seconds,
    t.ttl_median AS ttl_seconds,
    t.ttl_p90 AS ttl_p90_seconds,
    t.placeable AS placeable,
    t.score AS score,
    t.warnings AS warnings,
    arrayMap(
        (outcome, side, book, operator, price, effective, share, stake, liability, most, moved, seen, expected) -> CAST(
            (outcome, side, book, nullIf(operator, ''), price / 1e6, effective / 1e6, share, stake / 100, liability / 100, most / 100, moved, seen, expected / 1e6),
            'Tuple(outcome String, side String, book String, operator Nullable(String), price Float64, effective_price Nullable(Float64), stake_share Float64, stake Nullable(Float64), liability Nullable(Float64), limit Nullable(Float64), price_moved_at DateTime64(6, \'UTC\'), last_seen_at DateTime64(6, \'UTC\'), expected_interval_seconds Nullable(Float64))'),
        t.legs.outcome, t.legs.side, t.legs.book, t.legs.operator, t.legs.price, t.legs.effective_price, t.legs.stake_share, t.legs.stake,
        t.legs.liability, t.legs.limit, t.legs.price_moved_at, t.legs.last_seen_at, t.legs.expected_interval
    ) AS legs,
    t.opened_at AS opened_at,
    nullIf(t.reason, '') AS reason,
    t.margin_open AS margin_open,
    t.margin_peak AS margin_peak,
    t.stood AS stood,
    t.stood_after / 1e6 AS stood_after_seconds,
    t.verified_stood AS verified_stood,
    t.verified_stood_after / 1e6 AS verified_stood_after_seconds,
    t.inserted_at AS arrived_at
FROM arb_store.window_transitions AS t
COMMENT 'One row a transition of an arb window: opened, updated (a leg, its price, or what is proven of it changed) or closed. A close does not repeat the legs, its margin is the last one while open, and verified is whether it ever was. Sequences number the events of one partition of the feed, as long as the topic lives (topic_id); arrived_at is when the row was written here.';

CREATE OR REPLACE VIEW arb.windows
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    t.window_id AS window_id,
    t.topic_id AS topic_id,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    argMax(t.home, t.sequence) AS home,
    argMax(t.away, t.sequence) AS away,
    argMax(t.commence_time, t.sequence) AS commence_time,
    argMin(t.kind, t.sequence) AS kind,
    t.market AS market,
    t.period AS period,
    t.line AS line,
    t.opened_at AS opened_at,
    maxOrNullIf(t.at, t.transition = 'closed') AS closed_at,
    dateDiff('microsecond', t.opened_at, closed_at) / 1e6 AS lifetime_seconds,
    max(t.reason) AS reason,
    argMin(t.in_play, t.sequence) AS in_play,
    if(in_play, 'in-play', 'pre-match') AS phase,
    ifNull(max(t.margin_open), argMin(t.margin, t.sequence)) AS margin_open,
    greatest(max(t.margin), ifNull(max(t.margin_peak), max(t.margin))) AS margin_peak,
    argMaxOrNullIf(t.margin, t.sequence, t.transition = 'closed') AS margin_close,
    argMin(t.margin_worst, t.sequence) AS margin_worst_open,
    argMin(t.simultaneous, t.sequence) AS simultaneous_at_open,
    max(t.simultaneous) AS simultaneous_ever,
    argMin(t.verified, t.sequence) AS verified_at_open,
    max(t.verified) AS verified_ever,
    max(t.stood) AS stood,
    max(t.stood_after_seconds) AS stood_after_seconds,
    max(t.verified_stood) AS verified_stood,
    max(t.verified_stood_after_seconds) AS verified_stood_after_seconds,
    argMin(t.ttl_seconds, t.sequence) AS ttl_seconds_at_open,
    countIf(t.transition = 'updated') AS updates,
    argMinIf(t.legs, t.sequence, t.transition != 'closed') AS legs,
    arraySort(arrayDistinct(legs.book)) AS books
FROM arb.window_transitions AS t
GROUP BY t.sport, t.league, t.event_id, t.market, t.period, t.line, t.opened_at, t.window_id, t.topic_id
COMMENT 'One row an arb window, from opening to close. While it is open closed_at, lifetime_seconds, reason and margin_close are null. in_play, phase, margin_worst_open, legs and books are as it opened; simultaneous_ever says whether its legs were proven at any time to be on offer at one moment, and a window that never was is a phantom; verified_ever whether all flags held at any one time. stood says whether all legs were on offer at their prices or better when each was first confirmed after it opened, and verified_stood after it was verified for the first time; they are null while it is open and where one was not confirmed before it closed. Of a polled source opening and close are those polls that showed them, so a lifetime is known to within one interval on either side. A recording that is played again into new topics gives its windows again, with another topic_id.';
