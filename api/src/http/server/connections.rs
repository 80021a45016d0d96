//! The open connections: the policy of `admission` behind a lock, and the state of each connection.
//!
//! The lock is taken when a connection begins, when it is first read from, at its first request with or
//! without a key, and when it ends: never by a further request with the same key. It never looks at the
//! content of a request.

use std::cell::Cell;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use crate::telemetry;
use tokio::sync::{Notify, oneshot};
use warp::http::HeaderMap;

use super::address::{self, Proxies};
use super::admission::{Admission, Caps, Evicted, Kid, Reason};
use crate::http::problem::Problem;

tokio::task_local! {
    /// The connection that this task serves.
    static CONNECTION: Admitted;
}

/// By what a connection is closed: it is dropped.
type Closer = oneshot::Sender<()>;

/// All of a listener.
#[derive(Debug)]
pub(super) struct Connections {
    admission: Mutex<Admission<Closer>>,
    proxies: Proxies,
    /// A connection has ended, or can be closed.
    room: Notify,
}

/// An open connection; it is counted as closed when this is dropped.
#[derive(Debug)]
pub(super) struct Admitted {
    id: u64,
    peer: IpAddr,
    is_of_proxy: bool,
    credential: Cell<Credential>,
    connections: Arc<Connections>,
}

/// The state of a connection in the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Credential {
    Nothing,
    NoKey,
    Key(Kid),
}

impl Connections {
    pub(super) fn new(caps: Caps, proxies: Proxies) -> Arc<Self> {
        let admission = Mutex::new(Admission::new(caps));
        Arc::new(Self { admission, proxies, room: Notify::new() })
    }

    /// Admits a connection, as soon as there is room.
    pub(super) async fn admit(self: &Arc<Self>, peer: IpAddr) -> Admitted {
        let address = self.proxies.of_connection(peer);
        loop {
            let opened = self.lock().open(address);
            if let Ok((id, evicted)) = opened {
                close(evicted);
                let (credential, connections) = (Cell::new(Credential::Nothing), Arc::clone(self));
                return Admitted { id, peer, is_of_proxy: address.is_none(), credential, connections };
            }
            self.room.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Admission<Closer>> {
        self.admission.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a connection, outside the lock.
fn close(evicted: Evicted<Closer>) {
    if let Some((closer, reason)) = evicted {
        drop(closer);
        telemetry::connection_evicted(match reason {
            Reason::Address => "address",
            Reason::Keyless => "keyless",
            Reason::Full => "full",
        });
    }
}

impl Admitted {
    /// Serves the connection by this.
    pub(super) async fn serve(self, serving: impl Future<Output = ()>) {
        CONNECTION.scope(self, serving).await;
    }

    fn note(&self, key: Option<(&str, u32)>, headers: &HeaderMap) -> Result<(), Problem> {
        if let Some((kid, most)) = key {
            return self.with_key(kid.as_bytes().try_into().unwrap_or_default(), most);
        }
        self.without_key(headers);
        Ok(())
    }

    fn with_key(&self, kid: Kid, most: u32) -> Result<(), Problem> {
        if self.credential.get() == Credential::Key(kid) {
            return Ok(());
        }
        if self.connections.lock().asked_with_key(self.id, (kid, most)).is_err() {
            return Err(Problem::too_many_connections());
        }
        self.credential.set(Credential::Key(kid));
        Ok(())
    }

    fn without_key(&self, headers: &HeaderMap) {
        let is_known = self.credential.get() != Credential::Nothing;
        if is_known && !(self.is_of_proxy && self.credential.get() == Credential::NoKey) {
            return;
        }
        let through = self.is_of_proxy.then(|| self.connections.proxies.of_request(headers)).flatten();
        let evicted = self.connections.lock().asked_without_key(self.id, through);
        close(evicted);
        self.credential.set(Credential::NoKey);
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.connections.lock().close(self.id);
        self.connections.room.notify_one();
    }
}

/// Does the work of this task's connection to its end, or until the connection is closed for another, which drops the work. It can
/// be closed as soon as it has been read from, in the middle of a TLS handshake too.
pub(super) async fn until_closed(work: impl Future<Output = ()>) {
    let (closer, mut is_closed) = oneshot::channel();
    let (mut work, mut closer) = (pin!(work), Some(closer));
    poll_fn(|context| {
        if work.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        if let Some(closer) = closer.take() {
            has_been_read(closer);
        }
        Pin::new(&mut is_closed).poll(context).map(drop)
    })
    .await;
}

/// Notes that the connection of this task has been read from: by this it can be closed.
fn has_been_read(closer: Closer) {
    let _ = CONNECTION.try_with(|admitted| {
        let evicted = admitted.connections.lock().read(admitted.id, closer);
        close(evicted);
        admitted.connections.room.notify_one();
    });
}

/// The address from which a request of this task's connection comes: what a proxy that is named states, else the connection's own.
/// `None` outside a connection, and for a request through a proxy that does not say.
pub(crate) fn client_address(headers: &HeaderMap) -> Option<IpAddr> {
    CONNECTION.try_with(|admitted| admitted.connections.proxies.client(admitted.peer, headers)).ok().flatten()
}

/// The same as attempts are counted: the address (of IPv6 a /64), and the network that it is in (a /24, of IPv6 a /48).
pub(crate) fn client_origin(headers: &HeaderMap) -> Option<(IpAddr, IpAddr)> {
    client_address(headers).map(|client| (address::block(client), address::network(client)))
}

/// Notes the key of a request of this task's connection, and how many connections its plan allows (0: any number), or that it has
/// no key.
///
/// # Errors
/// 429 when the key holds as many connections as it may.
pub(crate) fn note(key: Option<(&str, u32)>, headers: &HeaderMap) -> Result<(), Problem> {
    CONNECTION.try_with(|admitted| admitted.note(key, headers)).unwrap_or(Ok(()))
}
