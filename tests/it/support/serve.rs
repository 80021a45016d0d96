//! API instances of a test's own, one after the other or side by side, with settings that make their limits small.

pub(crate) use super::accounts::Key;
use super::http::{Answer, once_it_knows, request};
use super::ports::port;
use super::program::Role;
use super::sse::Sse;
use super::stack::Broker;
use super::wait_for;

/// An instance.
pub(crate) struct Serve {
    pub(crate) role: Role,
    pub(crate) listen: String,
    key: String,
}

impl Serve {
    /// Starts one, with heartbeats that tests need not wait for, and waits until it is ready.
    pub(crate) fn start(broker: &Broker, key: &Key, name: &str, arguments: &[&str]) -> Self {
        let mut serve = Self::launch(broker, key, name, arguments);
        wait_for("the feed is ready", || serve.is_ready().then_some(()));
        serve
    }

    /// Starts one.
    pub(crate) fn launch(broker: &Broker, key: &Key, name: &str, arguments: &[&str]) -> Self {
        Self::launch_at(&format!("127.0.0.1:{}", port()), broker, key, name, arguments)
    }

    /// The same at an address, where an instance was that has ended.
    pub(crate) fn launch_at(
        listen: &str,
        broker: &Broker,
        key: &Key,
        name: &str,
        arguments: &[&str],
    ) -> Self {
        let pepper = key.pepper.display().to_string();
        let common = ["--listen", listen, "--pepper", &pepper, broker.kafka.at(), broker.kafka.named()];
        let all = [&common[..], &["--heartbeat-ms", "200"], arguments].concat();
        let role = Role::start("serve", &all, &broker.path(&format!("{name}.log")));
        Self { role, listen: listen.to_owned(), key: key.text.clone() }
    }

    /// Whether it answers, and has read everything.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.role.assert_runs();
        let answer = request("GET", &format!("http://{}/readyz", self.listen), &[]);
        answer.is_some_and(|answer| answer.status == 200)
    }

    /// Any request without a body; it is sent again while the instance does not know its accounts.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let url = format!("http://{}{path}", self.listen);
        once_it_knows(|| request(method, &url, headers)).unwrap()
    }

    /// `GET` on the surface of the path, with the key.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let bearer = format!("Bearer {}", self.key);
        let header =
            if path.starts_with("/api/") { ("x-api-key", &*self.key) } else { ("authorization", &*bearer) };
        self.ask("GET", path, &[header])
    }

    /// A stream on the first surface, after an event where one is named.
    pub(crate) fn stream(&self, query: &str, last: Option<&str>) -> Sse {
        let bearer = format!("Bearer {}", self.key);
        let mut headers = vec![("authorization", &*bearer)];
        headers.extend(last.map(|last| ("last-event-id", last)));
        let path = format!("/v1/stream?{query}");
        let mut stream = Sse::connect(&self.listen, &path, &headers);
        // A connection that breaks before its first event must not reset the client's position.
        stream.last_id = last.map(str::to_owned);
        assert_eq!(stream.status, 200, "{:?}", stream.head);
        stream
    }
}
