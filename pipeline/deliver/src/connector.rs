//! Connections to receivers: a name is resolved here, and what is connected to is one of the addresses that were checked. A name that
//! resolves to another address at the next look gains nothing.
//!
//! It never uses a proxy, and never connects to an address that the rules refuse.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use arb_feed::webhook::address::{Rules, is_public};
use hyper::Uri;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tower_service::Service;

/// How long a name may take to resolve, and a connection to be made.
const RESOLVE: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(5);
/// How long the addresses of a name are remembered, and of how many names.
const REMEMBERED: Duration = Duration::from_secs(30);
const NAMES: usize = 10_000;
/// The words of the error when there is no address that may be connected to: the same whether the name is unknown, has no address or one that is
/// refused, and for every failure at an address of this machine, so that nobody learns from them which internal names and ports exist.
pub const REFUSED: &str = "the host has no public address that answers";

/// Resolves a name.
pub type Resolve =
    dyn Fn(String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> + Send + Sync;

/// By the system's resolver.
#[must_use]
pub fn system_resolver() -> Arc<Resolve> {
    Arc::new(|host| {
        Box::pin(async move { Ok(lookup_host((host, 0)).await?.map(|address| address.ip()).collect()) })
    })
}

/// Addresses by name, and when they were resolved.
type KnownNames = HashMap<String, (Instant, Vec<IpAddr>)>;

/// Makes connections.
#[derive(Clone)]
pub struct GuardedConnector {
    rules: Rules,
    resolve: Arc<Resolve>,
    names: Arc<Mutex<KnownNames>>,
}

impl GuardedConnector {
    /// By these rules.
    #[must_use]
    pub fn new(rules: Rules, resolve: Arc<Resolve>) -> Self {
        Self { rules, resolve, names: Arc::default() }
    }

    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse() {
            return Ok(vec![address]);
        }
        if let Some(known) = self.remembered(host) {
            return Ok(known);
        }
        let found = timeout(RESOLVE, (self.resolve)(host.to_owned())).await;
        let found = found.map_err(|_| refused())?.map_err(|_| refused())?;
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= NAMES {
            names.clear();
        }
        names.insert(host.to_owned(), (Instant::now(), found.clone()));
        Ok(found)
    }

    fn remembered(&self, host: &str) -> Option<Vec<IpAddr>> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let known = names.get(host).filter(|(at, _)| at.elapsed() < REMEMBERED);
        known.map(|(_, addresses)| addresses.clone())
    }

    async fn connect(self, uri: Uri) -> io::Result<TokioIo<TcpStream>> {
        let host = uri.host().ok_or_else(|| io::Error::other("the URL has no host"))?;
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("http") { 80 } else { 443 });
        let mut error = refused();
        for address in self.addresses(host).await? {
            if !self.rules.allows(address) {
                error = refused();
                continue;
            }
            match timeout(CONNECT, TcpStream::connect(SocketAddr::from((address, port)))).await {
                Ok(Ok(stream)) => {
                    stream.set_nodelay(true)?;
                    return Ok(TokioIo::new(stream));
                }
                _ if !is_public(address) => error = refused(),
                Ok(Err(failed)) => error = failed,
                Err(_) => error = io::Error::new(io::ErrorKind::TimedOut, "no connection within 5 s"),
            }
        }
        Err(error)
    }
}

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, REFUSED)
}

impl Service<Uri> for GuardedConnector {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<TcpStream>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A resolver that answers a public address first, and loopback from then on.
    fn rebinding(calls: &Arc<AtomicUsize>) -> Arc<Resolve> {
        let calls = Arc::clone(calls);
        Arc::new(move |_| {
            let first = calls.fetch_add(1, Ordering::Relaxed) == 0;
            let address: [u8; 4] = if first { [192, 0, 2, 1] } else { [127, 0, 0, 1] };
            Box::pin(async move { Ok(vec![IpAddr::from(address)]) })
        })
    }

    #[tokio::test]
    async fn whatever_a_name_resolves_to_is_checked_when_it_is_connected_to() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri: Uri =
            format!("https://rebinding.example:{}/", listener.local_addr().unwrap().port()).parse().unwrap();
        for _ in 0..2 {
            let calls = Arc::new(AtomicUsize::new(1));
            let connector = GuardedConnector::new(Rules::default(), rebinding(&calls));
            let error = connector.connect(uri.clone()).await.unwrap_err();
            assert_eq!(error.to_string(), REFUSED);
        }
        let calls = Arc::new(AtomicUsize::new(1));
        let connector = GuardedConnector::new(Rules { is_development: true }, rebinding(&calls));
        assert!(connector.clone().connect(uri.clone()).await.is_ok());
        assert!(connector.connect(uri).await.is_ok());
        assert_eq!(calls.load(Ordering::Relaxed), 2, "the second connection uses what is remembered");
    }

    #[tokio::test]
    async fn an_address_in_the_url_is_checked_too() {
        let connector = GuardedConnector::new(Rules::default(), system_resolver());
        for url in ["http://127.0.0.1:1/", "http://[::1]:1/", "http://169.254.169.254/"] {
            let error = connector.clone().connect(url.parse().unwrap()).await.unwrap_err();
            assert_eq!(error.to_string(), REFUSED, "{url}");
        }
    }

    /// What a name resolves to: an error, nothing, an internal address.
    fn resolving(found: Option<Vec<IpAddr>>) -> Arc<Resolve> {
        Arc::new(move |_| {
            let found = found.clone().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such name"));
            Box::pin(async move { found })
        })
    }

    #[tokio::test]
    async fn errors_do_not_tell_which_internal_names_and_ports_exist() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let closed = listener.local_addr().unwrap().port();
        drop(listener);
        let internal = |address: [u8; 4]| Some(vec![IpAddr::from(address)]);
        let cases = [
            (None, false),
            (Some(Vec::new()), false),
            (internal([10, 0, 0, 1]), false),
            (internal([10, 0, 0, 1]), true),
            (None, true),
            (internal([127, 0, 0, 1]), true),
        ];
        for (found, is_development) in cases {
            let connector = GuardedConnector::new(Rules { is_development }, resolving(found.clone()));
            let uri: Uri = format!("https://db.internal.example:{closed}/").parse().unwrap();
            let error = connector.connect(uri).await.unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string()),
                (io::ErrorKind::PermissionDenied, REFUSED.to_owned()),
                "{found:?}"
            );
        }
    }
}
