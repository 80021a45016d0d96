-- What analysts read: views over the tables of {store}, with the rights of the role that makes them.
--
-- Prices are decimal odds, lines are in points or goals, margins and probabilities are fractions, times are UTC. An empty or
-- unknown value is null. Each view's comment says what a row is; docs/analysts.md says which filters make it quick.
-- No view is materialised: a kill between a table and what is made of it would leave a wrong one, and wrong it would stay.
--
-- Columns of tables are named with their table (t.price), because ClickHouse takes a bare name for the alias of the column
-- that is made of it.

CREATE OR REPLACE VIEW {views}.ticks
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
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
FROM {store}.ticks AS t
COMMENT 'One row a tick: what a source said of one price of one book when it was asked, or when it told. age_seconds is how long before that the source had confirmed it; bet_limit the most that can be staked at it, in the currency of the book (of a lay the stake of the backer), null where nobody says.';

CREATE OR REPLACE VIEW {views}.window_transitions
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
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
    CAST(arrayZip(t.failed_checks.flag, t.failed_checks.reason), 'Array(Tuple(flag String, reason String))') AS failed_checks,
    t.ttl_p10 AS ttl_p10_seconds,
    t.ttl_median AS ttl_seconds,
    t.ttl_p90 AS ttl_p90_seconds,
    t.execution_probability AS execution_probability,
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
FROM {store}.window_transitions AS t
COMMENT 'One row a transition of an arb window: opened, updated (a leg, its price, or what is proven of it changed) or closed. A close does not repeat the legs, its margin is the last one while open, and verified is whether it ever was. Sequences number the events of one partition of the feed, as long as the topic lives (topic_id); arrived_at is when the row was written here.';

CREATE OR REPLACE VIEW {views}.line_movements
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    t.topic_id AS topic_id,
    t.kind AS kind,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.home AS home,
    t.away AS away,
    t.commence_time AS commence_time,
    t.market AS market,
    t.period AS period,
    t.line / 1e3 AS line,
    t.line_from / 1e3 AS line_from,
    nullIf(t.outcome, '') AS outcome,
    nullIf(t.book, '') AS book,
    t.price_from / 1e6 AS price_from,
    t.price_to / 1e6 AS price_to,
    t.probability_change AS probability_change,
    t.window_start AS window_start,
    t.window_end AS window_end
FROM {store}.line_movements AS t
COMMENT 'One row a movement that the feed reported: of a price (kind price: implied probability moved by 0.02 or more within 60 s) or of a main line (kind main_line: from line_from to line). A recording that is played again into new topics gives its rows again, with another topic_id.';

CREATE OR REPLACE VIEW {views}.stale_alerts
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    t.topic_id AS topic_id,
    t.scope AS scope,
    t.state AS state,
    t.at AS at,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.home AS home,
    t.away AS away,
    t.commence_time AS commence_time,
    t.book AS book,
    nullIf(t.window_id, '') AS window_id,
    t.last_seen_at AS last_seen_at,
    dateDiff('microsecond', t.last_seen_at, t.at) / 1e6 AS age_seconds,
    t.expected_interval / 1e6 AS expected_interval_seconds
FROM {store}.stale_alerts AS t
COMMENT 'One row an alert: a book became stale for an event, recovered or is gone (scope book), or a window was closed because the book of a leg was stale (scope arb). expected_interval_seconds is within which the book confirms 95 of 100 prices. A recording that is played again into new topics gives its rows again, with another topic_id.';

CREATE OR REPLACE VIEW {views}.current_board
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    row_number() OVER (ORDER BY w.verified DESC, w.score DESC, w.window_id) AS rank,
    w.window_id AS window_id,
    w.sport AS sport,
    w.league AS league,
    w.event_id AS event_id,
    w.home AS home,
    w.away AS away,
    w.commence_time AS commence_time,
    w.in_play AS in_play,
    w.kind AS kind,
    w.market AS market,
    w.period AS period,
    w.line AS line,
    w.implied_probability AS implied_probability,
    w.margin AS margin,
    w.margin_worst AS margin_worst,
    w.margin_rounded AS margin_rounded,
    w.total_stake_max AS total_stake_max,
    w.currency AS currency,
    w.simultaneous AS simultaneous,
    w.verified AS verified,
    w.failed_checks AS failed_checks,
    w.ttl_p10_seconds AS ttl_p10_seconds,
    w.ttl_seconds AS ttl_seconds,
    w.ttl_p90_seconds AS ttl_p90_seconds,
    w.execution_probability AS execution_probability,
    w.score AS score,
    w.warnings AS warnings,
    w.legs AS legs,
    w.opened_at AS opened_at,
    w.at AS updated_at
FROM
(
    SELECT *
    FROM {views}.window_transitions
    WHERE transition != 'closed'
        AND topic_id = (SELECT argMax(topic_id, (inserted_at, at)) FROM {store}.window_transitions)
        AND (topic_id, window_id) NOT IN (SELECT topic_id, window_id FROM {store}.window_transitions WHERE transition = 'closed')
    ORDER BY sequence DESC
    LIMIT 1 BY window_id
) AS w
COMMENT 'One row an open window as its last transition left it, ranked over the whole board as the API does: verified first, then the larger score, the id. Only of the newest feed: windows that were open when its topic was recreated are gone. Times of legs are those of that transition: that a price was only confirmed since is on the board of the API, not here.';

CREATE OR REPLACE VIEW {views}.windows
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
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
FROM {views}.window_transitions AS t
GROUP BY t.sport, t.league, t.event_id, t.market, t.period, t.line, t.opened_at, t.window_id, t.topic_id
COMMENT 'One row an arb window, from opening to close. While it is open closed_at, lifetime_seconds, reason and margin_close are null. in_play, phase, margin_worst_open, legs and books are as it opened; simultaneous_ever says whether its legs were proven at any time to be on offer at one moment, and a window that never was is a phantom; verified_ever whether all flags held at any one time. stood says whether all legs were on offer at their prices or better when each was first confirmed after it opened, and verified_stood after it was verified for the first time; they are null while it is open and where one was not confirmed before it closed. Of a polled source opening and close are those polls that showed them, so a lifetime is known to within one interval on either side. A recording that is played again into new topics gives its windows again, with another topic_id.';

CREATE OR REPLACE VIEW {views}.polls
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    source,
    received_at,
    dateDiff('microsecond', lagInFrame(toNullable(received_at)) OVER (PARTITION BY source ORDER BY received_at), received_at) / 1e6 AS interval_seconds,
    events,
    ticks
FROM
(
    SELECT source, received_at, uniqExact(event_id) AS events, count() AS ticks
    FROM {store}.ticks
    WHERE polled
    GROUP BY source, received_at
)
COMMENT 'One row a poll of a source that was told at least one price. interval_seconds is since the poll before; null for the first.';

CREATE OR REPLACE VIEW {views}.best_price_history
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    source,
    received_at,
    sport,
    league,
    event_id,
    home,
    away,
    commence_time,
    received_at >= commence_time AS in_play,
    market,
    period,
    line,
    best.1 AS outcome,
    best.2 / 1e6 AS price,
    best.3 AS book,
    best.4 AS books,
    1e6 / best.2 AS implied_probability,
    length(bests) AS outcomes,
    arraySum(one -> 1e6 / one.2, bests) AS implied_probability_sum
FROM
(
    SELECT
        source, received_at, sport, league, event_id, market, period, line,
        any(home) AS home, any(away) AS away, any(commence_time) AS commence_time,
        arraySort(groupArray((outcome, best_price, best_book, books))) AS bests
    FROM
    (
        SELECT
            t.source AS source, t.received_at AS received_at, t.sport AS sport, t.league AS league,
            t.event_id AS event_id, t.market AS market, t.period AS period, t.line / 1e3 AS line, t.outcome AS outcome,
            any(t.home) AS home, any(t.away) AS away, any(t.commence_time) AS commence_time,
            max(t.price) AS best_price,
            argMin(t.book, (-t.price, t.book)) AS best_book,
            uniqExact(t.book) AS books
        FROM {store}.ticks AS t
        WHERE t.polled AND t.side = 'back' AND t.status = 'active'
        GROUP BY source, received_at, sport, league, event_id, market, period, line, outcome
    )
    GROUP BY source, received_at, sport, league, event_id, market, period, line
)
ARRAY JOIN bests AS best
COMMENT 'One row an outcome of a line in one poll of an event: its best back price, the book that offers it (ties: the smaller name), how many books quote it, and the sum of 1/best price over the outcomes that the line had in that poll. Only sources that are polled, because only their frames name all that is on offer; each source by itself. Of sources that push see ticks.';

CREATE OR REPLACE VIEW {views}.minute_bars
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.market AS market,
    t.period AS period,
    t.line / 1e3 AS line,
    t.outcome AS outcome,
    t.side AS side,
    t.book AS book,
    toStartOfMinute(t.received_at) AS minute,
    argMin(t.price, t.place) / 1e6 AS open,
    max(t.price) / 1e6 AS high,
    min(t.price) / 1e6 AS low,
    argMax(t.price, t.place) / 1e6 AS close,
    count() AS ticks
FROM (SELECT *, bitShiftLeft(toUInt128(toUnixTimestamp64Micro(received_at)), 64) + kafka_offset AS place FROM {store}.ticks) AS t
WHERE t.status = 'active'
GROUP BY sport, league, event_id, market, period, line, outcome, side, book, minute
COMMENT 'One row a minute in which a book named an active price of an outcome: the first, highest, lowest and last price, and how many ticks said so. A minute without a tick has no row.';

CREATE OR REPLACE VIEW {views}.price_moves_between
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    source, sport, league, event_id, market, period, line, outcome, book,
    moved_at, moved_at >= commence_time AS in_play, price_from, price_to, probability_change,
    others_before, others_together, others_after,
    multiIf(
        others_before > 0 AND others_after > 0, 'follows',
        others_before > 0, 'lags',
        others_after > 0, 'leads',
        others_together > 0, 'together',
        'alone') AS role
FROM
(
    SELECT
        *,
        count() OVER all_before - count() OVER own_before AS others_before,
        count() OVER all_together - count() OVER own_together AS others_together,
        count() OVER all_after - count() OVER own_after AS others_after
    FROM
    (
        SELECT
            source, sport, league, event_id, market, period, line, outcome, book, commence_time,
            move.1 AS moved_at, move.2 / 1e6 AS price_from, move.3 / 1e6 AS price_to,
            1e6 / move.3 - 1e6 / move.2 AS probability_change,
            probability_change > 0 AS shortens, toUnixTimestamp64Micro(moved_at) AS at
        FROM
        (
            SELECT
                t.source AS source, t.sport AS sport, t.league AS league, t.event_id AS event_id, t.market AS market,
                t.period AS period, t.line / 1e3 AS line, t.outcome AS outcome, t.book AS book,
                any(t.commence_time) AS commence_time, arraySort(groupArray((t.received_at, t.price))) AS seen
            FROM {store}.ticks AS t
            WHERE t.side = 'back' AND t.status = 'active'
                AND t.received_at >= {since:DateTime64(6, 'UTC')} AND t.received_at < {until:DateTime64(6, 'UTC')}
            GROUP BY source, sport, league, event_id, market, period, line, outcome, book
        )
        ARRAY JOIN arrayFilter(
            move -> abs(1e6 / move.3 - 1e6 / move.2) >= 0.01,
            arrayMap((now, was) -> (now.1, was.2, now.2), arrayPopFront(seen), arrayPopBack(seen))) AS move
    )
    WINDOW
        all_before AS (PARTITION BY sport, event_id, market, period, line, outcome, shortens ORDER BY at RANGE BETWEEN 1800000000 PRECEDING AND 1 PRECEDING),
        own_before AS (PARTITION BY sport, event_id, market, period, line, outcome, shortens, book ORDER BY at RANGE BETWEEN 1800000000 PRECEDING AND 1 PRECEDING),
        all_together AS (PARTITION BY sport, event_id, market, period, line, outcome, shortens ORDER BY at RANGE BETWEEN CURRENT ROW AND CURRENT ROW),
        own_together AS (PARTITION BY sport, event_id, market, period, line, outcome, shortens, book ORDER BY at RANGE BETWEEN CURRENT ROW AND CURRENT ROW),
        all_after AS (PARTITION BY sport, event_id, market, period, line, outcome, shortens ORDER BY at RANGE BETWEEN 1 FOLLOWING AND 1800000000 FOLLOWING),
        own_after AS (PARTITION BY sport, event_id, market, period, line, outcome, shortens, book ORDER BY at RANGE BETWEEN 1 FOLLOWING AND 1800000000 FOLLOWING)
)
COMMENT 'price_moves, computed from the ticks received from since (inclusive) until (exclusive) only: {views}.price_moves_between(since = \'2026-06-01\', until = \'2026-07-01\'). The first tick of a price within that time moves nothing.';

CREATE OR REPLACE VIEW {views}.price_moves
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT * FROM {views}.price_moves_between(since = '1970-01-01', until = '2200-01-01')
COMMENT 'One row a move: the implied probability of a back price of one book changed by 0.01 or more from one tick of a source to the next. Role compares it with moves of the same outcome in the same direction by other books within 30 minutes, by when they were received: leads (others only later), lags (others only before), follows (both), together (others only in the same poll), alone. Several that are first in one poll all lead.';

CREATE OR REPLACE VIEW {views}.book_quality_between
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    sport,
    league,
    book,
    ticks,
    ages[1] / 1e6 AS age_p50_seconds,
    ages[2] / 1e6 AS age_p90_seconds,
    ages[3] / 1e6 AS age_p99_seconds,
    ifNull(q.offered, 0) AS quotes_offered,
    ifNull(q.withdrawn, 0) AS quotes_withdrawn,
    if(quotes_offered = 0, NULL, quotes_withdrawn / quotes_offered) AS withdrawn_share,
    ifNull(m.moves, 0) AS moves,
    ifNull(m.leads, 0) AS leads,
    ifNull(m.lags, 0) AS lags,
    if(leads + lags = 0, NULL, leads / (leads + lags)) AS lead_share,
    ifNull(a.alerts, 0) AS stale_alerts
FROM
(
    SELECT
        t.sport AS sport, t.league AS league, t.book AS book, count() AS ticks,
        quantilesExact(0.5, 0.9, 0.99)(dateDiff('microsecond', t.last_seen_at, t.received_at)) AS ages
    FROM {store}.ticks AS t
    WHERE t.received_at >= {since:DateTime64(6, 'UTC')} AND t.received_at < {until:DateTime64(6, 'UTC')}
    GROUP BY sport, league, book
) AS b
LEFT JOIN
(
    SELECT
        sport, league, book,
        sum(length(polls) - (polls[-1] = last_poll)) AS offered,
        offered - sum(arrayCount(step -> step = 1, arrayDifference(polls))) AS withdrawn
    FROM
    (
        SELECT
            t.sport AS sport, t.league AS league, t.book AS book,
            arrayCompact(arraySort(groupArray(p.poll))) AS polls, any(p.last_poll) AS last_poll
        FROM {store}.ticks AS t
        JOIN
        (
            SELECT
                source, event_id, received_at,
                toUInt32(row_number() OVER (PARTITION BY source, event_id ORDER BY received_at)) AS poll,
                toUInt32(count() OVER (PARTITION BY source, event_id)) AS last_poll
            FROM
            (
                SELECT DISTINCT source, event_id, received_at
                FROM {store}.ticks
                WHERE polled AND received_at >= {since:DateTime64(6, 'UTC')} AND received_at < {until:DateTime64(6, 'UTC')}
            )
        ) AS p ON t.source = p.source AND t.event_id = p.event_id AND t.received_at = p.received_at
        WHERE t.polled AND t.received_at >= {since:DateTime64(6, 'UTC')} AND t.received_at < {until:DateTime64(6, 'UTC')}
        GROUP BY t.source, t.sport, t.league, t.event_id, t.market, t.period, t.line, t.outcome, t.side, t.book
    )
    GROUP BY sport, league, book
) AS q USING (sport, league, book)
LEFT JOIN
(
    SELECT sport, league, book, count() AS moves, countIf(role = 'leads') AS leads, countIf(role = 'lags') AS lags
    FROM {views}.price_moves_between(since = {since:DateTime64(6, 'UTC')}, until = {until:DateTime64(6, 'UTC')})
    GROUP BY sport, league, book
) AS m USING (sport, league, book)
LEFT JOIN
(
    SELECT t.sport AS sport, t.league AS league, t.book AS book, countIf(t.state = 'stale') AS alerts
    FROM {store}.stale_alerts AS t
    WHERE t.at >= {since:DateTime64(6, 'UTC')} AND t.at < {until:DateTime64(6, 'UTC')}
        AND t.topic_id = (SELECT argMax(topic_id, (inserted_at, at)) FROM {store}.window_transitions)
    GROUP BY sport, league, book
) AS a USING (sport, league, book)
COMMENT 'book_quality, computed from what was received from since (inclusive) until (exclusive) only: {views}.book_quality_between(since = \'2026-06-01\', until = \'2026-07-01\').';

CREATE OR REPLACE VIEW {views}.book_quality
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT * FROM {views}.book_quality_between(since = '1970-01-01', until = '2200-01-01')
COMMENT 'One row a book in a league. Ages: received_at less last_seen_at, over ticks. A quote is offered when a poll names it and a later one names any price of its event, and withdrawn when the next such poll does not name it. Moves, leads and lags: see price_moves; lead_share is leads of leads and lags. stale_alerts: how often the book, or a leg of it, became stale, by the newest feed.';

CREATE OR REPLACE VIEW {views}.signal_transitions
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    t.signal_id AS signal_id,
    t.topic_id AS topic_id,
    t.kafka_partition AS kafka_partition,
    t.sequence AS sequence,
    t.transition AS transition,
    t.at AS at,
    nullIf(t.reason, '') AS reason,
    t.kind AS kind,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    t.home AS home,
    t.away AS away,
    t.commence_time AS commence_time,
    t.in_play AS in_play,
    t.market AS market,
    t.period AS period,
    t.line / 1e3 AS line,
    nullIf(t.outcome, '') AS outcome,
    t.strength AS strength,
    t.confidence AS confidence,
    t.kelly AS kelly,
    arrayMap(
        (what, side, points, book, operator, price, effective, moved, seen) -> CAST(
            (what, side, points / 1e3, book, nullIf(operator, ''), price / 1e6, effective / 1e6, moved, seen),
            'Tuple(outcome String, side String, line Nullable(Float64), book String, operator Nullable(String), price Float64, effective_price Float64, price_moved_at DateTime64(6, \'UTC\'), last_seen_at DateTime64(6, \'UTC\'))'),
        t.bets.outcome, t.bets.side, t.bets.line, t.bets.book, t.bets.operator, t.bets.price, t.bets.effective_price,
        t.bets.price_moved_at, t.bets.last_seen_at
    ) AS bets,
    arrayMap(
        (role, what, side, points, book, operator, price, was, effective, moved, seen) -> CAST(
            (role, what, side, points / 1e3, book, nullIf(operator, ''), price / 1e6, was / 1e6, effective / 1e6, moved, seen),
            'Tuple(role String, outcome String, side String, line Nullable(Float64), book String, operator Nullable(String), price Float64, price_from Nullable(Float64), effective_price Float64, price_moved_at DateTime64(6, \'UTC\'), last_seen_at DateTime64(6, \'UTC\'))'),
        t.evidence.role, t.evidence.outcome, t.evidence.side, t.evidence.line, t.evidence.book, t.evidence.operator,
        t.evidence.price, t.evidence.price_from, t.evidence.effective_price, t.evidence.price_moved_at, t.evidence.last_seen_at
    ) AS evidence,
    CAST(arrayZip(t.fair.method, t.fair.probability), 'Array(Tuple(method String, probability Float64))') AS fair,
    t.opened_at AS opened_at,
    t.expires_at AS expires_at,
    t.inserted_at AS arrived_at
FROM {store}.signal_transitions AS t
COMMENT 'One row a transition of an edge signal: opened, updated (its bets, or who says so) or closed. strength is a fraction of another thing for each kind: the expected return of value and stale_price, the rise of the implied probability of steam and odds_drop, the return on the total stake where one bet wins of middle and low_hold. A close has the bets as they were last told, and neither evidence nor fair. Sequences number the events of one partition of the feed, as long as the topic lives (topic_id); arrived_at is when the row was written here.';

CREATE OR REPLACE VIEW {views}.current_signals
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    s.signal_id AS signal_id,
    s.kind AS kind,
    s.sport AS sport,
    s.league AS league,
    s.event_id AS event_id,
    s.home AS home,
    s.away AS away,
    s.commence_time AS commence_time,
    s.in_play AS in_play,
    s.market AS market,
    s.period AS period,
    s.line AS line,
    s.outcome AS outcome,
    s.strength AS strength,
    s.confidence AS confidence,
    s.kelly AS kelly,
    s.bets AS bets,
    s.evidence AS evidence,
    s.fair AS fair,
    s.opened_at AS opened_at,
    s.at AS updated_at,
    s.expires_at AS expires_at
FROM
(
    SELECT *
    FROM {views}.signal_transitions
    WHERE transition != 'closed'
        AND topic_id =
        (
            SELECT argMax(id, last)
            FROM
            (
                SELECT argMax(topic_id, (inserted_at, at)) AS id, max((inserted_at, at)) AS last FROM {store}.signal_transitions
                UNION ALL
                SELECT argMax(topic_id, (inserted_at, at)) AS id, max((inserted_at, at)) AS last FROM {store}.window_transitions
            )
        )
        AND (topic_id, signal_id) NOT IN (SELECT topic_id, signal_id FROM {store}.signal_transitions WHERE transition = 'closed')
    ORDER BY sequence DESC
    LIMIT 1 BY signal_id
) AS s
COMMENT 'One row an open edge signal as its last transition left it. Only of the newest feed, which is that of the latest transition of a window or a signal: signals that were open when its topic was made anew are gone. Times of bets are those of that transition: that a price was only confirmed since, and until when that holds the signal open, is on the list of the API, not here.';

CREATE OR REPLACE VIEW {views}.signals
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    t.signal_id AS signal_id,
    t.topic_id AS topic_id,
    argMin(t.kind, t.sequence) AS kind,
    t.sport AS sport,
    t.league AS league,
    t.event_id AS event_id,
    argMax(t.home, t.sequence) AS home,
    argMax(t.away, t.sequence) AS away,
    argMax(t.commence_time, t.sequence) AS commence_time,
    argMin(t.market, t.sequence) AS market,
    argMin(t.period, t.sequence) AS period,
    tupleElement(argMin(tuple(t.line), t.sequence), 1) AS line,
    tupleElement(argMin(tuple(t.outcome), t.sequence), 1) AS outcome,
    t.opened_at AS opened_at,
    maxOrNullIf(t.at, t.transition = 'closed') AS closed_at,
    dateDiff('microsecond', t.opened_at, closed_at) / 1e6 AS lifetime_seconds,
    max(t.reason) AS reason,
    argMin(t.in_play, t.sequence) AS in_play,
    if(in_play, 'in-play', 'pre-match') AS phase,
    argMin(t.strength, t.sequence) AS strength_open,
    max(t.strength) AS strength_peak,
    argMax(t.strength, t.sequence) AS strength_last,
    argMin(t.confidence, t.sequence) AS confidence_open,
    tupleElement(argMin(tuple(t.kelly), t.sequence), 1) AS kelly_open,
    countIf(t.transition = 'updated') AS updates,
    argMin(t.bets, t.sequence) AS bets,
    argMin(t.evidence, t.sequence) AS evidence,
    arraySort(arrayDistinct(bets.book)) AS books
FROM {views}.signal_transitions AS t
GROUP BY t.sport, t.league, t.event_id, t.opened_at, t.signal_id, t.topic_id
COMMENT 'One row an edge signal, from opening to close. While it is open closed_at, lifetime_seconds and reason are null. in_play, phase, confidence_open, kelly_open, bets, evidence and books are as it opened; strength_last is that of its last transition. reason: expired, faded (what it says holds no longer), followed (the price that lagged has gone where the others went), withdrawn, event_ended. Of a polled source a lifetime is known to within one interval on either side.';

CREATE OR REPLACE VIEW {views}.signals_by_day
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    s.kind AS kind,
    toDate(s.opened_at) AS day,
    s.sport AS sport,
    s.league AS league,
    count() AS signals,
    countIf(isNull(s.closed_at)) AS open,
    countIf(s.reason = 'expired') AS expired,
    countIf(s.reason = 'faded') AS faded,
    countIf(s.reason = 'followed') AS followed,
    countIf(s.reason = 'withdrawn') AS withdrawn,
    countIf(s.reason = 'event_ended') AS event_ended,
    quantileExact(0.5)(s.strength_open) AS strength_p50,
    quantileExact(0.9)(s.strength_open) AS strength_p90,
    avg(s.confidence_open) AS mean_confidence,
    quantileExactOrNullIf(0.5)(ifNull(s.lifetime_seconds, 0), isNotNull(s.lifetime_seconds)) AS lifetime_p50_seconds,
    quantileExactOrNullIf(0.9)(ifNull(s.lifetime_seconds, 0), isNotNull(s.lifetime_seconds)) AS lifetime_p90_seconds
FROM {views}.signals AS s
GROUP BY kind, day, sport, league
COMMENT 'One row a kind of edge signal on a day of UTC in a league, by when signals opened: how many, what became of them, how strong and how sure they were as they opened, and how long those lived that have closed. Strengths of two kinds do not compare.';

CREATE OR REPLACE VIEW {views}.webhook_deliveries
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
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
FROM {store}.webhook_deliveries AS t
COMMENT 'One row an entry of the delivery log of webhooks: an attempt and what came of it, or a delivery that ended without one (attempt 0). outcome: delivered (2xx), failed (tried again at next_attempt_at), given_up, gone (410), expired and superseded (policy live), dropped (the endpoint was deleted), overflowed. What servers answered is shown to their account by the API alone.';

CREATE OR REPLACE VIEW {views}.pick_transitions
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
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
FROM {store}.pick_transitions AS t
COMMENT 'One row a pick that was published (grade 0), and one a grading of it (1, 2, ...): a correction is another grading. settlement: won, half_won, push, half_lost, lost, void; open where a result was withdrawn, no_result where none came within 30 days. profit is per unit staked, and null while a pick is not settled. closing_line_value is null without a price in the 15 minutes before the start. on_offer_after_poll: whether the book offered the published price or a better one at the first poll after publishing, on_offer_after_minute: one to two minutes after; null where that was not observed, as of every pick of a simulated feed. A row has what was known at its time: of a pick that is graded it does not change any more.';

CREATE OR REPLACE VIEW {views}.picks
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT *
FROM {views}.pick_transitions
ORDER BY grade DESC
LIMIT 1 BY pick_id
COMMENT 'One row a pick of a bot as its last grading left it.';

CREATE OR REPLACE VIEW {views}.bot_records
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
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
FROM {views}.picks AS p
GROUP BY bot, version, feed
COMMENT 'One row a bot, a version of its rule and a feed: its record at flat stakes of one unit. mean_profit is the return per unit staked, standard_error takes bets for independent. Records of two versions or two feeds are never put together: a simulated book lags by construction. share_on_offer_after_poll and share_on_offer_after_minute: of the bets for which that was observed, the part that was still on offer; null where there is none. A return within 1.645 standard errors of 0 cannot be told from luck.';

CREATE OR REPLACE VIEW {views}.window_gradings
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
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
FROM {store}.window_gradings AS t
COMMENT 'One row a grading of an arb window (1, 2, ...): a correction is another grading. state: settled, or open where the result was withdrawn. returned is what all legs paid per unit of the total stake, had they been placed as the window opened, and profit is that minus 1; both are null unless it is settled. margin, verified, simultaneous and legs are as it opened; returned of a leg is a part of the total stake. A window for which no result came has no row.';

CREATE OR REPLACE VIEW {views}.settled_windows
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT *
FROM
(
    SELECT *
    FROM {views}.window_gradings
    ORDER BY grade DESC
    LIMIT 1 BY topic_id, window_id
)
WHERE state = 'settled'
COMMENT 'One row an arb window that is settled, by its last grading. Windows whose result is not known, or was withdrawn, have none. A recording that is played again into new topics gives its windows again, with another topic_id.';
