//! Accounts over HTTP with a real Kafka, the accounts role and three instances of the API.

mod attempts;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::Agent;

use crate::support::http::{Answer, once_it_knows, request};
use crate::support::ports::port;
use crate::support::program::Role;
use crate::support::stack::Broker;
use crate::support::wait::{EndsWith, pace, wait_for};

/// From then on after its answer, a revocation counts at every instance, whatever stands still meanwhile.
const COUNTS: Duration = Duration::from_secs(1);
const PASSWORD: &str = "correct horse battery";

/// Three instances of the API and the accounts role.
struct Sites {
    owner: Role,
    instances: Vec<(Role, String)>,
    broker: Broker,
}

/// A browser that has signed in at an instance: its cookie, and its token.
struct Browser {
    url: String,
    cookie: String,
    csrf: String,
}

impl Sites {
    fn start() -> Self {
        Self::start_with(Broker::start(), &["--sign-up", "open"])
    }

    /// Instances to which those may sign up that the options say, and whose keys may ask as often as they can.
    fn start_with(broker: Broker, sign_up: &[&str]) -> Self {
        std::fs::write(broker.path("plans.json"), r#"{"free": {"per_second": 0}}"#).unwrap();
        let owner = start_owner(&broker);
        let pepper = broker.path("pepper").display().to_string();
        let instances = (0..3).map(|number| {
            let listen = format!("127.0.0.1:{}", port());
            let common = ["--listen", &listen, broker.kafka.at(), broker.kafka.named()];
            let files = ["--pepper", &pepper];
            let log = broker.path(&format!("serve-{number}.log"));
            let mut role = Role::start("serve", &[&common[..], &files, sign_up].concat(), &log);
            let url = format!("http://{listen}");
            wait_for("the API is ready", || {
                role.assert_runs();
                let ready = request("GET", &format!("{url}/readyz"), &[]);
                ready.filter(|answer| answer.status == 200)
            });
            (role, url)
        });
        let instances = instances.collect();
        Self { owner, instances, broker }
    }

    fn url(&self, instance: usize) -> &str {
        &self.instances[instance].1
    }

    fn sign_up(&self, instance: usize, email: &str) -> Answer {
        let body = json!({"email": email, "password": PASSWORD});
        post(&format!("{}/session/signup", self.url(instance)), &[], &body)
    }

    fn log_in(&self, instance: usize, email: &str) -> Browser {
        let (url, body) = (self.url(instance).to_owned(), json!({"email": email, "password": PASSWORD}));
        let answer = post(&format!("{url}/session"), &[], &body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        Browser { url, cookie, csrf: answer.json()["csrf_token"].as_str().unwrap().to_owned() }
    }

    /// Of the board at an instance, which costs one request.
    fn status(&self, instance: usize, key: &str) -> u16 {
        self.status_of("/api/v1/arbs", instance, key)
    }

    fn status_of(&self, path: &str, instance: usize, key: &str) -> u16 {
        once_it_knows(|| self.ask(path, instance, key)).unwrap().status
    }

    fn ask(&self, path: &str, instance: usize, key: &str) -> Option<Answer> {
        request("GET", &format!("{}{path}", self.url(instance)), &[("x-api-key", key)])
    }

    /// A request that is sent a second after a revocation was acknowledged is not served, whatever stands still meanwhile.
    fn assert_refused_from_now_on(&self, key: &str) {
        for instance in 0..self.instances.len() {
            assert_eq!(self.status_of("/api/v1/usage", instance, key), 401);
        }
    }
}

impl Browser {
    fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let fields = [("cookie", &*self.cookie), ("x-csrf-token", &*self.csrf)];
        send(method, &format!("{}{path}", self.url), &fields, body)
    }

    /// A key that was created, and its kid.
    fn create(&self, name: &str) -> (String, String) {
        let answer = self.send("POST", "/session/keys", &json!({"name": name}));
        assert_eq!(answer.status, 201, "{}", answer.body);
        let text = |field: &str| answer.json()[field].as_str().unwrap().to_owned();
        (text("key"), text("kid"))
    }
}

fn start_owner(broker: &Broker) -> Role {
    let mut owner =
        Role::start("accounts", &[broker.kafka.at(), broker.kafka.named()], &broker.path("accounts.log"));
    owner.wait_for_partitions();
    owner
}

fn post(url: &str, fields: &[(&str, &str)], body: &Value) -> Answer {
    send("POST", url, fields, body)
}

fn send(method: &str, url: &str, fields: &[(&str, &str)], body: &Value) -> Answer {
    let agent: Agent =
        Agent::config_builder().http_status_as_error(false).allow_non_standard_methods(true).build().into();
    let request = ureq::http::Request::builder().method(method).uri(url);
    let request = request.header("content-type", "application/json");
    let request = fields.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let mut answer = match method {
        "DELETE" => agent.run(request.body(()).unwrap()).unwrap(),
        _ => agent.run(request.body(body.to_string()).unwrap()).unwrap(),
    };
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    Answer { status, headers, body: answer.body_mut().read_to_string().unwrap() }
}

#[test]
fn a_user_signs_up_and_manages_keys_at_any_of_three_instances() {
    let mut sites = Sites::start();
    assert_eq!(sites.sign_up(0, "one@example.com").status, 201);
    let browser = sites.log_in(0, "one@example.com");
    let (key, kid) = browser.create("bot");
    for instance in 0..3 {
        wait_for("the key is known", || (sites.status(instance, &key) == 200).then_some(()));
    }
    wait_for("the requests at all instances are reported", || {
        let usage = browser.send("GET", "/session/usage", &json!({})).json();
        (usage["used"] == 3 && usage["keys"][&kid] == 3).then_some(())
    });
    let rotated =
        browser.send("POST", &format!("/session/keys/{kid}/rotate"), &json!({"grace_seconds": 600}));
    assert_eq!(rotated.status, 201, "{}", rotated.body);
    let new = rotated.json()["key"].as_str().unwrap().to_owned();
    for instance in 0..3 {
        wait_for("the new key is known", || (sites.status(instance, &new) == 200).then_some(()));
        assert_eq!(sites.status(instance, &key), 200, "the old one is in its grace period");
    }
    revoke(&sites, &browser, (&key, &kid));
    revoke_during_a_failover(&mut sites, &browser);
    a_taken_email_is_taken_everywhere(&sites);
    without_an_owner(&mut sites, &browser, &new);
}

/// The owner is killed and the key revoked before another one has taken over: what is acknowledged holds everywhere after a second.
fn revoke_during_a_failover(sites: &mut Sites, browser: &Browser) {
    let (key, kid) = browser.create("failover");
    for instance in 0..3 {
        wait_for("the key is known", || (sites.status(instance, &key) == 200).then_some(()));
    }
    sites.owner.kill();
    let path = format!("/session/keys/{kid}");
    let refused = browser.send("DELETE", &path, &json!({}));
    assert_eq!(refused.status, 503, "nobody can revoke: {}", refused.body);
    (0..3).for_each(|instance| assert_eq!(sites.status_of("/api/v1/usage", instance, &key), 200));
    let log = sites.broker.path("accounts-after.log");
    sites.owner = Role::start("accounts", &[sites.broker.kafka.at(), sites.broker.kafka.named()], &log);
    // 404 when the command that was not answered has been carried out by the new owner.
    wait_for("the key is revoked", || {
        [204, 404].contains(&browser.send("DELETE", &path, &json!({})).status).then_some(())
    });
    pace("a revocation counts everywhere after so long", COUNTS);
    sites.assert_refused_from_now_on(&key);
}

#[test]
fn an_invitation_is_good_for_one_account_at_two_instances_at_once() {
    let broker = Broker::start();
    let file = broker.path("invitations");
    std::fs::write(&file, "one-token\n").unwrap();
    let file = file.display().to_string();
    let sites = Sites::start_with(broker, &["--sign-up", "invite", "--invitations", &file]);
    let mut statuses: Vec<_> = std::thread::scope(|scope| {
        let sign_up = |instance: usize| {
            let (body, sites) = (
                json!({"email": format!("n{instance}@example.com"), "password": PASSWORD, "invitation": "one-token"}),
                &sites,
            );
            scope.spawn(move || post(&format!("{}/session/signup", sites.url(instance)), &[], &body).status)
        };
        let threads = [0, 1, 2].map(sign_up);
        threads.map(|thread| thread.join().unwrap()).to_vec()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 403, 403]);
}

/// Refused on all instances from a second after the answer on, while they serve it.
fn revoke(sites: &Sites, browser: &Browser, (key, kid): (&str, &str)) {
    let (served, is_over) = ([(); 3].map(|()| AtomicUsize::new(0)), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (served, is_over, _ends) = (&served, &is_over, EndsWith(&is_over));
        let asking: Vec<_> = (0..3)
            .map(|instance| {
                scope.spawn(move || {
                    let mut last = Instant::now();
                    while !is_over.load(Ordering::SeqCst) {
                        // When it is sent counts: an answer may be late.
                        let sent = Instant::now();
                        // Usage costs nothing, however often it is asked for.
                        match sites.ask("/api/v1/usage", instance, key).unwrap().status {
                            200 => {
                                last = sent;
                                served[instance].fetch_add(1, Ordering::SeqCst);
                            }
                            // It does not know at the moment.
                            503 => {}
                            status => {
                                assert_eq!(status, 401);
                                break;
                            }
                        }
                    }
                    last
                })
            })
            .collect();
        wait_for("all instances have served it", || {
            served.iter().all(|served| served.load(Ordering::SeqCst) > 0).then_some(())
        });
        assert_eq!(browser.send("DELETE", &format!("/session/keys/{kid}"), &json!({})).status, 204);
        let revoked = Instant::now();
        for thread in asking {
            let late = thread.join().unwrap().saturating_duration_since(revoked);
            println!("last served what was sent {late:?} after the revocation");
            assert!(late < COUNTS, "{late:?}");
        }
    });
    sites.assert_refused_from_now_on(key);
}

fn a_taken_email_is_taken_everywhere(sites: &Sites) {
    let mut statuses: Vec<_> = std::thread::scope(|scope| {
        let sign_up = |instance| scope.spawn(move || sites.sign_up(instance, "two@example.com").status);
        let threads = [sign_up(1), sign_up(2)];
        threads.map(|thread| thread.join().unwrap()).to_vec()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
}

/// While nobody owns the accounts nothing is changed, and what costs nothing is read.
fn without_an_owner(sites: &mut Sites, browser: &Browser, key: &str) {
    sites.owner.kill();
    let refused = browser.send("POST", "/session/keys", &json!({"name": "late"}));
    assert_eq!(
        (refused.status, refused.json()["type"].as_str()),
        (503, Some("/problems/accounts-unavailable"))
    );
    for instance in 0..3 {
        assert_eq!(sites.status_of("/api/v1/usage", instance, key), 200);
    }
    assert_eq!(browser.send("GET", "/session/keys", &json!({})).status, 200);
    sites.owner = start_owner(&sites.broker);
    wait_for("the command is carried out after all", || {
        let keys = browser.send("GET", "/session/keys", &json!({})).json();
        keys["keys"].as_array().unwrap().iter().any(|key| key["name"] == "late").then_some(())
    });
}
