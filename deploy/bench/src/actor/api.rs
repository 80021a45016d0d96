//! The API that is measured: all of what `arb serve` runs but its readers of Kafka, over a board and a feed that are
//! made here.
//!
//! Keys, quotas, tags, metrics, the accept loop and the streams are the real ones.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use arb::cli::{self, AdminListen};
use arb::roles::admin::Admin;
use arb::system::clock;
use arb_accounts::secrets::{PEPPER, Pepper};
use arb_api::access::authority::Authority;
use arb_api::access::plan::Plans;
use arb_api::access::replica::Replica;
use arb_api::access::sign_up::SignUp;
use arb_api::access::usage::Usage;
use arb_api::files::reload::Reloaded;
use arb_api::http::server::{self, Caps, Limits};
use arb_api::http::site::{Site, UrlScheme};
use arb_api::stream::Streams;
use arb_api::stream::source::Source;
use arb_api::{App, Sessions, SharedApp};
use arb_engine::venues::Books;
use arb_kafka::{Cluster, PushProducer};
use arb_model::{Flag, Money, Points, Time, fixtures};
use arb_process::books;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry;
use arb_schemas::records::{ArbWindow, BoardEntry, BoardProgress, Event, Leg, Ttl, Verification};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::wire::encode;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::quotes::{self, QuoteLog};
use super::{Act, Held, Order, Served, not_mine, pace};
use crate::holder;

/// Events in memory, as `arb serve` has them.
const EVENTS: usize = 16_384;
const HEARTBEAT: Duration = Duration::from_secs(15);
const LIMITS: Limits = Limits::new(Caps::of(24_000), Duration::from_secs(10));
/// Windows that change again and again.
const WINDOWS: i64 = 100;
/// What is shown is of one moment, so that the same entries are the same bytes.
const NOW: Micros = 1_780_000_000 * SECOND;

/// The actor.
pub(super) struct Api {
    runtime: Runtime,
    folder: TempDir,
    stop: Stop,
    app: Option<SharedApp>,
    books: Arc<Books>,
    /// What is sent again and again, as the reader of Kafka gets it.
    messages: Vec<Vec<u8>>,
    /// Of the next event.
    offset: i64,
}

impl Api {
    pub(super) fn new(runtime: Runtime) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("a temporary folder")?;
        let anywhere = AdminListen::At(SocketAddr::from(([127, 0, 0, 1], 0)));
        Admin::start(
            (cli::AdminOptions { admin_listen: Some(anywhere) }, cli::Child::default()),
            telemetry::Role::Serve,
        )?;
        let messages = (0..WINDOWS).map(|number| encode(&window(number))).collect::<Result<_, _>>()?;
        let books = Arc::new(books::shipped()?);
        Ok(Self { runtime, folder, stop: Stop::default(), app: None, books, messages, offset: 0 })
    }

    fn serve(&mut self, entries: usize, is_charged: bool) -> anyhow::Result<Served> {
        let (pepper, replica) = (Pepper::new(&[7; PEPPER]), Arc::new(Replica::by_hand()));
        let (key, parts) = holder::parts(&pepper, NOW)?;
        for part in &parts {
            replica.put(part.clone());
        }
        let path = |name: &str| self.folder.path().join(name);
        let plans = Reloaded::<Plans>::open(path("plans.json"))?;
        let machine = holder::machine(&parts, Arc::clone(&replica), clock::now)?;
        let usage =
            Usage::new("bench".to_owned(), Arc::clone(&replica), plans, clock::now).with_machine(machine);
        let usage = if is_charged { usage } else { usage.uncharged() };
        let streams = Streams::new(Source::by_hand(1), EVENTS, HEARTBEAT);
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let site = Site::new(listen, UrlScheme::Http, &[]).map_err(anyhow::Error::msg)?;
        let sessions = Sessions::start(site, SignUp::Closed)?;
        let app = App::new(1, Authority::new(replica, pepper, clock::now), usage, streams, sessions);
        let app = Arc::new(app.with_books(1, &self.books));
        let progress = BoardProgress { source: "bench".to_owned(), received_at: NOW };
        app.begin((0..).take(entries).map(entry), progress);
        let listener =
            self.runtime.block_on(async { server::listen(SocketAddr::from(([127, 0, 0, 1], 0))) })?;
        let at = listener.local_addr()?;
        let (served, stop) = (Arc::clone(&app), self.stop.clone());
        self.runtime.spawn(async move { served.serve(listener, LIMITS, &stop).await });
        let (kept, stop) = (Arc::clone(&app), self.stop.clone());
        std::thread::spawn(move || kept.run_periodic_task(&stop));
        self.app = Some(app);
        Ok(Served { at, key })
    }

    fn send(&mut self, events: usize, per_second: f64) -> anyhow::Result<Value> {
        let app = self.app.as_ref().context("nothing is served yet")?;
        let first = self.offset;
        let times = pace::evenly(events, per_second, |index| {
            let offset = first + i64::try_from(index)?;
            Ok(app.streams().take(0, offset, &self.messages[index % self.messages.len()])?)
        })?;
        self.offset += i64::try_from(events)?;
        Ok(serde_json::to_value(times)?)
    }
}

impl Api {
    fn hold_quotes(&self, books: usize) -> anyhow::Result<Value> {
        let app = self.app.as_ref().context("nothing is served yet")?;
        let QuoteLog { records, books } = quotes::changelog(&self.books, books, NOW)?;
        let arbs = app.begin_quotes(records)?;
        Ok(serde_json::to_value(Held { arbs, books: books.into_iter().collect() })?)
    }

    fn write_pushes(&self, brokers: &str) -> anyhow::Result<Value> {
        let app = Arc::clone(self.app.as_ref().context("nothing is served yet")?);
        let (producer, stop) = (PushProducer::new(&Cluster::plaintext(brokers))?, self.stop.clone());
        std::thread::spawn(move || app.write_pushes(producer, &stop));
        Ok(Value::Null)
    }
}

impl Act for Api {
    fn act(&mut self, order: Order) -> anyhow::Result<Value> {
        match order {
            Order::Serve { entries, is_charged } => {
                Ok(serde_json::to_value(self.serve(entries, is_charged)?)?)
            }
            Order::HoldQuotes { books } => self.hold_quotes(books),
            Order::Send { events, per_second } => self.send(events, per_second),
            Order::WritePushes { brokers } => self.write_pushes(&brokers),
            other => Err(not_mine(&other)),
        }
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// A window that changes.
fn window(number: i64) -> ArbWindow {
    ArbWindow { change: "updated".to_owned(), entry: entry(number), replaced: None }
}

/// An entry as the processor writes it. What it states is what the length of an answer and of an event depends on.
fn entry(number: i64) -> BoardEntry {
    let leg = |outcome, book, millionths| {
        let price = fixtures::price(millionths);
        Leg {
            implied_probability: price.implied_probability(),
            price_moved_at: Time(NOW - 300 * SECOND - number),
            last_seen_at: Time(NOW - 30 * SECOND - number),
            stake: Some(Money(5_000)),
            limit: None,
            link: None,
            ..fixtures::leg(outcome, book, millionths)
        }
    };
    let margin = 0.02 + 1e-7 * number as f64;
    BoardEntry {
        id: format!("{number:032x}"),
        event: event(number),
        in_play: false,
        line: Some(Points(2_500)),
        implied_probability: 1.0 / (1.0 + margin),
        margin,
        margin_worst: margin,
        legs: vec![leg("over", "alderbet", 2_050_000), leg("under", "birchodds", 2_030_000)],
        warnings: vec!["limit_unknown".into()],
        score: margin,
        opened_at: Time(NOW - 60 * SECOND),
        updated_at: Time(NOW - number),
        sequence: number,
        margin_rounded: Some(margin),
        total_stake_max: None,
        currency: Some("USD".into()),
        verified: true,
        verification: Verification::of(Flag::ALL),
        failed_checks: vec![],
        ttl: Ttl { p10: 60.0, median: 600.0, p90: 3_600.0 },
        execution_probability: 0.9,
        passed_over: None,
        ..fixtures::entry()
    }
}

fn event(number: i64) -> Event {
    Event {
        id: format!("bench-{number}").into(),
        home: format!("Home {number}").into(),
        away: format!("Away {number}").into(),
        commence_time: Time(NOW + 3_600 * SECOND),
        ..fixtures::event_of("soccer_bench_league")
    }
}
