//! The sender over real sockets: all that is due is sent once, no more than four requests at a time, and nothing after the signal.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, channel};

use arb_accounts::directory::Part as AccountPart;
use arb_accounts::endpoint::{EndpointSettings, Policy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::*;
use crate::codec::Part;
use crate::connector::{GuardedConnector, system_resolver};
use crate::delivery::Delivery;
use crate::schedule::Lane;

const NOW: Micros = 1_000 * SECOND;
const DEVELOPMENT: Rules = Rules { is_development: true };
const DELIVERIES: usize = 40;

/// What a receiver has seen.
#[derive(Default)]
struct Seen {
    under_way: AtomicUsize,
    most: AtomicUsize,
    requests: AtomicUsize,
    connections: AtomicUsize,
}

/// A receiver that answers 204 to as many requests as there are permits; its URL.
async fn receiver(seen: &Arc<Seen>, permits: &Arc<Semaphore>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (seen, permits) = (Arc::clone(seen), Arc::clone(permits));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            seen.connections.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(respond(stream, Arc::clone(&seen), Arc::clone(&permits)));
        }
    });
    format!("http://{address}/")
}

/// Answers requests of one connection; each has a body of two bytes.
async fn respond(mut stream: TcpStream, seen: Arc<Seen>, permits: Arc<Semaphore>) {
    let mut text = Vec::new();
    while stream.read_buf(&mut text).await.is_ok_and(|read| read > 0) {
        if text.ends_with(b"\r\n\r\n{}") {
            text.clear();
            seen.requests.fetch_add(1, Ordering::Relaxed);
            let under_way = seen.under_way.fetch_add(1, Ordering::Relaxed) + 1;
            seen.most.fetch_max(under_way, Ordering::Relaxed);
            permits.acquire().await.unwrap().forget();
            seen.under_way.fetch_sub(1, Ordering::Relaxed);
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
        }
    }
}

fn endpoint(url: String) -> Endpoint {
    let settings = EndpointSettings {
        url,
        description: String::new(),
        events: vec!["arb_window".to_owned()],
        filters: String::new(),
        policy: Policy::Durable,
        is_ordered: false,
        rate_limit: None,
        is_paused: false,
    };
    Endpoint {
        id: "whk_0000000000000001".to_owned(),
        account: "acc_0000000000000001".to_owned(),
        settings,
        state: EndpointState::Active,
        reason: None,
        secret_version: 1,
        previous_until: None,
        revision: 1,
        created_at: 1,
    }
}

fn delivery(endpoint: &str, number: i64) -> Part {
    Part::Delivery(Arc::new(Delivery {
        id: format!("msg_{number:032x}"),
        endpoint: endpoint.to_owned(),
        place: (1, number),
        kind: "arb_window".to_owned(),
        subject: String::new(),
        policy: Policy::Durable,
        is_ordered: false,
        body: "{}".into(),
        body_of: None,
        created_at: 0,
        attempts: 0,
        round: 0,
        next_at: number,
        has_failed: false,
    }))
}

/// A sender to an endpoint at which much is due; its machine's part, and what it reports.
fn sender(url: String, deliveries: usize) -> (Arc<Sender>, Lane, Receiver<Report>) {
    let (reports, reported) = channel();
    let (schedule, endpoints) = (Schedule::new(|| NOW), Arc::new(Endpoints::default()));
    let (endpoint, lane) = (endpoint(url), Schedule::lane(&schedule));
    let due = (0..deliveries).map(|number| delivery(&endpoint.id, i64::try_from(number).unwrap()));
    for part in due {
        lane.update(std::iter::once((part.key().as_str(), Some(part.clone()))));
    }
    lane.timer(Some(NOW));
    endpoints.put(AccountPart::Endpoint(endpoint));
    let client = WebhookClient::new(GuardedConnector::new(DEVELOPMENT, system_resolver())).unwrap();
    let sender = Sender {
        schedule,
        endpoints,
        client,
        rules: DEVELOPMENT,
        key: WebhookKey::new(&[1; 32]),
        reports,
        clock: || NOW,
        under_way: AtomicUsize::new(0),
    };
    (Arc::new(sender), lane, reported)
}

/// Waits for so many reports: the ids of the deliveries.
async fn wait_for(reported: &Receiver<Report>, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    while ids.len() < count {
        match reported.try_recv() {
            Ok(Report::Attempt(_, attempt)) => {
                assert_eq!(attempt.outcome, "delivered", "{}", attempt.answer);
                ids.push(attempt.delivery);
            }
            Ok(report) => panic!("{report:?}"),
            Err(_) => tokio::task::yield_now().await,
        }
    }
    ids
}

/// Waits until the receiver has been sent so many requests.
async fn wait_for_requests(seen: &Seen, count: usize) {
    while seen.requests.load(Ordering::Relaxed) < count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn all_that_is_due_is_sent_once_and_no_more_than_four_at_a_time() {
    let (seen, stop, permits) = (Arc::new(Seen::default()), Stop::default(), Arc::new(Semaphore::new(1)));
    let (sender, _lane, reported) = sender(receiver(&seen, &permits).await, DELIVERIES);
    let running = tokio::spawn(Arc::clone(&sender).run(stop.clone()));
    // It has one until it has answered.
    wait_for_requests(&seen, 5).await;
    permits.add_permits(DELIVERIES);
    let ids = wait_for(&reported, DELIVERIES).await;
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), DELIVERIES);
    assert_eq!(seen.most.load(Ordering::Relaxed), 4);
    stop.stop();
    running.await.unwrap();
    assert!(reported.try_recv().is_err());
    assert_eq!(seen.requests.load(Ordering::Relaxed), DELIVERIES);
}

/// A request that begins before the connection of the one before is free again makes a new one, which is kept: they are not made again and again.
#[tokio::test]
async fn connections_are_used_again() {
    let (seen, stop, permits) = (Arc::new(Seen::default()), Stop::default(), Arc::new(Semaphore::new(1_000)));
    let (sender, _lane, reported) = sender(receiver(&seen, &permits).await, 1_000);
    let running = tokio::spawn(Arc::clone(&sender).run(stop.clone()));
    wait_for(&reported, 1_000).await;
    stop.stop();
    running.await.unwrap();
    let connections = seen.connections.load(Ordering::Relaxed);
    println!("{connections} connections");
    assert!(connections <= 16, "{connections}");
}

#[tokio::test]
async fn nothing_is_begun_after_the_shutdown_signal() {
    let (seen, stop, permits) = (Arc::new(Seen::default()), Stop::default(), Arc::new(Semaphore::new(6)));
    let (sender, _lane, reported) = sender(receiver(&seen, &permits).await, DELIVERIES);
    let running = tokio::spawn(Arc::clone(&sender).run(stop.clone()));
    wait_for(&reported, 6).await;
    wait_for_requests(&seen, 10).await;
    stop.stop();
    running.await.unwrap();
    permits.add_permits(DELIVERIES);
    // Nobody is left who could begin another one.
    while Arc::strong_count(&sender) > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(seen.requests.load(Ordering::Relaxed), 10, "the four that were under way are the last");
}
