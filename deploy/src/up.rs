//! `arb up`: everything on this machine, each role a child process of the same binary.
//!
//! What runs here is what runs in production, with a local Kafka and ClickHouse under it. It holds its children's
//! standard input, so that they end with it however it ends, and keeps them out of the terminal's signals, so that it
//! can end them in order: those that write first, what they write to last.

mod activity;
mod addresses;
mod demonstration;

use std::net::SocketAddr;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use arb_kafka::{self as kafka, Cluster};
use arb_runtime::stop::Stop;
use arb_schemas::time::SECOND;
use arb_setup::prerequisites::{self, Plan as Needed};
use arb_setup::progress::{Progress, Report};
use arb_setup::terminal;
use arb_setup::{clickhouse as clickhouse_files, home as home_folder, kafka as kafka_files};
use arb_store::clickhouse::{self, Settings, roles};

use self::activity::Activity;
use self::demonstration::{Demonstration, Files};
use crate::cli::{Brokers, Child, Format, LogFormat, Play, Up};
use crate::local::children::Children;
use crate::local::clickhouse::passwords;
use crate::local::role_log::RoleLogs;
use crate::local::{self, home, http, preflight};
use crate::roles::clickhouse as clickhouse_of;
use crate::roles::{admin, cluster, ingest};
use crate::system::signals;

/// Slots of short matches in a demonstration: results come within minutes.
const SHORT_EVENTS: usize = 12;
/// Of topics that follow the ticks, in the local Kafka: what a demonstration costs when nothing happens is by partition.
const LOCAL_PARTITIONS: i32 = 2;

pub(crate) fn run(config: &Up, log_format: LogFormat) -> anyhow::Result<()> {
    let home = &config.home.home;
    home_folder::make(home)?;
    let _lock = home::lock(home)?;
    check(config)?;
    let stop = signals::stop(Child { child: false })?;
    let logs = RoleLogs::open(home, config.verbose)?;
    let mut children = Children::new(&[], log_format)?.with_logs(logs);
    let mut activity = Activity::new(addresses::playing(&config.play), config.admin_port);
    let done = start(config, home, &mut children, &stop).and_then(|()| {
        children.watch(&stop, |trouble| {
            if terminal::is_terminal() {
                terminal::status(&trouble.unwrap_or_else(|| activity.line(Instant::now())));
            }
        })
    });
    terminal::status("");
    terminal::print("stopping");
    children.stop();
    // A shutdown signal during the start is no error.
    if stop.is_stopped() { Ok(()) } else { done }
}

/// Everything that can be known to fail before anything is started: all of it in one sentence, and nothing is fetched
/// before.
fn check(config: &Up) -> anyhow::Result<()> {
    let failures: Vec<_> =
        checks(config).into_iter().filter_map(|check| Some(format!("{:#}", check.err()?))).collect();
    if !failures.is_empty() {
        bail!("{}", failures.join("; "));
    }
    if config.brokers.is_none() {
        kafka_files::libraries(&config.home.home, Report::Live)?;
    }
    if config.writer.url.is_none() {
        clickhouse_files::program(&config.home.home, Report::Live)?;
    }
    Ok(())
}

fn checks(config: &Up) -> Vec<anyhow::Result<()>> {
    let mut checks = vec![
        home_folder::check_disk(&config.home.home, config.min_free_mib),
        prerequisites::check(Needed::of_servers(
            &config.home.home,
            config.brokers.is_none(),
            config.writer.url.is_none(),
        )),
    ];
    checks.extend(preflight::addresses(&listened(config)));
    if let Some(recording) = &config.play.replay {
        checks
            .push(std::fs::File::open(recording).map(drop).with_context(|| recording.display().to_string()));
    }
    if config.play.live.wanted {
        checks.push(ingest::live::settings(&config.play.live, &Cluster::plaintext("")).map(drop));
    }
    checks.push(security(config));
    checks
}

/// Every address that something will listen on, with the option that chooses it.
fn listened(config: &Up) -> Vec<(SocketAddr, &'static str)> {
    let local = |port: u16, option| (SocketAddr::from(([127, 0, 0, 1], port)), option);
    let mut all = vec![(config.listen, "--listen")];
    all.extend(admin::ROLES.map(|role| (admin::address(config.admin_port, role), "--admin-port")));
    if config.brokers.is_none() {
        all.extend(local::kafka::ports(config.kafka_port).map(|port| local(port, "--kafka-port")));
    }
    if config.writer.url.is_none() {
        all.push(local(config.clickhouse_port, "--clickhouse-port"));
        all.push(local(config.clickhouse_native_port, "--clickhouse-native-port"));
    }
    all
}

/// The options of a connection belong to a Kafka that is named: the local one has a plaintext listener on loopback.
fn security(config: &Up) -> anyhow::Result<()> {
    match &config.brokers {
        Some(brokers) => Ok(cluster::with(brokers, &config.kafka).map(drop)?),
        None if config.kafka.is_given() => {
            bail!("the options --kafka-... of a connection need --brokers: the local Kafka is plaintext")
        }
        None => Ok(()),
    }
}

fn start(config: &Up, home: &Path, children: &mut Children, stop: &Stop) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_local = config.writer.url.is_none();
    if is_local {
        start_clickhouse(config, home, children)?;
    } else {
        // A server that is refused is known before anything is started.
        runtime.block_on(migrate(config, home))?;
    }
    let brokers = match &config.brokers {
        Some(brokers) => brokers.clone(),
        None => start_kafka(config, home, children, stop)?,
    };
    let partitions = config.brokers.is_none().then_some(LOCAL_PARTITIONS);
    runtime.block_on(kafka::provision(&cluster::with(&brokers, &config.kafka)?, partitions))?;
    if is_local {
        let _progress = Progress::start("starting ClickHouse", Report::Live);
        children.wait(stop, "ClickHouse", || local::clickhouse::answers(config.clickhouse_port))?;
        runtime.block_on(migrate(config, home))?;
    }
    let pepper = home::pepper(home);
    let kafka = config.kafka.arguments();
    let common: Vec<_> =
        ["--child", "--brokers", &brokers].into_iter().chain(kafka.iter().map(String::as_str)).collect();
    let [
        ingest_admin,
        process_admin,
        serve_admin,
        sink_admin,
        accounts_admin,
        deliver_admin,
        settle_admin,
        bots_admin,
    ] = admin::ROLES.map(|role| format!("--admin-listen={}", admin::address(config.admin_port, role)));
    let books = config.books_file.as_ref().map(|file| format!("--books-file={}", file.display()));
    let rules = ["--policy", config.policy.key(), &process_admin];
    let rules: Vec<_> = rules.into_iter().chain(books.as_deref()).collect();
    children.start("process", &[&common[..], &rules].concat())?;
    children.start("accounts", &[&common[..], &[&accounts_admin]].concat())?;
    // That of the last run ends with it.
    let files = Files { pepper: pepper.clone(), password: home::demonstration_password(home) };
    let demonstration = start_demonstration(config, &brokers, files, children, stop)?;
    let (listen, pepper) = (config.listen.to_string(), pepper.display().to_string());
    let webhook_key = format!("--webhook-key={}", home::webhook_key(home).display());
    let development = is_on_loopback(config).then_some("--webhook-development");
    let webhooks: Vec<_> = [webhook_key.as_str()].into_iter().chain(development).collect();
    // Nobody balances load in front of it, and whoever ends it waits.
    let serve =
        ["--listen", &listen, "--pepper", &pepper, "--sign-up", "open", "--drain-ms", "0", &serve_admin];
    let history = history_arguments(config);
    let serve: Vec<_> =
        serve.into_iter().chain(books.as_deref()).chain(history.iter().map(String::as_str)).collect();
    children.start("serve", &[&common[..], &serve, &webhooks].concat())?;
    children.start("deliver", &[&common[..], &[&deliver_admin], &webhooks].concat())?;
    let settle: Vec<_> = [settle_admin.as_str()].into_iter().chain(books.as_deref()).collect();
    children.start("settle", &[&common[..], &settle].concat())?;
    let bots: Vec<_> = bots_arguments(&config.play).into_iter().chain(books.as_deref()).collect();
    children.start("bots", &[&common[..], &bots, &[&bots_admin]].concat())?;
    start_sink(config, home, &common, &sink_admin, children)?;
    {
        let _progress = Progress::start("reading the board", Report::Live);
        children.wait(stop, "the board", || http::is_ready(config.listen))?;
    }
    let mut play = play_arguments(&config.play);
    play.push(ingest_admin);
    let play: Vec<_> = common.into_iter().chain(play.iter().map(String::as_str)).collect();
    children.start("ingest", &play)?;
    addresses::print(config, &demonstration)
}

/// The demonstration account and its key; it is created beside this thread, which watches the children and the shutdown signal. The
/// thread has ended when this returns, and with it its clients of Kafka: else they would report that Kafka ends.
fn start_demonstration(
    config: &Up,
    brokers: &str,
    files: Files,
    children: &mut Children,
    stop: &Stop,
) -> anyhow::Result<Demonstration> {
    let _progress = Progress::start("creating a key", Report::Live);
    let brokers = Brokers { brokers: brokers.to_owned(), kafka: config.kafka.clone() };
    let ending = Stop::default();
    let creating = std::thread::spawn({
        let ending = ending.clone();
        move || demonstration::create(&brokers, &files, &ending)
    });
    let waited = children.wait(stop, "the accounts", || creating.is_finished());
    ending.stop();
    let created = creating.join().map_err(|_| anyhow!("the thread that creates a key panicked"))?;
    waited.and(created)
}

/// Whether only this machine reaches the API: others may not have requests sent to it.
fn is_on_loopback(config: &Up) -> bool {
    config.listen.ip().to_canonical().is_loopback()
}

/// Starts the sink: it reads its password where this process does, and never from its arguments.
fn start_sink(
    config: &Up,
    home: &Path,
    common: &[&str],
    admin: &str,
    children: &mut Children,
) -> anyhow::Result<()> {
    let home = home.display().to_string();
    let local = format!("http://127.0.0.1:{}", config.clickhouse_port);
    let url = config.writer.url.as_ref().unwrap_or(&local);
    let mut arguments = [common, &["--home", &home, "--clickhouse-url", url, admin]].concat();
    let file = match (&config.writer.password_file, &config.writer.url) {
        (Some(file), _) => Some(file.clone()),
        (None, None) => {
            Some(passwords::file(&config.home.home, &config.writer.databases.user(roles::WRITER)))
        }
        (None, Some(_)) => None,
    };
    let file = file.map(|file| file.display().to_string());
    if let Some(file) = &file {
        arguments.extend(["--writer-password-file", file]);
    }
    let ca = config.writer.ca.as_ref().map(|file| format!("--clickhouse-ca={}", file.display()));
    arguments.extend(ca.as_deref());
    if let Some(user) = &config.writer.user {
        arguments.extend(["--clickhouse-writer", user]);
    }
    let interval = format!("--batch-interval-ms={}", config.batch_interval.as_millis());
    arguments.extend(["--clickhouse-database", config.writer.databases.views(), &interval]);
    children.start("sink", &arguments)
}

/// How the API asks ClickHouse. Of a server of others only with the password of the environment, which it reads itself.
fn history_arguments(config: &Up) -> Vec<String> {
    let databases = format!("--history-database={}", config.writer.databases.views());
    let Some(url) = &config.writer.url else {
        let file = passwords::file(&config.home.home, &config.writer.databases.user(roles::READER));
        let url = format!("--history-url=http://127.0.0.1:{}", config.clickhouse_port);
        return vec![url, databases, format!("--history-password-file={}", file.display())];
    };
    if config.reader_password.is_none() {
        return Vec::new();
    }
    let ca = config.writer.ca.as_ref().map(|file| format!("--history-ca={}", file.display()));
    [format!("--history-url={url}"), databases].into_iter().chain(ca).collect()
}

/// Starts a broker with the topics of the last run, or none; its address.
fn start_kafka(config: &Up, home: &Path, children: &mut Children, stop: &Stop) -> anyhow::Result<String> {
    let data = home::kafka_data(home);
    if data.exists() && config.fresh {
        std::fs::remove_dir_all(&data).with_context(|| data.display().to_string())?;
    } else if data.exists() {
        terminal::print(
            "the topics of the last run are continued; records that are older count as late (--fresh empties them)",
        );
    }
    let _progress = Progress::start("starting Apache Kafka", Report::Live);
    let (port, data, home) =
        (config.kafka_port.to_string(), data.display().to_string(), home.display().to_string());
    children.start("kafka", &["--child", "--port", &port, "--data", &data, "--home", &home])?;
    children.wait(stop, "Kafka", || local::kafka::answers(config.kafka_port))?;
    Ok(format!("127.0.0.1:{port}"))
}

/// Starts a server with the tables of the last run, or none. It is not waited for: Kafka starts beside it.
fn start_clickhouse(config: &Up, home: &Path, children: &mut Children) -> anyhow::Result<()> {
    let data = home::clickhouse_data(home);
    if data.exists() && config.fresh {
        std::fs::remove_dir_all(&data).with_context(|| data.display().to_string())?;
    }
    let (port, native) = (config.clickhouse_port.to_string(), config.clickhouse_native_port.to_string());
    let (data, home) = (data.display().to_string(), home.display().to_string());
    let ports = ["--port", &port, "--native-port", &native];
    let databases = ["--database", config.writer.databases.views()];
    children.start(
        "clickhouse",
        &[&["--child", "--data", &data, "--home", &home][..], &ports, &databases].concat(),
    )
}

/// The schema of this program: created, or only checked on a server of others without the migrator's
/// password.
async fn migrate(config: &Up, home: &Path) -> anyhow::Result<()> {
    let url = || format!("http://127.0.0.1:{}", config.clickhouse_port);
    let databases = config.writer.databases.clone();
    let user = databases.user(roles::MIGRATOR);
    let migrator = match (&config.writer.url, &config.migrator_password) {
        (None, _) => {
            let password = passwords::read(&passwords::file(home, &user))?;
            Settings { url: url(), ca: None, user, password, databases }
        }
        (Some(url), Some(password)) => {
            let (url, ca, password) = (url.clone(), config.writer.ca.clone(), password.clone());
            Settings { url, ca, user, password, databases }
        }
        (Some(_), None) => return Ok(clickhouse::check(&clickhouse_of::writer(&config.writer, home)?).await?),
    };
    for migration in clickhouse::migrate(&migrator).await? {
        terminal::print(&format!("ClickHouse: applied {}", migration.name));
    }
    Ok(())
}

/// What the bots read of the feed. The first book of the simulated market moves before the others.
fn bots_arguments(play: &Play) -> Vec<&'static str> {
    match (&play.replay, play.live.wanted) {
        (Some(_), _) => vec!["--feed=recorded"],
        (None, true) => vec!["--feed=live"],
        (None, false) => vec!["--feed=simulated", "--sharp-books=alderbet"],
    }
}

/// The settings of `ingest`, from those of `up`.
fn play_arguments(play: &Play) -> Vec<String> {
    if play.live.wanted {
        return play.live.arguments();
    }
    let mut arguments = vec![
        format!("--seed={}", play.seed),
        format!("--every={}", play.every / SECOND),
        format!("--events={}", play.market.events),
        format!("--books={}", play.market.books),
        format!("--exchange={}", play.market.exchange),
        format!("--short-events={}", play.market.short_events.unwrap_or(SHORT_EVENTS)),
    ];
    if let Some(recording) = &play.replay {
        arguments.push(format!("--replay={}", recording.display()));
    }
    if let Some(speed) = play.speed {
        arguments.push(format!("--speed={speed}"));
    }
    for (name, time) in [("until", play.until), ("after", play.after)] {
        arguments.extend(time.map(|time| format!("--{name}={}", arb_schemas::time::to_rfc3339(time))));
    }
    if play.odds_format == Format::Decimal {
        arguments.push("--odds-format=decimal".to_owned());
    }
    arguments
}
