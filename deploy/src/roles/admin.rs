//! The admin listener of a role: `/metrics`, `/livez` and `/readyz`, apart from the API and without a key.
//!
//! On loopback by default. A dedicated thread observes the role every second. It never blocks the role, and
//! never ends it: after it listens, an error of this server has no effect on the role.

mod machine;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context;
use arb_api::http::server::{self, Caps, Limits};
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::{self, Role, Scrape};
use tokio::net::TcpListener;
use tokio::time::{MissedTickBehavior, interval};
use warp::Filter;
use warp::filters::BoxedFilter;
use warp::http::header::CONTENT_TYPE;
use warp::http::{HeaderValue, StatusCode};
use warp::path::FullPath;
use warp::reply::Response;

use crate::cli::{self, AdminListen, FIRST_ADMIN_PORT};

/// The roles in the order of their ports.
pub(crate) const ROLES: [Role; 8] = [
    Role::Ingest,
    Role::Process,
    Role::Serve,
    Role::Sink,
    Role::Accounts,
    Role::Deliver,
    Role::Settle,
    Role::Bots,
];
/// How often the role is looked at, and samples are sorted.
const POLL: Duration = Duration::from_secs(1);
/// Scrapers are few.
const LIMITS: Limits = Limits::new(Caps::equal(16), Duration::from_secs(10));
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// How a role is, seen from outside.
pub trait Vitals: Send + Sync {
    /// Whether what it is made of moves; it looks at nothing outside the process.
    fn is_alive(&self) -> bool {
        true
    }

    /// Why it does not do its work, in a sentence without a full stop; `None` when it does.
    fn problem(&self) -> Option<String>;

    /// Reports the values that have to be polled: ages, sizes, lag.
    fn inspect(&self);
}

/// A role's listener, or none.
pub struct Admin(Option<Arc<Shared>>);

struct Shared {
    scrape: Scrape,
    vitals: OnceLock<Box<dyn Vitals>>,
}

/// The address of a role's listener on this machine, when the first role's port is this; 0 is any free one.
pub(crate) fn address(first: u16, role: Role) -> SocketAddr {
    let place = ROLES.iter().position(|other| *other == role).unwrap_or(0);
    let port = if first == 0 { 0 } else { first.saturating_add(u16::try_from(place).unwrap_or(0)) };
    (Ipv4Addr::LOCALHOST, port).into()
}

impl Admin {
    /// Begins to keep what the role reports, and listens. To be called before the role reports anything.
    ///
    /// # Errors
    /// When the address cannot be listened on: one sentence.
    pub fn start((config, child): (cli::AdminOptions, cli::Child), role: Role) -> anyhow::Result<Self> {
        let address = match config.admin_listen {
            Some(AdminListen::Off) => return Ok(Self(None)),
            Some(AdminListen::At(address)) => address,
            None => address(FIRST_ADMIN_PORT, role),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(async { server::listen(address) }).with_context(|| {
            // Under `arb up` its option is another one.
            let option = if child.child { "--admin-port" } else { "--admin-listen, or off" };
            format!("{address} cannot be listened on for metrics: choose another with {option}")
        })?;
        let scrape = telemetry::install(role, env!("CARGO_PKG_VERSION"))?;
        begin(role);
        tracing::info!(admin = %listener.local_addr()?, "serving metrics, /livez and /readyz");
        let shared = Arc::new(Shared { scrape, vitals: OnceLock::new() });
        let served = Arc::clone(&shared);
        std::thread::Builder::new().name("admin".to_owned()).spawn(move || {
            runtime.block_on(serve(listener, served));
        })?;
        Ok(Self(Some(shared)))
    }

    /// Shows how the role is, from now on. Until then it is alive and not ready.
    pub(crate) fn show(&self, vitals: impl Vitals + 'static) {
        if let Self(Some(shared)) = self {
            let _ = shared.vitals.set(Box::new(vitals));
        }
    }
}

/// Begins to keep what the role alone reports.
fn begin(role: Role) {
    match role {
        Role::Ingest => arb_ingest::telemetry::begin(),
        Role::Process => arb_process::telemetry::begin(),
        Role::Accounts => arb_accounts::telemetry::begin(),
        Role::Serve => arb_api::telemetry::begin(),
        Role::Sink => arb_sink::telemetry::begin(),
        Role::Deliver => arb_deliver::telemetry::begin(),
        Role::Bots => arb_bots::telemetry::begin(),
        Role::Every | Role::Pump | Role::Settle => {}
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    tokio::spawn(keep(Arc::clone(&shared)));
    // It runs as long as the process: also while the role ends.
    server::serve_routes(listener, routes(shared), LIMITS, &Stop::default()).await;
}

/// Looks at the role again and again.
async fn keep(shared: Arc<Shared>) {
    let mut ticks = interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut machine = machine::Machine::default();
    loop {
        ticks.tick().await;
        machine.inspect();
        if let Some(vitals) = shared.vitals.get() {
            vitals.inspect();
        }
        shared.scrape.upkeep();
    }
}

fn routes(shared: Arc<Shared>) -> BoxedFilter<(Response,)> {
    warp::path::full().map(move |path: FullPath| respond(&shared, path.as_str())).boxed()
}

fn respond(shared: &Shared, path: &str) -> Response {
    let vitals = shared.vitals.get();
    let judged = |well: &str, ill: Option<String>| match ill {
        None => (StatusCode::OK, format!("{well}\n")),
        Some(ill) => (StatusCode::SERVICE_UNAVAILABLE, format!("{ill}\n")),
    };
    let starts = || Some("it starts".to_owned());
    let (status, text) = match path {
        "/metrics" => (StatusCode::OK, shared.scrape.text()),
        "/livez" => {
            let is_alive = vitals.is_none_or(|vitals| vitals.is_alive());
            judged("live", (!is_alive).then(|| "stuck".to_owned()))
        }
        "/readyz" => {
            let problem = vitals.map_or_else(starts, |vitals| vitals.problem());
            judged("ready", problem.map(|problem| format!("not ready: {problem}")))
        }
        _ => (StatusCode::NOT_FOUND, "there are /metrics, /livez and /readyz\n".to_owned()),
    };
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TEXT));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_a_port_and_any_free_one_is_one_for_all() {
        let ports = |first| ROLES.map(|role| address(first, role).port());
        assert_eq!(ports(FIRST_ADMIN_PORT), [9101, 9102, 9103, 9104, 9105, 9106, 9107, 9108]);
        assert_eq!(ports(0), [0; 8]);
    }

    #[test]
    fn a_listener_is_an_address_or_off() {
        assert_eq!("off".parse(), Ok(AdminListen::Off));
        assert_eq!("127.0.0.1:0".parse(), Ok(AdminListen::At(address(0, Role::Serve))));
        assert!("9102".parse::<AdminListen>().is_err());
    }
}
