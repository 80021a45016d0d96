//! An instance of the API, wired: what it reads, what it serves, and what it does beside.
//!
//! - `accounts`: what reads them, and what sends their commands; `own_books`: the processor's quotes, and what is computed of them; `picks`: the picks of bots; `pushes`: pushed odds;
//!   `scans`: requests and results of scans; `scores`: scores of events in play; `periodic`: the thread that reads changed files again; `health`: whether it is ready.
//!
//! It never answers anything itself.

mod accounts;
mod health;
mod own_books;
mod periodic;
mod picks;
mod pushes;
mod scans;
mod scores;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use crate::telemetry;
use arb_accounts::endpoint::WebhookKey;
use arb_feed::webhook::address::Rules;
use arb_kafka::{GroupLags, Table};
use arb_runtime::progress::Span;
use arb_runtime::stop::Stop;
use arb_schemas::records::{BoardEntry, BoardProgress};
use arb_schemas::time::Micros;
use arb_store::history::History;
use tokio::net::TcpListener;
use warp::filters::BoxedFilter;
use warp::reply::Response;

use crate::access::authority::Authority;
use crate::access::commands::Commands;
use crate::access::password_worker::PasswordWorker;
use crate::access::sign_up::SignUp;
use crate::access::usage::Usage;
use crate::description::Description;
use crate::http::cors::Cors;
use crate::http::server::drain::Drain;
use crate::http::server::{self, Limits};
use crate::http::service::{Service, Surroundings};
use crate::http::site::Site;
use crate::lists::Lists;
use crate::lists::follow::{self, FollowError};
use crate::picks::store::PickStore;
use crate::pushes::{PushGate, PushLetters};
use crate::resources::account::Accounts;
use crate::resources::books::BooksResource;
use crate::resources::description::DescriptionResource;
use crate::resources::events::EventsResource;
use crate::resources::history::HistoryResource;
use crate::resources::keys::KeysResource;
use crate::resources::picks::PicksResource;
use crate::resources::results::ResultsResource;
use crate::resources::scan::ScanResource;
use crate::resources::scores::ScoresResource;
use crate::resources::session::SessionResource;
use crate::resources::sports::StatusResource;
use crate::resources::tickets::TicketResource;
use crate::resources::ticks::TicksResource;
use crate::resources::truth::TruthResource;
use crate::resources::usage::UsageResource;
use crate::resources::user_boards::UserBoards;
use crate::resources::webhooks::WebhooksResource;
use crate::resources::{MarketResources, Resources};
use crate::routes::ROUTES;
use crate::scans::store::Scans;
use crate::scores::store::ScoreStore;
use crate::stream::{StreamState, Streams};
use crate::tasks::TaskQueue;
use crate::test_market::TestMarket;
use crate::webhooks::Webhooks;

/// The route table described, for all instances.
static DESCRIPTION: LazyLock<Description> = LazyLock::new(|| Description::of(&ROUTES));

/// An instance of the API.
#[derive(Debug)]
pub struct App {
    pub(crate) lists: Lists,
    pub(crate) stream: Arc<StreamState>,
    test_market: TestMarket,
    /// What a key or a session of a caller allows.
    pub authority: Arc<Authority>,
    /// The usage of each account.
    pub usage: Arc<Usage>,
    pub(crate) commands: Arc<Commands>,
    pub(crate) scans: Arc<Scans>,
    pub(crate) sessions: Sessions,
    pub(crate) pushes: Arc<PushGate>,
    pub(crate) push_letters: Arc<PushLetters>,
    webhooks: Webhooks,
    history: Option<History>,
    pub(crate) boards: Arc<UserBoards>,
    picks: Arc<PickStore>,
    scores: Arc<ScoreStore>,
    results: TaskQueue,
    lags: GroupLags,
    drain: Drain,
}

/// What browsers need.
#[derive(Debug)]
pub struct Sessions {
    site: Site,
    sign_up: Arc<SignUp>,
    passwords: PasswordWorker,
    cors: Cors,
}

impl Sessions {
    /// The same, with origins whose pages may use keys and tickets.
    #[must_use]
    pub fn allowing(self, cors: Cors) -> Self {
        Self { cors, ..self }
    }

    /// The same under other names.
    #[cfg(test)]
    pub(crate) fn reached_at(self, site: Site) -> Self {
        Self { site, ..self }
    }

    /// Of a site; a thread for passwords is started.
    ///
    /// # Errors
    /// That of the system when it gives no thread.
    pub fn start(site: Site, sign_up: SignUp) -> std::io::Result<Self> {
        Ok(Self {
            site,
            sign_up: Arc::new(sign_up),
            passwords: PasswordWorker::start()?,
            cors: Cors::default(),
        })
    }
}

/// Shared by the threads that write to it and the one that serves it.
pub type SharedApp = Arc<App>;

impl App {
    /// A board that has read nothing yet, of topics with the given numbers of partitions.
    ///
    /// ```
    /// use std::sync::{Arc, LazyLock};
    /// use std::time::Duration;
    ///
    /// use arb_accounts::secrets::Pepper;
    /// use arb_api::access::{authority::Authority, replica::Replica, sign_up::SignUp, usage::Usage};
    /// use arb_api::files::reload::Reloaded;
    /// use arb_api::http::site::{Site, UrlScheme};
    /// use arb_api::stream::{Streams, source::Source};
    /// use arb_api::{App, Sessions};
    ///
    /// let clock = || 1_767_225_600_000_000;
    /// let folder = std::env::temp_dir().join(format!("app-{}", std::process::id()));
    /// let replica = Arc::new(Replica::default());
    /// let authority = Authority::new(Arc::clone(&replica), Pepper::new(&[7; 32]), clock);
    /// let plans = Reloaded::open(folder.join("plans.json"))?;
    /// let usage = Usage::new("instance".to_owned(), replica, plans, clock);
    /// let streams = Streams::new(Source::by_hand(1), 1_000, Duration::from_secs(10));
    /// let site = Site::new("127.0.0.1:8080".parse()?, UrlScheme::Http, &[])?;
    /// let sessions = Sessions::start(site, SignUp::Closed)?;
    /// let app = App::new(1, authority, usage, streams, sessions);
    /// assert!(!app.is_ready(), "the topics have not been read yet");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(
        partitions: i32,
        authority: Authority,
        usage: Usage,
        streams: Streams,
        sessions: Sessions,
    ) -> Self {
        let (authority, usage) = (Arc::new(authority), Arc::new(usage));
        let lists = Lists::new(partitions, authority.replica());
        let (lists_of_streams, keys_of_streams) = (lists.clone(), Arc::clone(&authority));
        let test_market = TestMarket::new(&authority, streams.heartbeat());
        let stream = StreamState { streams, lists: lists_of_streams, authority: keys_of_streams };
        let commands = Arc::new(Commands::new(Arc::clone(authority.replica())));
        // Of an instance that is given no other key: as secret as the pepper.
        let webhooks = Webhooks {
            key: WebhookKey::new(authority.pepper().hmac("/webhooks").as_bytes()),
            rules: Rules::default(),
            // Nothing is written where nobody takes the tasks.
            tasks: TaskQueue::new(partitions).0,
            log: Arc::default(),
        };
        let boards = own_books::boards(partitions, &Arc::default(), &lists);
        let (scans, pushes) = (Arc::new(Scans::new(partitions)), Arc::new(PushGate::new(partitions)));
        Self {
            picks: Arc::new(PickStore::new(&lists.names)),
            scores: Arc::new(ScoreStore::new(&lists.names)),
            lists,
            stream: Arc::new(stream),
            test_market,
            authority,
            usage,
            commands,
            scans,
            sessions,
            pushes,
            push_letters: Arc::default(),
            webhooks,
            history: None,
            boards,
            results: TaskQueue::new(partitions).0,
            lags: GroupLags::default(),
            drain: Drain::default(),
        }
    }

    /// With this key and these rules of webhooks.
    #[must_use]
    pub fn with_webhooks(self, webhooks: Webhooks) -> Self {
        Self { webhooks, ..self }
    }

    /// With answers about the past, where there is a ClickHouse.
    #[must_use]
    pub fn with_history(self, history: Option<History>) -> Self {
        Self { history, ..self }
    }

    /// Begins with this board and no signals, for a caller that hands over the feed as well
    /// ([`Source::by_hand`](crate::stream::source::Source::by_hand)).
    pub fn begin(&self, entries: impl IntoIterator<Item = BoardEntry>, progress: BoardProgress) {
        entries.into_iter().for_each(|entry| self.lists.board.put(entry));
        self.lists.polls.note(0, progress);
        self.lists.board.ready();
        self.lists.signals.ready();
        self.streams().begin();
    }

    /// Its streams.
    #[must_use]
    pub fn streams(&self) -> &Streams {
        &self.stream.streams
    }

    /// Does something to the streams of both markets.
    fn each_stream(&self, act: impl Fn(&Streams)) {
        for stream in [&self.stream, &self.test_market.stream] {
            act(&stream.streams);
        }
    }

    /// Reports what is in memory at a moment of UTC; `ends` are where the feed's partitions end, as far as is known.
    pub fn report_memory(&self, ends: &BTreeMap<i32, Span>, now: Micros) {
        let board = self.lists.board.entries();
        let verified = board.iter().filter(|entry| entry.verified).count();
        let (entries, signals) = (board.len(), self.lists.signals.len());
        let (as_of, (ring, feed)) = (self.lists.polls.as_of(), self.streams().memory());
        telemetry::inspect(
            &telemetry::Memory { entries, verified, signals, as_of, ring, feed: &feed },
            ends,
            now,
        );
    }

    /// Reads the board's topic until the shutdown signal.
    ///
    /// # Errors
    /// [`FollowError`].
    pub fn follow_board(&self, table: Table, stop: &Stop) -> Result<(), FollowError> {
        follow::follow(table, &*self.lists.board, stop)
    }

    /// Reads the signals' topic until the shutdown signal.
    ///
    /// # Errors
    /// [`FollowError`].
    pub fn follow_signals(&self, table: Table, stop: &Stop) -> Result<(), FollowError> {
        follow::follow(table, &*self.lists.signals, stop)
    }

    /// Reads the feed until the shutdown signal; `stream::hub` explains the order.
    ///
    /// # Errors
    /// [`FollowError`].
    pub fn follow_feed(&self, stop: &Stop) -> Result<(), FollowError> {
        self.stream.follow(stop)
    }

    /// Reads changed files again, until the shutdown signal.
    pub fn run_periodic_task(&self, stop: &Stop) {
        periodic::run(self, stop);
    }

    /// Serves until the shutdown signal, then ends the streams and finishes the requests that are under way.
    pub async fn serve(&self, listener: TcpListener, limits: Limits, stop: &Stop) {
        server::serve_counted(listener, self.routes(), limits, stop, || self.each_stream(Streams::close))
            .await;
    }

    /// All routes.
    pub(crate) fn routes(&self) -> BoxedFilter<(Response,)> {
        self.service().filter()
    }

    /// What answers requests.
    pub(crate) fn service(&self) -> Arc<Service<Resources>> {
        let accounts =
            Accounts { authority: Arc::clone(&self.authority), commands: Arc::clone(&self.commands) };
        let keys = KeysResource { accounts: accounts.clone() };
        let (usage, streams) = (Arc::clone(&self.usage), Arc::clone(&self.stream));
        let usage = UsageResource { usage, streams };
        let Sessions { site, sign_up, passwords, cors } = &self.sessions;
        let quotes = &self.boards.quotes;
        let browsers = (site.clone(), Arc::clone(sign_up));
        let resources = Resources {
            tickets: TicketResource {
                accounts: accounts.clone(),
                cors: cors.clone(),
                names: Arc::clone(&self.lists.names),
            },
            live: MarketResources::new(&self.lists, &self.stream, Some(&self.boards)),
            test: MarketResources::new(&self.test_market.lists, &self.test_market.stream, None),
            scan: ScanResource {
                scans: Arc::clone(&self.scans),
                lists: self.lists.clone(),
                authority: Arc::clone(&self.authority),
            },
            ticks: TicksResource::new(&self.authority, (&self.pushes, &self.push_letters), quotes),
            usage: usage.clone(),
            health: self.health(),
            session: SessionResource::new(accounts.clone(), usage, browsers, passwords.clone()),
            webhooks: WebhooksResource {
                accounts: accounts.clone(),
                webhooks: self.webhooks.clone(),
                names: Arc::clone(&self.lists.names),
                history: self.history.clone(),
            },
            history: HistoryResource::new(self.history.clone(), &self.lists, Some(quotes)),
            test_history: HistoryResource::new(None, &self.test_market.lists, None),
            truth: TruthResource::new(self.history.clone()),
            events: EventsResource {
                quotes: Arc::clone(quotes),
                lists: self.lists.clone(),
                history: self.history.clone(),
            },
            books: BooksResource { quotes: Arc::clone(quotes), polls: Arc::clone(&self.lists.polls) },
            status: StatusResource {
                lists: self.lists.clone(),
                quotes: Arc::clone(quotes),
                lags: self.lags.clone(),
            },
            picks: PicksResource { picks: Arc::clone(&self.picks), lists: self.lists.clone() },
            scores: ScoresResource {
                scores: Arc::clone(&self.scores),
                lists: self.lists.clone(),
                authority: Arc::clone(&self.authority),
            },
            results: ResultsResource::new(&self.authority, &self.results, quotes, &self.picks),
            description: DescriptionResource::new(&DESCRIPTION, site.clone()),
            accounts,
            keys,
        };
        let (usage, drain) = (Arc::clone(&self.usage), self.drain.clone());
        let surroundings = Surroundings { usage, cors: cors.clone(), site: site.clone(), drain };
        Service::new(&ROUTES, resources, Arc::clone(&self.authority), surroundings)
    }
}

#[cfg(test)]
mod tests;
