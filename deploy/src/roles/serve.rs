//! `arb serve`: the board, the signals and the feed over HTTP, each fed by a thread that reads its topic.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use arb_api::access::authority::Authority;
use arb_api::access::plan::Plans;
use arb_api::access::replica::Replica;
use arb_api::access::sign_up::SignUp;
use arb_api::access::usage::{self, Usage};
use arb_api::files::reload::Reloaded;
use arb_api::http::cors::Cors;
use arb_api::http::server::{self, Caps, Limits, Proxies, Tls};
use arb_api::http::site::{Site, UrlScheme};
use arb_api::pushes::LETTERS_SHOWN;
use arb_api::stream::Streams;
use arb_api::stream::source::Source;
use arb_api::tasks::{QueuedTask, TaskQueue, write_all};
use arb_api::webhooks::Webhooks;
use arb_api::webhooks::log::DeliveryLog;
use arb_api::{App, Sessions, SharedApp};
use arb_feed::webhook::address::Rules;
use arb_kafka::{
    self as kafka, Cluster, CommandProducer, EndProbe, Ends, Feed, GroupLags, NewLetters, PushProducer,
    Table, TaskProducer,
};
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_schemas::topics::{
    ACCOUNT_COMMANDS, ACCOUNTS, ARBS_BOARD, FEED_EVENTS, LIVE_SCORES, PICK_TASKS, PICKS, PROCESS_STATE,
    SCAN_REQUESTS, SCAN_RESULTS, SIGNALS, WEBHOOK_DELIVERIES, WEBHOOK_TASKS,
};
use arb_store::history::History;
use tokio::net::TcpSocket;

use crate::cli::{Serve, SignUpMode};
use crate::roles::account::client::AccountsClient;
use crate::roles::admin::{Admin, Vitals};
use crate::roles::{books, clickhouse, cluster};
use crate::system::{clock, limits, pepper, signals, webhook_key};

/// How often it is asked whether all has been read.
const POLL: Duration = Duration::from_millis(10);
/// How often it is logged that it has not.
const LOG_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn run(config: &Serve) -> anyhow::Result<()> {
    // The signal begins the end of listening; the threads go on until the last request is answered.
    let (signal, stop) = (signals::stop(config.child)?, Stop::default());
    let tls = security(config)?;
    let admin = Admin::start((config.admin, config.child), Role::Serve)?;
    let cluster = &cluster::open(&config.brokers)?;
    // The first instance creates it; on other machines the operator copies it there.
    let are_accounts = || Ok(AccountsClient::open(&config.brokers)?.directory().accounts().len() > 0);
    let pepper = pepper::read_or_create(&config.pepper.pepper, are_accounts)?;
    let replica = Arc::new(Replica::default());
    let (usage, sessions) = (usage(config, &replica)?, sessions(config)?);
    let partitions = kafka::partitions(cluster)?;
    let authority = Authority::new(replica, pepper, clock::now);
    // The feed's end is read before the board and the signals: `api/src/stream/hub.rs` explains why.
    let group = group(config);
    let source = Source::find(cluster, partitions, config.stream_events)?.in_group(group.clone());
    let read = |topic| {
        kafka::settle(cluster, topic, partitions, &signal)?;
        Table::open(cluster, topic, partitions)
    };
    let (board, signals, changelog) = (read(&ARBS_BOARD)?, read(&SIGNALS)?, read(&PROCESS_STATE)?);
    let books = books::read(config.books_file.as_deref())?;
    let streams = Streams::new(source, config.stream_events, config.heartbeat);
    let (webhooks, queued) = webhooks(config, partitions)?;
    let app = App::new(partitions, authority, usage, streams, sessions);
    let history = clickhouse::reader(&config.history)?.map(History::new).transpose()?;
    let app = app.with_webhooks(webhooks).with_books(partitions, &books).with_history(history);
    let (results, reported) = TaskQueue::new(partitions);
    let app = Arc::new(app.with_results(results).with_lags(lags(config, cluster, partitions, &stop)?));
    let accounts = start_accounts(cluster, &app, &stop)?;
    let quotas = Arc::new(CommandProducer::new(cluster, &ACCOUNT_COMMANDS)?);
    let settled = Arc::clone(&quotas);
    let usage = thread("usage", &app, &stop, move |app, stop| Ok(app.settle_usage(&settled, stop)?))?;
    let scans = start_scans(cluster, partitions, &app, &stop)?;
    admin.show(ServeVitals {
        app: Arc::clone(&app),
        ends: Ends::watch_committed(cluster, &FEED_EVENTS, partitions, &stop)?,
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let socket = server::bind(config.listen);
    let socket = socket.with_context(|| format!("{} cannot be listened on", config.listen))?;
    let lists = start_lists([board, signals, changelog], &app, &stop)?;
    let feed = thread("feed", &app, &stop, |app, stop| Ok(app.follow_feed(stop)?))?;
    let periodic = thread("periodic", &app, &stop, |app, stop| {
        app.run_periodic_task(stop);
        Ok(())
    })?;
    let webhooks = start_webhooks(cluster, partitions, (&app, &stop), queued)?;
    let picks = start_picks(cluster, partitions, (&app, &stop), reported)?;
    let pushes = start_pushes(cluster, &app, &stop)?;
    let scores = start_scores(cluster, &app, &stop)?;
    let certificate = tls.clone().map(|tls| follow_certificate(tls, (&app, &stop))).transpose()?;
    let listener = (socket, Arc::clone(&app), Limits { tls, ..connection_limits(config) });
    let served = runtime.block_on(serve(listener, (&signal, config.drain), &stop));
    stop.stop();
    let threads = [("feed", feed), ("periodic", periodic), ("usage", usage)].into_iter().chain(lists);
    let threads =
        threads.chain(accounts).chain(scans).chain(webhooks).chain(picks).chain(pushes).chain(scores);
    let ended = join(threads.chain(certificate));
    // What it shows is of a reader that is no more. Of an instance that was killed it stays until Kafka forgets it.
    if let Err(error) = runtime.block_on(kafka::remove_group(cluster, &group)) {
        tracing::warn!(%error, group, "the consumer group of this instance was not removed");
    }
    // After the last request that was still answered, and however the threads have ended.
    let returned = app.return_leases(&quotas);
    ended?;
    served?;
    Ok(returned?)
}

/// Listens once all has been read, and serves. Until then a connection is refused: a client of Server-Sent Events tries that
/// again, but after any answer other than 200 it never comes back (docs/adr/002-restart-of-serve.md).
async fn serve(
    (socket, app, limits): (TcpSocket, SharedApp, Limits),
    (signal, drain): (&Stop, Duration),
    stop: &Stop,
) -> std::io::Result<()> {
    let begun = Instant::now();
    let mut last_log = begun;
    while !app.is_ready() {
        tokio::select! {
            () = signal.stopped() => return Ok(()),
            () = stop.stopped() => return Ok(()),
            () = tokio::time::sleep(POLL) => {}
        }
        if last_log.elapsed() >= LOG_EVERY {
            last_log = Instant::now();
            let seconds = begun.elapsed().as_secs();
            tracing::info!(seconds, unread = app.unread(), "not listening yet");
        }
    }
    let listener = server::listen_on(socket)?;
    tracing::info!(listen = %listener.local_addr()?, is_tls = limits.tls.is_some(), "serving");
    let closing = Stop::default();
    let end = async {
        tokio::select! {
            () = drain_after(signal, &app, drain) => {}
            // A thread has ended: what it kept moving is not served any longer.
            () = stop.stopped() => {}
        }
        closing.stop();
    };
    tokio::join!(app.serve(listener, limits, &closing), end);
    Ok(())
}

/// After the signal, lets clients leave for so long.
async fn drain_after(signal: &Stop, app: &App, time: Duration) {
    signal.stopped().await;
    app.begin_drain();
    let milliseconds = time.as_millis();
    tracing::info!(milliseconds, "not ready any more; requests are answered until the end of this time");
    tokio::time::sleep(time).await;
}

/// Refuses what is for development where others reach the API; else the certificate, where it listens by TLS.
fn security(config: &Serve) -> anyhow::Result<Option<Tls>> {
    if config.webhooks.webhook_development && !config.listen.ip().to_canonical().is_loopback() {
        bail!(
            "--webhook-development needs a --listen on loopback: others could have requests sent to this machine"
        );
    }
    tls(config)
}

/// The certificate of the API, where it listens by TLS.
fn tls(config: &Serve) -> anyhow::Result<Option<Tls>> {
    let files = config.tls_certificate.clone().zip(config.tls_key.clone());
    let open = |(certificate, key)| Tls::open(certificate, key);
    files.map(open).transpose().map_err(|error| anyhow!(error))
}

/// Starts what reads the certificate again when it changes.
fn follow_certificate(tls: Tls, (app, stop): (&SharedApp, &Stop)) -> std::io::Result<Named> {
    let follow = thread("certificate", app, stop, move |_, stop| {
        tls.follow(stop);
        Ok(())
    })?;
    Ok(("certificate", follow))
}

/// The consumer group that shows how far this instance has read the feed: named after the machine and the port.
fn group(config: &Serve) -> String {
    let host = || std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let named = || format!("arb-serve-{}-{}", host().trim(), config.listen.port());
    config.feed_group.clone().unwrap_or_else(named)
}

fn connection_limits(config: &Serve) -> Limits {
    limits::allow_connections();
    let usual = Caps::of(limits::connections(config.connections));
    let caps = Caps {
        per_address: config.connections_per_address.unwrap_or(usual.per_address).max(1),
        per_key: config.connections_per_key.unwrap_or(usual.per_key).max(1),
        ..usual
    };
    Limits { proxies: Proxies(config.trusted_proxies.clone()), ..Limits::new(caps, config.stall) }
}

/// The board and the feed, seen from outside.
struct ServeVitals {
    app: SharedApp,
    ends: Ends,
}

impl Vitals for ServeVitals {
    fn problem(&self) -> Option<String> {
        self.app.problem()
    }

    fn inspect(&self) {
        self.app.report_memory(&self.ends.get(), clock::now());
    }
}

/// Starts what looks up how far other roles are behind.
fn lags(config: &Serve, cluster: &Cluster, partitions: i32, stop: &Stop) -> Result<GroupLags, kafka::Error> {
    let groups = config.watched_groups.iter().flat_map(|group| group.watched(partitions)).collect();
    GroupLags::watch(cluster, groups, stop)
}

fn usage(config: &Serve, replica: &Arc<Replica>) -> anyhow::Result<Usage> {
    let beside = || config.pepper.pepper.with_file_name("plans.json");
    let plans = Reloaded::<Plans>::open(config.plans.clone().unwrap_or_else(beside))?;
    let name = usage::instance_name().map_err(|error| anyhow!("no random numbers: {error}"))?;
    Ok(Usage::new(name, Arc::clone(replica), plans, clock::now))
}

fn sessions(config: &Serve) -> anyhow::Result<Sessions> {
    let scheme = if config.tls_certificate.is_some() { UrlScheme::Https } else { UrlScheme::Http };
    let site = Site::new(config.listen, scheme, &config.public_urls).map_err(|error| anyhow!(error))?;
    let sign_up = match (config.sign_up, &config.invitations) {
        (SignUpMode::Open, _) => SignUp::Open,
        (SignUpMode::Closed, _) => SignUp::Closed,
        (SignUpMode::Invite, Some(file)) => SignUp::Invite(Reloaded::open(file.clone())?),
        (SignUpMode::Invite, None) => bail!("--sign-up invite needs --invitations"),
    };
    let cors = Cors::new(&config.cors_origins).map_err(|error| anyhow!(error))?;
    Ok(Sessions::start(site, sign_up)?.allowing(cors))
}

/// A thread and its name.
type Named = (&'static str, JoinHandle<anyhow::Result<()>>);

/// Waits for all of them to end; the first error.
fn join(threads: impl Iterator<Item = Named>) -> anyhow::Result<()> {
    let ended: Vec<_> = threads
        .map(|(name, thread)| thread.join().map_err(|_| anyhow!("the thread {name} panicked")).flatten())
        .collect();
    ended.into_iter().collect()
}

/// Starts what reads the board, the signals and the processor's changelog.
fn start_lists(
    [board, signals, changelog]: [Table; 3],
    app: &SharedApp,
    stop: &Stop,
) -> anyhow::Result<[Named; 3]> {
    let board = thread("board", app, stop, move |app, stop| Ok(app.follow_board(board, stop)?))?;
    let signals = thread("signals", app, stop, move |app, stop| Ok(app.follow_signals(signals, stop)?))?;
    let quotes = thread("quotes", app, stop, move |app, stop| Ok(app.follow_quotes(changelog, stop)?))?;
    Ok([("board", board), ("signals", signals), ("quotes", quotes)])
}

/// Starts what reads the accounts, asks whether that is all of them, and sends commands.
fn start_accounts(cluster: &Cluster, app: &SharedApp, stop: &Stop) -> anyhow::Result<[Named; 3]> {
    let (table, probe) = (Table::open(cluster, &ACCOUNTS, 1)?, EndProbe::open(cluster, &ACCOUNTS)?);
    let producer = CommandProducer::new(cluster, &ACCOUNT_COMMANDS)?;
    let read = thread("accounts", app, stop, move |app, stop| Ok(app.follow_accounts(table, stop)?))?;
    let watch = thread("accounts-end", app, stop, move |app, stop| Ok(app.watch_accounts(probe, stop)?))?;
    let send = thread("commands", app, stop, move |app, stop| Ok(app.send_commands(&producer, stop)?))?;
    Ok([("accounts", read), ("accounts-end", watch), ("commands", send)])
}

/// The tasks that requests queue, and the log that they read.
type WebhookQueue = (Receiver<QueuedTask>, Arc<DeliveryLog>);

/// What requests need of webhooks, and what two threads keep moving.
fn webhooks(config: &Serve, partitions: i32) -> anyhow::Result<(Webhooks, WebhookQueue)> {
    let (tasks, queued) = TaskQueue::new(partitions);
    let key = webhook_key::read_or_create(&config.webhooks.webhook_key)?;
    let rules = Rules { is_development: config.webhooks.webhook_development };
    let log = Arc::default();
    Ok((Webhooks { tasks, log: Arc::clone(&log), key, rules }, (queued, log)))
}

/// Starts what writes tasks for the deliverers, and what reads their log.
fn start_webhooks(
    cluster: &Cluster,
    partitions: i32,
    (app, stop): (&SharedApp, &Stop),
    (queued, log): WebhookQueue,
) -> anyhow::Result<[Named; 2]> {
    let producer = TaskProducer::new(cluster, &WEBHOOK_TASKS)?;
    let write = thread("webhook-tasks", app, stop, move |_, stop| {
        write_all(&queued, &producer, stop);
        Ok(())
    })?;
    let deliveries = Feed::open(cluster, &WEBHOOK_DELIVERIES, partitions)?;
    let read = thread("webhook-log", app, stop, move |_, stop| Ok(log.follow(deliveries, stop)?))?;
    Ok([("webhook-tasks", write), ("webhook-log", read)])
}

/// Starts what reads the picks of bots, and what writes the results that clients report.
fn start_picks(
    cluster: &Cluster,
    partitions: i32,
    (app, stop): (&SharedApp, &Stop),
    reported: Receiver<QueuedTask>,
) -> anyhow::Result<[Named; 2]> {
    let picks = Table::open(cluster, &PICKS, partitions)?;
    let read = thread("picks", app, stop, move |app, stop| Ok(app.follow_picks(picks, stop)?))?;
    let producer = TaskProducer::new(cluster, &PICK_TASKS)?;
    let write = thread("results", app, stop, move |_, stop| {
        write_all(&reported, &producer, stop);
        Ok(())
    })?;
    Ok([("picks", read), ("results", write)])
}

/// Starts what writes pushed odds, and what reads which of them were dead-lettered.
fn start_pushes(cluster: &Cluster, app: &SharedApp, stop: &Stop) -> anyhow::Result<[Named; 2]> {
    let producer = PushProducer::new(cluster)?;
    let write = thread("pushes", app, stop, move |app, stop| {
        app.write_pushes(producer, stop);
        Ok(())
    })?;
    let letters = NewLetters::open(cluster, clock::now() - LETTERS_SHOWN)?;
    let read =
        thread("push-letters", app, stop, move |app, stop| Ok(app.follow_push_letters(letters, stop)?))?;
    Ok([("pushes", write), ("push-letters", read)])
}

/// Starts what reads the scores of events in play.
fn start_scores(cluster: &Cluster, app: &SharedApp, stop: &Stop) -> std::io::Result<[Named; 1]> {
    let cluster = cluster.clone();
    let read = thread("scores", app, stop, move |app, stop| {
        app.follow_scores(|| Table::open(&cluster, &LIVE_SCORES, LIVE_SCORES.partitions), stop);
        Ok(())
    })?;
    Ok([("scores", read)])
}

/// Starts what reads the requests and results of scans, and sends requests.
fn start_scans(
    cluster: &Cluster,
    partitions: i32,
    app: &SharedApp,
    stop: &Stop,
) -> anyhow::Result<[Named; 3]> {
    let requests = Table::open(cluster, &SCAN_REQUESTS, 1)?;
    let results = Table::open(cluster, &SCAN_RESULTS, partitions)?;
    let producer = CommandProducer::new(cluster, &SCAN_REQUESTS)?;
    let read =
        thread("scan-requests", app, stop, move |app, stop| Ok(app.follow_scan_requests(requests, stop)?))?;
    let follow =
        thread("scan-results", app, stop, move |app, stop| Ok(app.follow_scan_results(results, stop)?))?;
    let send = thread("scans", app, stop, move |app, stop| Ok(app.send_scans(&producer, stop)?))?;
    Ok([("scan-requests", read), ("scan-results", follow), ("scans", send)])
}

/// A thread without which nothing is served: its end, for whatever reason, is the process's.
fn thread(
    name: &str,
    app: &SharedApp,
    stop: &Stop,
    work: impl FnOnce(&App, &Stop) -> anyhow::Result<()> + Send + 'static,
) -> std::io::Result<JoinHandle<anyhow::Result<()>>> {
    let (app, stop) = (Arc::clone(app), stop.clone());
    Builder::new().name(name.to_owned()).spawn(move || {
        let stop = StopAtEnd(stop);
        work(&app, &stop.0)
    })
}

/// A board that is no longer followed, for whatever reason, is not served.
struct StopAtEnd(Stop);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.stop();
    }
}
