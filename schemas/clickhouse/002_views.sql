-- What analysts read: views over the tables of `arb_store`, with the rights of the role that makes them.
--
-- Prices are decimal odds, lines are in points or goals, margins and probabilities are fractions, times are UTC. An empty or
-- unknown value is null. Each view's comment says what a row is; deploy/docs/analysts.md says which filters make it quick.
-- No view is materialised: a kill between a table and what is made of it would leave a wrong one, and wrong it would stay.
--
-- Columns of tables are named with their table (t.price), because ClickHouse takes a bare name for the alias of the column
-- that is made of it.

CREATE DATABASE IF NOT EXISTS arb;

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
    t.last_seen_at AS last_seen_at,
    dateDiff('microsecond', t.last_seen_at, t.received_at) / 1e6 AS age_seconds,
    t.price_moved_at AS price_moved_at
FROM arb_store.ticks AS t
COMMENT 'One row a tick: what a source said of one price of one book when it was asked, or when it told. age_seconds is how long before that the source had confirmed it.';

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
    t.simultaneous AS simultaneous,
    t.score AS score,
    t.warnings AS warnings,
    arrayMap(
        (outcome, side, book, price, share, moved, seen) -> CAST(
            (outcome, side, book, price / 1e6, share, moved, seen),
            'Tuple(outcome String, side String, book String, price Float64, stake_share Float64, price_moved_at DateTime64(6, \'UTC\'), last_seen_at DateTime64(6, \'UTC\'))'),
        t.legs.outcome, t.legs.side, t.legs.book, t.legs.price, t.legs.stake_share, t.legs.price_moved_at, t.legs.last_seen_at
    ) AS legs,
    t.opened_at AS opened_at,
    nullIf(t.reason, '') AS reason,
    t.margin_open AS margin_open,
    t.margin_peak AS margin_peak,
    t.inserted_at AS arrived_at
FROM arb_store.window_transitions AS t
COMMENT 'One row a transition of an arb window: opened, updated (a leg, its price, or the proof of simultaneity changed) or closed. A close does not repeat the legs, and its margin is the last one while open. Sequences number the events of one partition of the feed, as long as the topic lives (topic_id); arrived_at is when the row was written here.';

CREATE OR REPLACE VIEW arb.line_movements
DEFINER = migrator SQL SECURITY DEFINER AS
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
FROM arb_store.line_movements AS t
COMMENT 'One row a movement that the feed reported: of a price (kind price: implied probability moved by 0.02 or more within 60 s) or of a main line (kind main_line: from line_from to line). A recording that is played again into new topics gives its rows again, with another topic_id.';

CREATE OR REPLACE VIEW arb.stale_alerts
DEFINER = migrator SQL SECURITY DEFINER AS
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
FROM arb_store.stale_alerts AS t
COMMENT 'One row an alert: a book became stale for an event, recovered or is gone (scope book), or a window was closed because the book of a leg was stale (scope arb). expected_interval_seconds is within which the book confirms 95 of 100 prices. A recording that is played again into new topics gives its rows again, with another topic_id.';

CREATE OR REPLACE VIEW arb.current_board
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    row_number() OVER (ORDER BY w.simultaneous DESC, w.score DESC, w.margin DESC, w.window_id) AS rank,
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
    w.simultaneous AS simultaneous,
    w.score AS score,
    w.warnings AS warnings,
    w.legs AS legs,
    w.opened_at AS opened_at,
    w.at AS updated_at
FROM
(
    SELECT *
    FROM arb.window_transitions
    WHERE transition != 'closed'
        AND topic_id = (SELECT argMax(topic_id, (inserted_at, at)) FROM arb_store.window_transitions)
        AND (topic_id, window_id) NOT IN (SELECT topic_id, window_id FROM arb_store.window_transitions WHERE transition = 'closed')
    ORDER BY sequence DESC
    LIMIT 1 BY window_id
) AS w
COMMENT 'One row an open window as its last transition left it, ranked over the whole board as the API does: simultaneous first, then the larger score, the larger margin, the id. Only of the newest feed: windows that were open when its topic was made anew are gone. Times of legs are those of that transition: that a price was only confirmed since is on the board of the API, not here.';

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
    countIf(t.transition = 'updated') AS updates,
    argMinIf(t.legs, t.sequence, t.transition != 'closed') AS legs,
    arraySort(arrayDistinct(legs.book)) AS books
FROM arb.window_transitions AS t
GROUP BY t.sport, t.league, t.event_id, t.market, t.period, t.line, t.opened_at, t.window_id, t.topic_id
COMMENT 'One row an arb window, from opening to close. While it is open closed_at, lifetime_seconds, reason and margin_close are null. in_play, phase, margin_worst_open, legs and books are as it opened; simultaneous_ever says whether its legs were proven at any time to be on offer at one moment, and a window that never was is a phantom. Of a polled source opening and close are those polls that showed them, so a lifetime is known to within one interval on either side. A recording that is played again into new topics gives its windows again, with another topic_id.';

CREATE OR REPLACE VIEW arb.polls
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT
    source,
    received_at,
    dateDiff('microsecond', lagInFrame(toNullable(received_at)) OVER (PARTITION BY source ORDER BY received_at), received_at) / 1e6 AS interval_seconds,
    events,
    ticks
FROM
(
    SELECT source, received_at, uniqExact(event_id) AS events, count() AS ticks
    FROM arb_store.ticks
    WHERE polled
    GROUP BY source, received_at
)
COMMENT 'One row a poll of a source that was told at least one price. interval_seconds is since the poll before; null for the first.';

CREATE OR REPLACE VIEW arb.best_price_history
DEFINER = migrator SQL SECURITY DEFINER AS
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
        FROM arb_store.ticks AS t
        WHERE t.polled AND t.side = 'back' AND t.status = 'active'
        GROUP BY source, received_at, sport, league, event_id, market, period, line, outcome
    )
    GROUP BY source, received_at, sport, league, event_id, market, period, line
)
ARRAY JOIN bests AS best
COMMENT 'One row an outcome of a line in one poll of an event: its best back price, the book that offers it (ties: the smaller name), how many books quote it, and the sum of 1/best price over the outcomes that the line had in that poll. Only sources that are polled, because only their frames name all that is on offer; each source by itself. Of sources that push see ticks.';

-- A place orders ticks by time and, within a microsecond, by record. It is a number because argMin is quick with numbers.
CREATE OR REPLACE VIEW arb.minute_bars
DEFINER = migrator SQL SECURITY DEFINER AS
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
FROM (SELECT *, bitShiftLeft(toUInt128(toUnixTimestamp64Micro(received_at)), 64) + kafka_offset AS place FROM arb_store.ticks) AS t
WHERE t.status = 'active'
GROUP BY sport, league, event_id, market, period, line, outcome, side, book, minute
COMMENT 'One row a minute in which a book named an active price of an outcome: the first, highest, lowest and last price, and how many ticks said so. A minute without a tick has no row.';

-- Ticks are put into an array for each quote, and only moves, which are few, are sorted and compared. What others did is what all
-- did less what the book itself did. 30 minutes are 1,800,000,000 microseconds.
CREATE OR REPLACE VIEW arb.price_moves_between
DEFINER = migrator SQL SECURITY DEFINER AS
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
            FROM arb_store.ticks AS t
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
COMMENT 'price_moves, computed from the ticks received from since (inclusive) until (exclusive) only: arb.price_moves_between(since = \'2026-06-01\', until = \'2026-07-01\'). The first tick of a price within that time moves nothing.';

CREATE OR REPLACE VIEW arb.price_moves
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT * FROM arb.price_moves_between(since = '1970-01-01', until = '2200-01-01')
COMMENT 'One row a move: the implied probability of a back price of one book changed by 0.01 or more from one tick of a source to the next. Role compares it with moves of the same outcome in the same direction by other books within 30 minutes, by when they were received: leads (others only later), lags (others only before), follows (both), together (others only in the same poll), alone. Several that are first in one poll all lead.';

-- Polls of an event are numbered, so that a quote which was not withdrawn has a number and the next one.
CREATE OR REPLACE VIEW arb.book_quality_between
DEFINER = migrator SQL SECURITY DEFINER AS
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
    FROM arb_store.ticks AS t
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
        FROM arb_store.ticks AS t
        JOIN
        (
            SELECT
                source, event_id, received_at,
                toUInt32(row_number() OVER (PARTITION BY source, event_id ORDER BY received_at)) AS poll,
                toUInt32(count() OVER (PARTITION BY source, event_id)) AS last_poll
            FROM
            (
                SELECT DISTINCT source, event_id, received_at
                FROM arb_store.ticks
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
    FROM arb.price_moves_between(since = {since:DateTime64(6, 'UTC')}, until = {until:DateTime64(6, 'UTC')})
    GROUP BY sport, league, book
) AS m USING (sport, league, book)
LEFT JOIN
(
    SELECT t.sport AS sport, t.league AS league, t.book AS book, countIf(t.state = 'stale') AS alerts
    FROM arb_store.stale_alerts AS t
    WHERE t.at >= {since:DateTime64(6, 'UTC')} AND t.at < {until:DateTime64(6, 'UTC')}
        AND t.topic_id = (SELECT argMax(topic_id, (inserted_at, at)) FROM arb_store.window_transitions)
    GROUP BY sport, league, book
) AS a USING (sport, league, book)
COMMENT 'book_quality, computed from what was received from since (inclusive) until (exclusive) only: arb.book_quality_between(since = \'2026-06-01\', until = \'2026-07-01\').';

CREATE OR REPLACE VIEW arb.book_quality
DEFINER = migrator SQL SECURITY DEFINER AS
SELECT * FROM arb.book_quality_between(since = '1970-01-01', until = '2200-01-01')
COMMENT 'One row a book in a league. Ages: received_at less last_seen_at, over ticks. A quote is offered when a poll names it and a later one names any price of its event, and withdrawn when the next such poll does not name it. Moves, leads and lags: see price_moves; lead_share is leads of leads and lags. stale_alerts: how often the book, or a leg of it, became stale, by the newest feed.';
