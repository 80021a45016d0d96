//! Whoever watches a board has at every stop what a request for it is answered, and nothing of another account's private prices.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;

use arb_accounts::account::Account;
use arb_accounts::directory::Part;
use arb_feed::view::EntryView;
use arb_schemas::records::{BoardEntry, BoardProgress};
use arb_schemas::time::SECOND;
use hyper::body::Body;
use proptest::prelude::*;
use serde_json::{Value, json};
use warp::http::HeaderMap;
use warp::reply::Response;

use super::*;
use crate::SharedApp;
use crate::fixtures::{TestApp, account};
use crate::quotes::fixtures::{Prices, QuoteWriter, prices, ready};
use crate::stream::StreamQuery;

const EVENTS: [&str; 3] = ["e", "f", "g"];
const BOOKS: [&str; 4] = ["a", "b", "c", "d"];
const OWN: [(&str, &str); 2] = [("push/acme", "acme:own"), ("push/beta", "beta:own")];

/// What the time alone changes of an entry, and the order of a list.
const OF_TIME: [&str; 9] = [
    "updated_at",
    "ttl_seconds",
    "ttl_p10_seconds",
    "ttl_p90_seconds",
    "expires_at",
    "execution_probability",
    "score",
    "rank",
    "as_of",
];

fn own(source: &str) -> UserBooks {
    UserBooks { private: Some(source.to_owned()), ..UserBooks::default() }
}

fn only(books: &[&str]) -> UserBooks {
    let books = books.iter().map(|book| (*book).to_owned()).collect();
    UserBooks { books: Some(books), ..UserBooks::default() }
}

fn query(text: &str) -> StreamQuery {
    StreamQuery::parse(text, &HeaderMap::new()).ok().unwrap()
}

fn without_time(mut entry: Value) -> Value {
    for name in OF_TIME {
        entry.as_object_mut().unwrap().remove(name);
    }
    for leg in entry["legs"].as_array_mut().unwrap() {
        leg.as_object_mut().unwrap().remove("age_seconds");
    }
    for check in entry["failed_checks"].as_array_mut().unwrap() {
        check.as_object_mut().unwrap().remove("reason");
    }
    entry
}

/// What a client has that applies every event.
#[derive(Default)]
struct Folded(BTreeMap<String, Value>);

impl Folded {
    /// Applies an event, and returns what it is called.
    fn take(&mut self, text: &str) -> String {
        let field = |name| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let data: Value = serde_json::from_str(field("data: ")).unwrap();
        let name = field("event: ").to_owned();
        let put = if name == "snapshot" { &data["arbs"] } else { &data["put"] };
        if name == "snapshot" {
            self.0.clear();
        }
        for gone in data["gone"].as_array().into_iter().flatten() {
            assert!(self.0.remove(gone.as_str().unwrap()).is_some(), "it never had {gone}");
        }
        for entry in put.as_array().into_iter().flatten() {
            self.0.insert(entry["id"].as_str().unwrap().to_owned(), entry.clone());
        }
        name
    }

    fn take_pieces(&mut self, pieces: &[bytes::Bytes]) {
        if !pieces.is_empty() {
            self.take(std::str::from_utf8(&pieces.concat()).unwrap());
        }
    }

    /// That it has these entries, each as it was sent less than so long ago.
    fn assert_is(&self, board: &[BoardEntry], what: &str) {
        // By way of text, as what was sent: a number that is read is not always the one that was written.
        let shown = |entry: &BoardEntry| {
            let text = arb_feed::view::json(&EntryView::new(entry, entry.updated_at.0));
            serde_json::from_slice(&text).unwrap()
        };
        let is: BTreeMap<_, _> =
            board.iter().map(|entry| (entry.id.clone(), without_time(shown(entry)))).collect();
        let has: BTreeMap<_, _> =
            self.0.iter().map(|(id, entry)| (id.clone(), without_time(entry.clone()))).collect();
        assert_eq!(has, is, "{what}");
        for entry in board {
            let sent = self.0[&entry.id]["updated_at"].as_str().unwrap();
            let sent = arb_schemas::time::parse_rfc3339(sent).unwrap();
            assert!((0..15 * SECOND).contains(&(entry.updated_at.0 - sent)), "{what}: sent at {sent}");
        }
    }
}

/// What happens: a poll of all events with prices of each book in hundredths, or what a private source pushes about one.
#[derive(Debug, Clone)]
enum Happens {
    Poll(Vec<[(u32, u32); BOOKS.len()]>),
    Push(usize, usize, (u32, u32)),
}

fn price() -> impl Strategy<Value = u32> {
    prop_oneof![170_u32..240, 195_u32..215, 150_u32..500]
}

fn happens() -> impl Strategy<Value = Happens> {
    let poll = prop::collection::vec(prop::array::uniform4((price(), price())), 0..=EVENTS.len());
    let push = (0..OWN.len(), 0..EVENTS.len(), (price(), price()));
    prop_oneof![
        2 => poll.prop_map(Happens::Poll),
        1 => push.prop_map(|(source, event, prices)| Happens::Push(source, event, prices)),
    ]
}

fn decimal(book: &'static str, (home, away): (u32, u32)) -> Prices {
    let text = |hundredths: u32| format!("{}.{:02}", hundredths / 100, hundredths % 100);
    prices(book, &text(home), &text(away))
}

/// Quotes, and what writes them.
struct Market {
    writer: QuoteWriter,
    quotes: Arc<Quotes>,
    polls: Arc<Polls>,
    second: i64,
    sequence: i64,
}

impl Market {
    fn new(quotes: &Arc<Quotes>, polls: &Arc<Polls>) -> Self {
        let (quotes, polls) = (Arc::clone(quotes), Arc::clone(polls));
        ready(&quotes);
        Self { writer: QuoteWriter::new(), quotes, polls, second: 100, sequence: 0 }
    }

    fn take(&mut self, happens: &Happens, after: i64) {
        self.second += after;
        match happens {
            Happens::Poll(events) => {
                let of = |prices: &[(u32, u32); 4]| {
                    BOOKS.iter().zip(prices).map(|(book, prices)| decimal(book, *prices)).collect::<Vec<_>>()
                };
                let events: Vec<_> =
                    EVENTS.iter().zip(events).map(|(id, prices)| (*id, of(prices))).collect();
                let events: Vec<_> = events.iter().map(|(id, prices)| (*id, &prices[..])).collect();
                self.writer.poll(&self.quotes, self.second, &events);
                let received_at = self.second * SECOND;
                self.polls.note(0, BoardProgress { source: "s".into(), received_at });
            }
            Happens::Push(source, event, of_own) => {
                self.sequence += 1;
                let (name, book) = OWN[*source];
                let at = (self.second, self.sequence);
                let pushed = [decimal(book, *of_own)];
                self.writer.push(&self.quotes, name, at, (EVENTS[*event], &pushed));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever happens, whichever sets are watched with which filter, and at which stops they are looked at: whoever applies what is sent has what is
    /// answered to a request, private prices included; and of another source's nothing.
    #[test]
    fn a_watched_board_is_the_board_at_every_stop(
        log in prop::collection::vec((happens(), 0..9_i64, prop::bool::weighted(0.7)), 1..20),
        least in prop_oneof![Just(""), Just("min_margin=0.02"), Just("event_id=e&min_margin=-1"), Just("book=a")],
        chosen in prop::collection::btree_set(0..BOOKS.len(), 1..BOOKS.len()),
    ) {
        let (quotes, polls) = (Arc::new(Quotes::new(1, &Arc::default())), Arc::new(Polls::new(1)));
        let (mut market, filter) = (Market::new(&quotes, &polls), query(least).filter);
        let mine: Vec<_> = chosen.iter().map(|at| BOOKS[*at]).chain(["acme:own", "beta:own"]).collect();
        let sets = [
            UserBooks { total_stake: Some(77_700), ..UserBooks::default() },
            UserBooks { commissions: [("a".to_owned(), 50_000)].into(), ..only(&mine) },
            UserBooks { private: own(OWN[0].0).private, ..only(&mine) },
            UserBooks { private: own(OWN[1].0).private, ..only(&mine) },
        ];
        let look = |books: &UserBooks| Look::new(Arc::clone(&quotes), Arc::clone(&polls), books.clone());
        let mut watched: Vec<_> =
            sets.iter().map(|books| (look(books), Folded::default(), None::<Arc<WatchedBoard>>)).collect();
        for (happens, after, is_stop) in &log {
            market.take(happens, *after);
            if !is_stop {
                continue;
            }
            for (look, folded, last) in &mut watched {
                if let Looked::Changed(board) = look.next() {
                    folded.take_pieces(&match last.replace(Arc::clone(&board)) {
                        Some(since) => board.changes(&since, &filter),
                        None => board.snapshot(&filter),
                    });
                }
                let (mut asked, _) = quotes.board_of(&look.books);
                asked.retain(|entry| filter.includes_window(entry));
                folded.assert_is(&asked, &format!("{:?}", look.books));
                for (source, book) in OWN {
                    let is_there = json!(folded.0).to_string().contains(book);
                    prop_assert!(!is_there || look.books.private.as_deref() == Some(source));
                }
            }
        }
    }
}

#[test]
fn an_instance_and_an_account_watch_only_so_many_sets() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let _in = runtime.enter();
    let boards =
        Arc::new(WatchedBoards::new(&Arc::new(Quotes::new(1, &Arc::default())), &Arc::new(Polls::new(1))));
    let watch = |account: &str, books: &UserBooks| boards.watch(account, books.clone());
    let sets: Vec<_> = (0..=MAX_SETS).map(|number| only(&[&number.to_string()])).collect();
    let (first, second) = (watch("one", &sets[0]).ok().unwrap(), watch("one", &sets[1]).ok().unwrap());
    let again = watch("one", &sets[1]).ok().unwrap();
    assert!(second.feed.same_channel(&again.feed), "one set is computed once");
    assert!(watch("one", &sets[2]).is_err() && watch("two", &sets[1]).is_ok());
    let others: Vec<_> =
        (2..MAX_SETS).map(|number| watch(&number.to_string(), &sets[number]).ok().unwrap()).collect();
    assert!(watch("two", &sets[MAX_SETS]).is_err(), "the instance has as many as it may");
    assert!(watch("two", &sets[0]).is_ok(), "one that is computed already");
    drop(second);
    assert!(watch("one", &sets[2]).is_err(), "its other stream watches the set still");
    drop(again);
    assert!(watch("one", &sets[2]).is_ok());
    drop((first, others));
    assert!(boards.lock().is_empty(), "what nobody watches is forgotten");
}

#[test]
fn two_private_sources_never_share_a_board() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let _in = runtime.enter();
    let boards =
        Arc::new(WatchedBoards::new(&Arc::new(Quotes::new(1, &Arc::default())), &Arc::new(Polls::new(1))));
    let watch = |account: &str, books: UserBooks| boards.watch(account, books).ok().unwrap();
    let of_all = watch("one", UserBooks::default());
    let of_both = OWN.map(|(source, _)| watch(source, own(source)));
    let feeds: BTreeSet<_> = (0..3).collect();
    let feed =
        |at: &i32| if *at == 0 { &of_all.feed } else { &of_both[usize::try_from(*at).unwrap() - 1].feed };
    for (a, b) in feeds.iter().flat_map(|a| feeds.iter().map(move |b| (a, b))) {
        assert_eq!(feed(a).same_channel(feed(b)), a == b);
    }
}

/// A client of an app, by its body.
struct Client {
    response: Response,
    text: String,
    folded: Folded,
}

/// An app whose key is of an account with the private source `acme`.
struct Watched {
    runtime: tokio::runtime::Runtime,
    app: SharedApp,
    market: Market,
    kid: String,
    _folder: tempfile::TempDir,
}

impl Watched {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let TestApp { app, key, folder } = TestApp::new(1, 3, Duration::from_mins(10));
        let market = Market::new(&app.boards.quotes, &app.lists.polls);
        let watched =
            Self { runtime, app: Arc::new(app), market, kid: key[9..17].to_owned(), _folder: folder };
        watched.has_source(Some("acme"));
        watched
    }

    fn has_source(&self, source: Option<&str>) {
        let holder = account("acc_0000000000000001", "one@example.com");
        let holder = Account { source: source.map(Into::into), ..holder };
        self.app.authority.replica().put(Part::Account(holder));
    }

    fn open(&self, text: &str, books: &UserBooks) -> Client {
        let _in = self.runtime.enter();
        let watch = self.app.boards.watched.watch("one", books.clone()).ok().unwrap();
        let place = self.app.stream.place("one", 0).unwrap();
        let response = self.app.stream.open_board(query(text), (&self.kid, place), watch);
        Client { response, text: String::new(), folded: Folded::default() }
    }

    /// The name of the next event of a client, which it applies; none where its stream has ended.
    fn next(&self, client: &mut Client) -> Option<String> {
        while !client.text.contains("\n\n") {
            let frame = self.runtime.block_on(poll_fn(|context| {
                std::pin::Pin::new(client.response.body_mut()).poll_frame(context)
            }))?;
            client.text.push_str(std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap());
        }
        let (event, rest) = client.text.split_once("\n\n").unwrap();
        let name = client.folded.take(event);
        client.text = rest.to_owned();
        Some(name)
    }

    /// Takes events until a client has what a request is answered.
    fn until_it_is(&self, client: &mut Client, books: &UserBooks) {
        let (asked, _) = self.app.boards.quotes.board_of(books);
        let ids: BTreeSet<_> = asked.iter().map(|entry| &entry.id).collect();
        while !client.folded.0.keys().collect::<BTreeSet<_>>().eq(&ids) {
            assert_eq!(self.next(client).as_deref(), Some("board_changes"));
        }
        client.folded.assert_is(&asked, "");
    }
}

fn an_arb(of_a: (u32, u32)) -> Happens {
    Happens::Poll(vec![[of_a, (170, 220), (150, 250), (150, 250)]])
}

#[test]
fn a_client_is_sent_its_board_and_then_what_differs_until_its_key_is_revoked() {
    let mut watched = Watched::new();
    let all = own("push/acme");
    let books = UserBooks { private: all.private.clone(), ..only(&["a", "b"]) };
    watched.market.take(&an_arb((220, 170)), 0);
    let (mut mine, mut whole) = (watched.open("", &books), watched.open("min_margin=0.01", &all));
    for (client, of) in [(&mut mine, &books), (&mut whole, &all)] {
        assert_eq!(watched.next(client).as_deref(), Some("snapshot"));
        assert_eq!(client.folded.0.len(), 1);
        watched.until_it_is(client, of);
    }
    watched.market.take(&an_arb((150, 200)), 1);
    watched.until_it_is(&mut mine, &books);
    assert!(mine.folded.0.is_empty(), "it is gone");
    watched.market.take(&Happens::Push(0, 0, (400, 150)), 1);
    watched.until_it_is(&mut whole, &all);
    assert!(json!(whole.folded.0).to_string().contains("acme:own"));
    let revoked = watched.app.authority.replica();
    revoked.remove(&format!("key/{}", watched.kid));
    watched.app.streams().keys_have_changed();
    assert_eq!((watched.next(&mut whole), watched.next(&mut whole)), (Some("key_revoked".to_owned()), None));
}

#[test]
fn a_stream_with_the_prices_of_a_source_ends_where_the_account_has_another() {
    let mut watched = Watched::new();
    let all = own("push/acme");
    watched.market.take(&an_arb((220, 170)), 0);
    let mut client = watched.open("", &all);
    assert_eq!(watched.next(&mut client).as_deref(), Some("snapshot"));
    watched.has_source(Some("beta"));
    watched.market.take(&Happens::Push(0, 0, (900, 110)), 1);
    assert_eq!(watched.next(&mut client).as_deref(), Some("lagged"));
    assert_eq!(watched.next(&mut client), None);
    assert!(!json!(client.folded.0).to_string().contains("acme:own"));
}

#[test]
fn a_stream_ends_where_the_quotes_cannot_be_read_any_more_and_the_next_one_begins_anew() {
    let mut watched = Watched::new();
    watched.market.take(&an_arb((220, 170)), 0);
    let mut client = watched.open("", &UserBooks::default());
    // Its account has a private source, and it watches without: as a request before the grant.
    assert_eq!(watched.next(&mut client).as_deref(), Some("lagged"));
    watched.has_source(None);
    let mut client = watched.open("", &UserBooks::default());
    assert_eq!(watched.next(&mut client).as_deref(), Some("snapshot"));
    watched.app.boards.quotes.fail();
    assert_eq!((watched.next(&mut client).as_deref(), watched.next(&mut client)), (Some("lagged"), None));
    ready(&watched.app.boards.quotes);
    let mut again = watched.open("", &UserBooks::default());
    assert_eq!(watched.next(&mut again).as_deref(), Some("snapshot"));
}
