//! The one list of metrics: the name, role, unit and meaning of each.
//!
//! Names begin with `arb_` and end with their unit (`_seconds`, `_bytes`; counts have none), counters with `_total`. No label
//! takes a value from the input: no key, event, window, book, team or URL. Books are left out on purpose: their names come
//! from feeds, and a hostile one could send any number.
//!
//! Source: Prometheus, "Metric and label naming" and "Instrumentation".

use metrics::Unit::{Bytes, Count, Seconds};

use super::metric::Role::{Accounts, Bots, Deliver, Every, Ingest, Process, Pump, Serve, Settle, Sink};
use super::metric::{Metric, counter, gauge, histogram};

/// A commit takes 3 ms at best, and is given up after 8 s.
const COMMIT: &[f64] =
    &[0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0, 10.0];
/// From a transaction of one record to the largest.
const RECORDS: &[f64] = &[1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0, 30_000.0];
/// From an empty changelog to one that waits for an open transaction (20 s), and far longer.
const RESTORE: &[f64] = &[0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 120.0, 300.0];
/// From an insert of a few rows to one that waits for an overloaded server.
const INSERT: &[f64] = &[0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0];
/// A request is answered from memory.
const REQUEST: &[f64] =
    &[0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// From a look at one event to one at all events of a large feed.
const LOOK: &[f64] = &[0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];

macro_rules! metrics {
    ($($name:ident = $metric:expr;)*) => {
        $(#[allow(missing_docs)] // Its help text describes it.
        pub const $name: Metric = $metric;)*

        /// All of them.
        pub const ALL: &[Metric] = &[$($name),*];
    };
}

metrics! {
    // Every role.
    BUILD_INFO = gauge(Every, Count, "arb_build_info", "1; the version and the role are its labels.").by(&["version", "role"]);
    UPTIME = gauge(Every, Seconds, "arb_uptime_seconds", "Time since this process began to report.");
    CPU = counter(Every, Seconds, "arb_cpu_seconds_total", "CPU time of all threads, librdkafka's too, in whole seconds.");
    MEMORY_ALLOCATED = gauge(Every, Bytes, "arb_memory_allocated_bytes", "Bytes that the program has allocated.");
    MEMORY_RESIDENT = gauge(Every, Bytes, "arb_memory_resident_bytes", "Bytes of the machine's memory that the allocator holds.");
    OPEN_FDS = gauge(Every, Count, "arb_open_fds", "Open file descriptors: files and connections.");
    MAX_FDS = gauge(Every, Count, "arb_max_fds", "The limit of open file descriptors.");
    KAFKA_ERRORS = counter(Every, Count, "arb_kafka_errors_total",
        "Errors that Kafka's client reported beside its calls, such as a broker that cannot be reached, by librdkafka's code. Most recover without action.")
        .by(&["code"]).rare();

    DOUBLES = counter(Every, Count, "arb_doubles_total",
        "Records of the feed, or dead letters, that a reader dropped as duplicates: a broker has lost the markers of an aborted transaction. Each reader counts separately.")
        .by(&["topic"]).rare();

    STALLS = counter(Every, Count, "arb_kafka_stalls_total",
        "Partitions that a consumer stopped fetching before their end, and that were assigned again at the same position. Nothing is skipped; the records in between were late by half a minute.")
        .by(&["topic"]).rare();

    // Every role with a pump.
    TRANSACTIONS = counter(Pump, Count, "arb_pump_transactions_total",
        "Transactions by outcome. One in doubt is counted again when it is known to be committed or aborted.").by(&["role", "outcome"]);
    COMMIT_SECONDS = histogram(Pump, Seconds, "arb_pump_commit_seconds", COMMIT,
        "From the end of a transaction's last record to the broker's response to its commit.").by(&["role"]);
    TRANSACTION_RECORDS = histogram(Pump, Count, "arb_pump_transaction_records", RECORDS, "Records of one committed transaction.").by(&["role"]);
    DEAD_LETTERS = counter(Pump, Count, "arb_pump_dead_letters_total", "Records put aside in the dead-letter topic of the role.").by(&["role", "reason"]);
    TIMERS_DOUBTED = counter(Pump, Count, "arb_pump_timers_doubted_total",
        "Timer records that are not taken at their word: their own time and the broker's are more than 5 s apart, or they are a step of more than five minutes that does not count yet.").by(&["role", "reason"]);
    RESTORE_SECONDS = histogram(Pump, Seconds, "arb_pump_restore_seconds", RESTORE,
        "Restoring a partition from the changelog, including the wait for a dead owner's open transaction.").by(&["role"]);
    RESTORED_RECORDS = counter(Pump, Count, "arb_pump_restored_records_total", "Records of the changelog that partitions were restored from.").by(&["role"]);
    REPLAYED_RECORDS = counter(Pump, Count, "arb_pump_replayed_records_total",
        "Records of the input that were processed again without outputs, because they came after the state that the changelog has.").by(&["role"]);
    SUPERSEDED = counter(Pump, Count, "arb_pump_superseded_total",
        "Partitions of which all that was open was closed, because their records do not make again what was published for them: after a crash another program or table of books has taken over, or records are gone.").by(&["role"]);
    RESTORING = gauge(Pump, Count, "arb_pump_restoring_partitions", "Partitions being restored now.").by(&["role"]);
    PARTITIONS = gauge(Pump, Count, "arb_pump_partitions", "Partitions that this instance owns; a standby owns none.").by(&["role"]);
    LAG_RECORDS = gauge(Pump, Count, "arb_pump_lag_records",
        "Records of a partition of the input that are not processed yet: its end, fetched every 5 s, minus the committed offset. Transaction markers count until nothing was written for 5 s. 0 for a partition that was given back.")
        .by(&["role", "partition"]).rare();
    EVENT_TIME_LAG = gauge(Pump, Seconds, "arb_pump_event_time_lag_seconds",
        "Now minus the partition's watermark, of a role that has one: process. For a recording it is as large as the recording is old. 0 for a partition that was given back.")
        .by(&["role", "partition"]).rare();
    PUMP_AGE = gauge(Pump, Seconds, "arb_pump_age_seconds",
        "Time since the slowest pump last made progress, as the watchdog sees it; 0 before the first step of any. The watchdog ends the process at --watchdog-ms.").by(&["role"]);

    // ingest
    POLLS = counter(Ingest, Count, "arb_ingest_polls_total", "Polls published: one answer of a source each.");
    FRAMES = counter(Ingest, Count, "arb_ingest_frames_total", "Frames published: the prices of one event in one poll.");
    TICKS = counter(Ingest, Count, "arb_ingest_ticks_total", "Ticks in the frames that were published: one price each.");
    HEARTBEATS = counter(Ingest, Count, "arb_ingest_heartbeats_total", "Heartbeats published, each to every partition.");
    FAULTS = counter(Ingest, Count, "arb_ingest_faults_total",
        "Parts of a source's responses that were malformed and left out, or put right, by field and problem.").by(&["field", "problem"]).rare();
    PUBLISH_ERRORS = counter(Ingest, Count, "arb_ingest_publish_errors_total",
        "Polls and heartbeats that could not be published: Kafka did not accept them, or they fit no schema; and frames that were too long for their topic, whose events were published without ticks.").by(&["kind"]);
    POLL_AGE = gauge(Ingest, Seconds, "arb_ingest_poll_age_seconds",
        "Time since the last poll was published, or since the start before the first.");
    INGEST_LAG = gauge(Ingest, Seconds, "arb_ingest_event_time_lag_seconds",
        "Now minus the time of the newest poll. For a recording it is as large as the recording is old.").rare();
    PUBLISHED_LAG = gauge(Ingest, Seconds, "arb_ingest_published_time_lag_seconds",
        "Now minus the newest time that was published, a poll's or a heartbeat's: a processor that has read everything is at this time.").rare();
    CLOCK_BEHIND = gauge(Ingest, Seconds, "arb_ingest_clock_behind_seconds",
        "By how much the times of a source's prices are shifted back, because the clock of this machine is behind the source's; 0 when it no longer is.")
        .by(&["source"]).rare();
    CALLS = counter(Ingest, Count, "arb_ingest_calls_total",
        "Calls of a live source, by kind (sports and events are free, odds and scores are paid) and outcome.")
        .by(&["kind", "outcome"]).rare();
    CREDITS = gauge(Ingest, Count, "arb_ingest_credits_remaining",
        "Remaining credits of a live source's key, from its last response that reported them. NaN for a worker without a lease, which makes no calls.").rare();
    INGEST_SCANS = counter(Ingest, Count, "arb_ingest_scans_total",
        "Answers to scans by outcome, one for each source that a scan covers (docs/api/scan.md); scans that share a poll count one by one.")
        .by(&["outcome"]);
    SCAN_CREDITS = counter(Ingest, Count, "arb_ingest_scan_credits_total",
        "Credits that polls for scans cost at a live source, by its documentation.").rare();
    INGEST_RESULTS = counter(Ingest, Count, "arb_ingest_results_total",
        "Results of a live source that were written for the settlement machine, by status; a correction is another one.")
        .by(&["status"]).rare();
    SPORTS = gauge(Ingest, Count, "arb_ingest_sports", "Sports of a live source that this worker polls: those whose lease it holds.").rare();

    // process
    RECORDS_READ = counter(Process, Count, "arb_process_records_total",
        "Records of the tick topic in committed transactions, by kind.").by(&["kind"]);
    RECORDS_JUDGED = counter(Process, Count, "arb_process_judged_total",
        "The same records without the unreadable ones, by the engine's decision.").by(&["disposition"]);
    TICKS_READ = counter(Process, Count, "arb_process_ticks_total", "Ticks in the processed frames, without those left out as faults.");
    FAULTS_READ = counter(Process, Count, "arb_process_faults_total",
        "Ticks and fields that were left out, by field and problem, whose records are dead letters too; and frames whose sides were swapped, of which nothing is lost.")
        .by(&["field", "problem"]).rare();
    WINDOWS_OPENED = counter(Process, Count, "arb_process_windows_opened_total", "Windows opened.");
    WINDOWS_UPDATED = counter(Process, Count, "arb_process_windows_updated_total", "Transitions of open windows: legs, verification flags or the start of play.");
    WINDOWS_REFRESHED = counter(Process, Count, "arb_process_windows_refreshed_total", "Entries of which only the times changed.");
    WINDOWS_CLOSED = counter(Process, Count, "arb_process_windows_closed_total", "Windows closed.").by(&["reason"]);
    LINE_MOVEMENTS = counter(Process, Count, "arb_process_line_movements_total", "Line movements: of a price, or of a market's main line.").by(&["kind"]);
    SIGNALS = counter(Process, Count, "arb_process_signals_total",
        "Edge signals that opened, changed, were refreshed or closed.").by(&["kind", "change"]);
    STALE_ALERTS = counter(Process, Count, "arb_process_stale_alerts_total",
        "Stale alerts: a book became stale for an event, recovered or was removed; or an arb closed because of a stale leg.").by(&["state"]);
    VIOLATIONS = counter(Process, Count, "arb_process_invariant_violations_total",
        "Entries that broke an invariant of ARCHITECTURE.md. It must stay 0: the log names them.");
    HELD_BACK = gauge(Process, Seconds, "arb_process_held_back_seconds",
        "How long the last stable offset of an output partition has not moved, before the partition's end: an open transaction hides what follows. One of a processor ends within 20 s, a longer one belongs to another producer or has lost its markers. Fetched every 5 s, for all partitions.")
        .by(&["topic", "partition"]).rare();
    EVENTS = gauge(Process, Count, "arb_process_events", "Events in memory, of all partitions owned; it and the next four are measured every 5 s.");
    MARKETS = gauge(Process, Count, "arb_process_markets", "Markets in memory.");
    QUOTES = gauge(Process, Count, "arb_process_quotes", "Quotes in memory.");
    WINDOWS = gauge(Process, Count, "arb_process_windows", "Windows that are open.");
    UNKNOWN_BOOKS = gauge(Process, Count, "arb_process_unknown_books", "Books with prices that are not in the table of books: no arb with a leg at one of them is verified.");
    UNCHECKED_ROWS = gauge(Process, Count, "arb_process_unchecked_table_rows", "Rows of the table of books, fees and rules among them, that nobody had compared with their source within 90 days when the process started, or ever.");

    // accounts
    ACCOUNT_COMMANDS = counter(Accounts, Count, "arb_accounts_commands_total",
        "Commands that committed transactions took in: carried out, refused, or repeated, which have their first reply.").by(&["outcome"]);
    ACCOUNT_TIMERS = counter(Accounts, Count, "arb_accounts_timers_total",
        "Timer records taken in: one a second from each instance that owns the partition.");
    ACCOUNT_EXPIRED = counter(Accounts, Count, "arb_accounts_expired_total", "Sessions, keys and replies that were removed because their time was over.");
    ACCOUNT_LEASES = counter(Accounts, Count, "arb_accounts_leases_total",
        "Leases of quota that instances of the API asked for: granted, denied because nothing was left, or repeated.").by(&["outcome"]);
    ACCOUNT_SETTLED = counter(Accounts, Count, "arb_accounts_settled_requests_total", "Charged requests that instances of the API reported.");
    ACCOUNT_FORFEITED = counter(Accounts, Count, "arb_accounts_forfeited_requests_total",
        "Requests of leases that ended without a report, as after the kill of an instance: they count as used.");
    ACCOUNTS = gauge(Accounts, Count, "arb_accounts", "Accounts; it and the next three are looked at every 5 s, and 0 for a standby.");
    ACCOUNT_SESSIONS = gauge(Accounts, Count, "arb_accounts_sessions", "Sessions that have not ended.");
    ACCOUNT_KEYS = gauge(Accounts, Count, "arb_accounts_keys", "API keys, those that expired in the last 30 days included.");
    ACCOUNT_REPLIES = gauge(Accounts, Count, "arb_accounts_replies", "Replies that are remembered, of the last day.");

    // deliver
    DELIVER_EVENTS = counter(Deliver, Count, "arb_deliver_events_total", "Events that became due at endpoints, or ended pending deliveries of their window.");
    DELIVER_DELIVERIES = counter(Deliver, Count, "arb_deliver_deliveries_total", "Deliveries that became pending: an event for one endpoint each.");
    DELIVER_DOUBLES = counter(Deliver, Count, "arb_deliver_doubles_total",
        "Events and attempts that were dropped because they were taken in before, as after the kill of a deliverer.");
    DELIVER_ATTEMPTS = counter(Deliver, Count, "arb_deliver_attempts_total",
        "Attempts by outcome: delivered (2xx), failed, gone (410), dropped (the endpoint was deleted).").by(&["outcome"]);
    DELIVER_ENDED = counter(Deliver, Count, "arb_deliver_ended_total",
        "Deliveries that ended without success: given up, expired, superseded, overflowed or gone.");
    DELIVER_REDELIVERED = counter(Deliver, Count, "arb_deliver_redelivered_total", "Failed deliveries that began again on request.");
    DELIVER_FIRST_ATTEMPT = histogram(Deliver, Seconds, "arb_deliver_first_attempt_seconds", INSERT,
        "From reading an event from the feed to its first attempt at an endpoint.");
    DELIVER_PENDING = gauge(Deliver, Count, "arb_deliver_pending", "Deliveries that are pending; it and the next two are measured every 5 s.");
    DELIVER_FAILED = gauge(Deliver, Count, "arb_deliver_failed", "Deliveries that failed and can be delivered again, for three days.");
    DELIVER_OLDEST = gauge(Deliver, Seconds, "arb_deliver_oldest_pending_seconds", "For how long the oldest delivery has been pending; one that is tried again for hours counts too.");
    DELIVER_CIRCUITS = gauge(Deliver, Count, "arb_deliver_open_circuits", "Endpoints that are left alone because their last attempts failed.");

    // settle
    SETTLE_PICKS = counter(Settle, Count, "arb_settle_picks_total", "Picks that were published: one of a bot, a version, a feed, an event and a market.");
    SETTLE_REPEATED = counter(Settle, Count, "arb_settle_repeated_total", "Candidates, windows, results, closing prices and later offers that say nothing new, or are older than what is known.");
    SETTLE_RESULTS = counter(Settle, Count, "arb_settle_results_total", "Reports on events that say something new.");
    SETTLE_GRADINGS = counter(Settle, Count, "arb_settle_gradings_total", "Gradings that were added to picks.");
    SETTLE_CORRECTIONS = counter(Settle, Count, "arb_settle_corrections_total", "Gradings of picks that had been graded before.");
    SETTLE_WINDOWS = counter(Settle, Count, "arb_settle_windows_total", "Arb windows that were taken in to be graded.");
    SETTLE_WINDOW_GRADINGS = counter(Settle, Count, "arb_settle_window_gradings_total", "Gradings of arb windows that were published.");
    SETTLE_WINDOW_CORRECTIONS = counter(Settle, Count, "arb_settle_window_corrections_total", "Gradings of arb windows that had been graded before.");
    SETTLE_CLOSINGS = counter(Settle, Count, "arb_settle_closings_total", "Closing prices that were added to picks.");
    SETTLE_OFFERS = counter(Settle, Count, "arb_settle_offers_total", "Observations of whether a pick is still on offer that were added to picks.");
    SETTLE_OPEN = gauge(Settle, Count, "arb_settle_open_picks", "Picks that wait for a result; it and the next two are measured every 5 s.");
    SETTLE_GRADED = gauge(Settle, Count, "arb_settle_graded_picks", "Picks that were graded and can be graded again, for 30 days after the start of their event.");
    SETTLE_HELD_WINDOWS = gauge(Settle, Count, "arb_settle_held_windows", "Arb windows that can be graded, for 14 days after the start of their event.");

    // bots
    BOTS_CANDIDATES = counter(Bots, Count, "arb_bots_candidates_total", "Bets that bots asked to publish.").by(&["bot"]);
    BOTS_CLOSINGS = counter(Bots, Count, "arb_bots_closings_total", "Prices before the start of an event that were written for picks.");
    BOTS_OFFERS = counter(Bots, Count, "arb_bots_offers_total", "Observations of whether a pick is still on offer that were written.");
    BOTS_EVENTS = counter(Bots, Count, "arb_bots_events_total", "Events that the bots looked at, because something of them had changed.");
    BOTS_LOOK_SECONDS = histogram(Bots, Seconds, "arb_bots_look_seconds", LOOK, "One look at all events that have changed, about once a second.");
    BOTS_OPEN = gauge(Bots, Count, "arb_bots_open_picks", "Picks of this feed that wait for a result.");
    BOTS_SIGNALS = gauge(Bots, Count, "arb_bots_signals", "Open signals that bots follow.");

    // serve
    REQUESTS = counter(Serve, Count, "arb_serve_requests_total", "Requests answered, by the pattern of the route and the class of the status.")
        .by(&["route", "status"]);
    REQUEST_SECONDS = histogram(Serve, Seconds, "arb_serve_request_seconds", REQUEST,
        "From a request's header to its response, without sending it; of a stream only the opening.").by(&["route"]);
    QUOTA_REFUSALS = counter(Serve, Count, "arb_serve_quota_refusals_total", "Requests refused because the key's quota is spent.");
    SCANS = counter(Serve, Count, "arb_serve_scans_total",
        "Scans that were answered, by how far they were then: complete, partial after 30 s, or pending (202).").by(&["status"]);
    CONNECTIONS = gauge(Serve, Count, "arb_serve_connections", "Connections that are open.");
    EVICTED_CONNECTIONS = counter(Serve, Count, "arb_serve_evicted_connections_total",
        "Connections without a key that were closed for others: their address had too many (address), too many were without a key (keyless), or the limit of all connections was reached (full).")
        .by(&["reason"]);
    FAILED_HANDSHAKES = counter(Serve, Count, "arb_serve_failed_tls_handshakes_total",
        "Connections that never became TLS: the client and the server did not agree, or the client went (failed), it was not complete in time (late), or the client sent HTTP without TLS (plain).")
        .by(&["reason"]);
    BOARD_ENTRIES = gauge(Serve, Count, "arb_serve_board_entries", "Entries of the board.");
    VERIFIED_ENTRIES = gauge(Serve, Count, "arb_serve_verified_entries", "Entries of the board that are verified: every flag holds.");
    SERVED_SIGNALS = gauge(Serve, Count, "arb_serve_signals", "Edge signals that are open.");
    BOARD_AGE = gauge(Serve, Seconds, "arb_serve_board_age_seconds",
        "Now minus the time of the newest poll that the board wholly contains. For a recording it is as large as the recording is old.").rare();
    FEED_EVENTS = counter(Serve, Count, "arb_serve_feed_events_total", "Events of the feed that this instance has read.");
    FEED_LAG = gauge(Serve, Count, "arb_serve_feed_lag_records",
        "Records of the feed's partition that are not read yet, measured every 5 s. Transaction markers count until nothing was written for 5 s: a value of 1 means no lag.")
        .by(&["partition"]);
    STREAMS = gauge(Serve, Count, "arb_serve_streams", "Streams that are open.");
    STREAM_EVENTS = counter(Serve, Count, "arb_serve_stream_events_total", "Server-Sent Events handed to connections: those of the feed, snapshots, and notices such as heartbeats.");
    STREAM_BYTES = counter(Serve, Bytes, "arb_serve_stream_bytes_total", "Their bytes.");
    STREAM_CONFLATED = counter(Serve, Count, "arb_serve_stream_conflated_total", "Events that were replaced by a later one of the same window or signal before they were sent, to clients that ask for conflate_ms.");
    STREAM_ENDS = counter(Serve, Count, "arb_serve_stream_ends_total",
        "Streams that ended: the client disconnected or did not read (gone), was disconnected (too_slow, catching_up, unavailable, source_changed), its key is no longer valid (key_revoked), or the server shuts down (closing).")
        .by(&["reason"]);
    WATCHED_BOARDS = gauge(Serve, Count, "arb_serve_watched_boards", "Sets of own books, commissions and total that streams watch, at most 64.");
    WATCHED_LINES = counter(Serve, Count, "arb_serve_watched_lines_total", "Lines that were searched for those who watch: the ones that had changed, and each open arb.");
    WATCHED_SECONDS = histogram(Serve, Seconds, "arb_serve_watched_seconds", LOOK, "Computing one watched set again, at most once a second each.");
    RING_EVENTS = gauge(Serve, Count, "arb_serve_ring_events", "Events of the feed in memory.");
    RING_BYTES = gauge(Serve, Bytes, "arb_serve_ring_bytes", "Their bytes.");
    ACCOUNTS_CURRENT = gauge(Serve, Count, "arb_serve_accounts_current",
        "1 while this instance knows that it has read all of the accounts topic; at 0 requests with a key wait, and are answered 503 after 3 s.");

    // sink
    SINK_RECORDS = counter(Sink, Count, "arb_sink_records_total", "Records read.");
    SINK_ROWS = counter(Sink, Count, "arb_sink_rows_total",
        "Rows in ClickHouse, by table, counted when the offset behind them is committed; rows of the table rejected are records that could not be read.").by(&["table"]);
    SINK_BATCHES = counter(Sink, Count, "arb_sink_batches_total", "Batches of which all rows are in ClickHouse.");
    SINK_RETRIES = counter(Sink, Count, "arb_sink_retries_total",
        "Attempts to insert that failed and are repeated; also queries at the start, before anything can be inserted.");
    SINK_EXPIRED = counter(Sink, Count, "arb_sink_expired_permits_total",
        "Attempts that stopped because the group's confirmation was too old to begin an insert, and continued with a new one.");
    SINK_IN_DOUBT = counter(Sink, Count, "arb_sink_in_doubt_total",
        "Batches whose rows could exist before they were sent, left by an earlier sink, so that the tables were queried first.");
    SINK_REFUSED = counter(Sink, Count, "arb_sink_refused_commits_total", "Commits that the group did not accept at once; each is retried.");
    SINK_LOST = counter(Sink, Count, "arb_sink_lost_records_total",
        "Records, at most, that Kafka had deleted before they were inserted. It must stay 0: the log names the offsets.");
    SINK_INSERT_SECONDS = histogram(Sink, Seconds, "arb_sink_insert_seconds", INSERT,
        "Inserting a batch's rows into all their tables, from the first byte to the last acknowledgement, including failed attempts.");
    SINK_PARTITIONS = gauge(Sink, Count, "arb_sink_partitions", "Partitions that this instance owns.");
    SINK_PAUSED = gauge(Sink, Count, "arb_sink_paused_partitions", "Partitions that are not read for now, because their batches wait for ClickHouse.");
    SINK_HELD = gauge(Sink, Bytes, "arb_sink_held_bytes", "Encoded records in memory.");
    SINK_LAG_RECORDS = gauge(Sink, Count, "arb_sink_lag_records",
        "Records of a partition that are not in ClickHouse: its end, fetched every 5 s, minus the offset whose rows are confirmed. 0 for a partition that was given back.")
        .by(&["topic", "partition"]).rare();
    SINK_EVENT_TIME_LAG = gauge(Sink, Seconds, "arb_sink_event_time_lag_seconds",
        "Now minus the time of the latest row of a partition. For a recording it is as large as the recording is old, and it grows while nothing happens.")
        .by(&["topic", "partition"]).rare();
    SINK_AGE = gauge(Sink, Seconds, "arb_sink_loop_age_seconds",
        "Time since the sink last made progress, as the watchdog sees it; 0 before its first step. The watchdog ends the process at --watchdog-ms.");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::metric::Kind;
    use super::*;

    /// Labels whose values are words of the program, or numbers of partitions.
    const LABELS: [&str; 18] = [
        "source",
        "bot",
        "change",
        "table",
        "topic",
        "version",
        "role",
        "code",
        "field",
        "problem",
        "kind",
        "disposition",
        "reason",
        "state",
        "outcome",
        "partition",
        "route",
        "status",
    ];

    #[test]
    fn every_metric_has_a_help_text() {
        let mut names = BTreeSet::new();
        for Metric { name, unit, labels, help, kind, .. } in ALL {
            assert!(names.insert(name), "{name} is there twice");
            let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(name.starts_with("arb_") && name.chars().all(legal), "{name}");
            let rest = name.strip_suffix("_total");
            assert_eq!(rest.is_some(), *kind == Kind::Counter, "{name}");
            let rest = rest.unwrap_or(name);
            for (ending, of) in [("_seconds", Seconds), ("_bytes", Bytes)] {
                assert_eq!(rest.ends_with(ending), *unit == of, "{name}");
            }
            assert!(help.ends_with('.') && help.len() > 10, "{name}: {help}");
            assert!(!["_sum", "_count", "_bucket"].iter().any(|end| rest.ends_with(end)), "{name}");
            assert!(labels.iter().all(|label| LABELS.contains(label)), "{name} {labels:?}");
        }
    }

    #[test]
    fn buckets_grow() {
        for Metric { name, kind, .. } in ALL {
            if let Kind::Histogram(bounds) = kind {
                assert!(bounds.len() > 5 && bounds.is_sorted_by(|a, b| a < b) && bounds[0] > 0.0, "{name}");
            }
        }
    }
}
