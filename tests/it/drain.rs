//! An instance that ends under load loses no request: clients keep their connections, a load balancer follows `/readyz`, and nothing is
//! sent again.

use std::io::{BufRead, BufReader, Error, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::support::feed::{Writer, opened};
use crate::support::http::{is_for_later, request};
use crate::support::metrics::Admin;
use crate::support::serve::{Key, Serve};
use crate::support::sse::Sse;
use crate::support::stack::Broker;
use crate::support::wait::{EndsWith, pace, wait_for};

const CLIENTS: usize = 300;
const STREAMS: usize = 20;
/// For how long the first instance lets clients leave: also on a machine that stands still for seconds.
const DRAIN: &str = "15000";
/// How often the load balancer asks.
const POLL: Duration = Duration::from_millis(50);
/// Between two requests of a client: what all of them ask leaves a slow machine the time to know its accounts.
const PAUSE: Duration = Duration::from_millis(200);
/// Answers that each client has before the end begins, and after it.
const ANSWERS: u64 = 5;

/// Sends everything to the first instance while that is ready, then to the second; not before a client has been answered that its
/// connection ends, since balancers are slower than this one.
struct Balancer {
    instances: [String; 2],
    is_first_ready: AtomicBool,
    /// Answers of 503, by which it learnt that the first one ends.
    told: AtomicU64,
    /// Answers that ended their connection.
    ended: AtomicU64,
    is_over: AtomicBool,
}

impl Balancer {
    fn target(&self) -> &str {
        &self.instances[usize::from(!self.is_first_ready.load(Ordering::SeqCst))]
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    fn follow(&self) {
        while !self.is_over() {
            let answer = request("GET", &format!("http://{}/readyz", self.instances[0]), &[]);
            let is_ready = answer.as_ref().is_some_and(|answer| answer.status == 200);
            self.told
                .fetch_add(u64::from(answer.is_some_and(|answer| answer.status == 503)), Ordering::SeqCst);
            if is_ready || self.ended.load(Ordering::SeqCst) > 0 {
                self.is_first_ready.store(is_ready, Ordering::SeqCst);
            }
            pace("between two questions of the load balancer", POLL);
        }
    }
}

/// A connection that is kept.
struct Kept {
    address: String,
    stream: BufReader<TcpStream>,
}

impl Kept {
    fn open(address: &str) -> Result<Self, Error> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        Ok(Self { address: address.to_owned(), stream: BufReader::new(stream) })
    }

    /// Sends a request, and reads all of its answer.
    fn ask(&mut self, request: &str) -> Result<Answered, Error> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut head, mut line) = (String::new(), String::new());
        while line != "\r\n" {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(Error::other(format!("closed after {head:?}")));
            }
            head += &line.to_lowercase();
        }
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let length = field("content-length").and_then(|length| length.parse().ok());
        let length = length.ok_or_else(|| Error::other(format!("no length: {head}")))?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| Error::other(head.clone()))?;
        let is_for_later = status == 503 && is_for_later(&String::from_utf8_lossy(&body));
        Ok(Answered { status, is_for_later, is_last: field("connection") == Some("close") })
    }
}

/// An answer that was read to its end.
struct Answered {
    status: u16,
    /// The instance does not know its accounts at the moment.
    is_for_later: bool,
    /// The server ends the connection with it.
    is_last: bool,
}

/// What became of a client's requests.
#[derive(Default)]
struct Tally {
    /// By the instance that answered.
    answered: [AtomicU64; 2],
}

/// Asks until it is over; what failed. Nothing is sent twice, but what an instance that does not end answered to ask for later.
fn ask_on(balancer: &Balancer, key: &str, is_post: bool, tally: &Tally) -> Vec<String> {
    let (line, body, expected) =
        if is_post { ("POST /v1/arbs/none/hedge", "{}", 400) } else { ("GET /v1/arbs?limit=1", "", 200) };
    let request = format!(
        "{line} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let (mut failed, mut kept) = (Vec::new(), None::<Kept>);
    while !balancer.is_over() {
        let target = balancer.target();
        let open = kept.take().filter(|kept| kept.address == target).map_or_else(|| Kept::open(target), Ok);
        match open.and_then(|mut open| Ok((open.ask(&request)?, open))) {
            Ok((answer, open)) => {
                let instance = usize::from(target == balancer.instances[1]);
                let is_ending = instance == 0 && balancer.told.load(Ordering::SeqCst) > 0;
                if answer.status == expected {
                    tally.answered[instance].fetch_add(1, Ordering::SeqCst);
                } else if is_ending || !answer.is_for_later {
                    failed.push(format!("{target}: {}", answer.status));
                }
                balancer.ended.fetch_add(u64::from(answer.is_last), Ordering::SeqCst);
                kept = (!answer.is_last).then_some(open);
            }
            Err(error) => failed.push(format!("{target}: {error}")),
        }
        pace("between two requests of a client", PAUSE);
    }
    failed
}

/// The name of the last event of a stream.
fn last_event(stream: &mut Sse) -> String {
    std::iter::from_fn(|| stream.next()).last().map(|event| event.name).unwrap_or_default()
}

#[test]
fn an_instance_that_ends_under_load_loses_no_request() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let mut first = Serve::start(&broker, &key, "first", &["--drain-ms", DRAIN]);
    let second = Serve::start(&broker, &key, "second", &[]);
    // Both have leased quota before hundreds of clients wait for it.
    for serve in [&first, &second] {
        assert_eq!(serve.get("/v1/arbs?limit=1").status, 200);
    }
    let mut streams: Vec<_> = (0..STREAMS).map(|_| first.stream("", None)).collect();
    let balancer = Balancer {
        instances: [first.listen.clone(), second.listen.clone()],
        is_first_ready: AtomicBool::new(true),
        told: AtomicU64::new(0),
        ended: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
    };
    let tallies: Vec<_> = (0..CLIENTS).map(|_| Tally::default()).collect();
    let have_all = |instance: usize, count: u64| {
        tallies.iter().all(|tally| tally.answered[instance].load(Ordering::SeqCst) >= count)
    };
    let failed: Vec<_> = thread::scope(|scope| {
        let (balancer, key) = (&balancer, &*key.text);
        let over = EndsWith(&balancer.is_over);
        scope.spawn(|| balancer.follow());
        let clients: Vec<_> = tallies
            .iter()
            .enumerate()
            .map(|(number, tally)| scope.spawn(move || ask_on(balancer, key, number % 2 == 1, tally)))
            .collect();
        let ends: Vec<_> = streams.iter_mut().map(|stream| scope.spawn(move || last_event(stream))).collect();
        wait_for("each client has answers of the first instance", || have_all(0, ANSWERS).then_some(()));
        first.role.signal(Signal::TERM);
        let admin = Admin::of(&broker.path("first.log"));
        wait_for("its admin listener is not ready either", || {
            (admin.try_get("/readyz")?.status == 503).then_some(())
        });
        wait_for("it has ended", || first.role.died().then_some(()));
        wait_for("each client has answers of the second instance", || have_all(1, ANSWERS).then_some(()));
        drop(over);
        for end in ends {
            assert_eq!(end.join().unwrap(), "server_restart");
        }
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let sum = |of: fn(&Tally) -> &AtomicU64| -> u64 {
        tallies.iter().map(|tally| of(tally).load(Ordering::SeqCst)).sum()
    };
    let (by_first, by_second) = (sum(|tally| &tally.answered[0]), sum(|tally| &tally.answered[1]));
    let ended = balancer.ended.load(Ordering::SeqCst);
    println!(
        "{by_first} answers of the first instance, {by_second} of the second, {ended} ended their connection"
    );
    assert!(failed.is_empty(), "{} failed: {:?}", failed.len(), &failed[..failed.len().min(5)]);
    assert!(ended > 0 && balancer.told.load(Ordering::SeqCst) > 0);
    assert!(!first.role.has_logged("cut off"), "a request was cut off");
    // What comes later reaches the streams at the other instance, after the last event that they had.
    Writer::new(&broker.kafka).write(0, &[opened("w", "soccer_test", 1)]);
    for stream in &streams {
        let mut resumed = second.stream("", stream.last_id.as_deref());
        assert_eq!(resumed.next_event().unwrap().name, "arb_window");
    }
}

/// Less than a group's session as clients of Kafka have it by themselves, 45 s, for which the client of a commit would wait.
const GONE: Duration = Duration::from_secs(40);

#[test]
fn an_instance_ends_soon_where_kafka_is_gone() {
    let broker = Broker::own();
    let key = Key::new(&broker, "enterprise");
    let mut serve = Serve::start(&broker, &key, "serve", &[]);
    broker.kill();
    let begun = Instant::now();
    serve.role.signal(Signal::TERM);
    wait_for("it has ended", || serve.role.died().then_some(()));
    assert!(begun.elapsed() < GONE, "{:?}", begun.elapsed());
}
