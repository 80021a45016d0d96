//! The API by TLS. Python's `ssl` is the client: what works without TLS works with it, and a certificate is replaced while a stream
//! is open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::certificates::{Authority, Signed};
use super::text;
use crate::support::feed::{Writer, opened};
use crate::support::metrics::Admin;
use crate::support::ports::port;
use crate::support::program::{Role, arb, run};
use crate::support::scratch::Scratch;
use crate::support::stack::Broker;
use crate::support::{python, wait_for};

/// Sends requests, one a line, each over a connection of its own; prints each answer with what was agreed on. A request for a stream
/// prints the names of its events, after the answer's head.
const CLIENT: &str = r#"
import http.client, json, ssl, sys
ca, port = sys.argv[1:3]
context = ssl.create_default_context(cafile=ca)
context.set_alpn_protocols(["http/1.1"])
for line in sys.stdin:
    asked = json.loads(line)
    context.maximum_version = getattr(ssl.TLSVersion, asked.get("version", "TLSv1_3"))
    connection = http.client.HTTPSConnection("127.0.0.1", int(port), context=context, timeout=180)
    body = asked.get("body")
    headers = {**asked.get("headers", {}), **({"content-type": "application/json"} if body else {})}
    connection.request(asked.get("method", "GET"), asked["path"], json.dumps(body) if body else None, headers)
    socket = connection.sock
    names = dict(pair for pairs in socket.getpeercert()["subject"] for pair in pairs)
    answer = connection.getresponse()
    shown = {"status": answer.status, "headers": {name.lower(): value for name, value in answer.getheaders()},
             "cookies": answer.headers.get_all("set-cookie", []),
             "version": socket.version(), "alpn": socket.selected_alpn_protocol(), "certificate": names["commonName"]}
    if answer.getheader("content-type") != "text/event-stream":
        shown["body"] = answer.read().decode()
    print(json.dumps(shown), flush=True)
    if "body" not in shown:
        for line in answer:
            if line.startswith(b"event: "): print(json.dumps(line[7:].decode().strip()), flush=True)
        print("null", flush=True)
"#;

/// An instance that listens by TLS, with its accounts.
struct SecureApi {
    serve: Role,
    accounts: Role,
    port: u16,
    authority: Authority,
    certificate: PathBuf,
    key: PathBuf,
    broker: Broker,
}

/// A process of Python, and what it prints.
struct PythonClient {
    python: Child,
    lines: Receiver<Value>,
}

impl PythonClient {
    /// The answer to a request; it is sent again while the instance cannot answer it yet.
    fn ask(&mut self, request: &Value) -> Value {
        wait_for("the instance can answer", || {
            writeln!(self.python.stdin.as_mut().unwrap(), "{request}").unwrap();
            Some(self.next()).filter(|answer| answer["status"] != 503)
        })
    }

    fn next(&self) -> Value {
        self.lines.recv_timeout(Duration::from_mins(3)).expect("Python prints something")
    }
}

impl Drop for PythonClient {
    fn drop(&mut self) {
        let _ = self.python.kill();
        let _ = self.python.wait();
    }
}

/// Puts a certificate and its key where an instance reads them, one after the other as a person would.
fn put(signed: &Signed, certificate: &Path, key: &Path) {
    for (from, to) in [(&signed.certificate, certificate), (&signed.key, key)] {
        let new = to.with_extension("new");
        std::fs::copy(from, &new).unwrap();
        std::fs::rename(new, to).unwrap();
    }
}

impl SecureApi {
    fn start() -> Self {
        let broker = Broker::start();
        let authority = Authority::new(broker.scratch.path(), "ca");
        let (certificate, key) = (broker.path("api.crt"), broker.path("api.key"));
        put(&authority.sign("first"), &certificate, &key);
        let accounts =
            Role::start("accounts", &[broker.kafka.at(), broker.kafka.named()], &broker.path("accounts.log"));
        let (port, pepper) = (port(), broker.path("pepper").display().to_string());
        let listen = format!("127.0.0.1:{port}");
        let common = ["--listen", &listen, broker.kafka.at(), broker.kafka.named(), "--pepper", &pepper];
        let files = ["--tls-certificate", text(&certificate), "--tls-key", text(&key)];
        let more = ["--sign-up", "open", "--heartbeat-ms", "200"];
        let serve = Role::start("serve", &[&common[..], &files, &more].concat(), &broker.path("serve.log"));
        let mut api = Self { serve, accounts, port, authority, certificate, key, broker };
        // What it is asked before that it decides later: an account would be there already when it is asked for again.
        api.accounts.wait_for_partitions();
        wait_for("the API listens", || {
            api.serve.assert_runs();
            api.connect()
        });
        api
    }

    fn connect(&self) -> Option<TcpStream> {
        TcpStream::connect(("127.0.0.1", self.port)).ok()
    }

    fn client(&self) -> PythonClient {
        let mut command = python::command(Path::new("python3"), CLIENT);
        command.args([text(&self.authority.file), &self.port.to_string()]);
        let mut python = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (out, lines) = channel();
        let read = BufReader::new(python.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in read.lines().map_while(Result::ok) {
                let _ = out.send(serde_json::from_str(&line).unwrap());
            }
        });
        PythonClient { python, lines }
    }
}

#[test]
fn the_api_by_tls_is_the_api_and_its_certificate_is_replaced_under_an_open_stream() {
    let mut api = SecureApi::start();
    let mut client = api.client();
    for (version, shown) in [("TLSv1_3", "TLSv1.3"), ("TLSv1_2", "TLSv1.2")] {
        let answer = client.ask(&json!({"path": "/readyz", "version": version}));
        assert_eq!(answer["status"], 200, "{answer}");
        let agreed = [&answer["version"], &answer["alpn"], &answer["certificate"]];
        assert_eq!(agreed, [shown, "http/1.1", "first"]);
        assert_eq!(answer["headers"]["strict-transport-security"], "max-age=31536000");
    }
    let key = a_session_is_for_tls_alone(&api, &mut client);
    let bearer = format!("Bearer {key}");
    let board = client.ask(&json!({"path": "/v1/arbs", "headers": {"authorization": bearer}}));
    assert_eq!(board["status"], 200, "{board}");
    who_speaks_no_tls_is_told_so(&api);
    let mut idle = api.connect().unwrap();
    a_stream_outlives_its_certificate(&api, &key);
    // Of a client that never began its handshake the connection is closed in time.
    idle.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    assert_eq!(idle.read(&mut [0; 16]).unwrap(), 0);
    // One that begins with what is no handshake.
    api.connect().unwrap().write_all(&[22, 3, 1, 0, 2, 0, 0]).unwrap();
    let admin = Admin::of(&api.broker.path("serve.log"));
    admin.page_when("every handshake that failed is counted", |page| {
        let failed = |reason| page.sum("arb_serve_failed_tls_handshakes_total", &[("reason", reason)]);
        // The first connection of this test was closed at once: that is a handshake that failed too.
        failed("plain") >= 1.0 && failed("late") >= 1.0 && failed("failed") >= 2.0
    });
    api.serve.stop();
}

/// Signs up, logs in and creates a key, as a browser does; the key.
fn a_session_is_for_tls_alone(api: &SecureApi, client: &mut PythonClient) -> String {
    let origin = format!("https://127.0.0.1:{}", api.port);
    let body = json!({"email": "a@example.com", "password": "correct horse battery"});
    let mut post = |path: &str, headers: Value, body: &Value| {
        client.ask(&json!({"method": "POST", "path": path, "headers": headers, "body": body}))
    };
    let signed_up = post("/session/signup", json!({"origin": origin}), &body);
    assert_eq!(signed_up["status"], 201, "{signed_up}");
    let plain = json!({"origin": origin.replace("https", "http")});
    assert_eq!(post("/session", plain, &body)["status"], 403, "a page without TLS is another origin");
    let logged_in = post("/session", json!({"origin": origin}), &body);
    let cookies = logged_in["cookies"].as_array().unwrap().iter().map(|cookie| cookie.as_str().unwrap());
    let [cookie, device] = cookies.collect::<Vec<_>>().try_into().unwrap();
    for (cookie, name) in [(cookie, "__Host-arb_session="), (device, "__Host-arb_device=")] {
        assert!(cookie.starts_with(name) && cookie.contains("; Secure; HttpOnly"), "{cookie}");
    }
    let csrf =
        serde_json::from_str::<Value>(logged_in["body"].as_str().unwrap()).unwrap()["csrf_token"].clone();
    let headers =
        json!({"origin": origin, "cookie": cookie.split(';').next().unwrap(), "x-csrf-token": csrf});
    let created = post("/session/keys", headers, &json!({"name": "bot"}));
    assert_eq!(created["status"], 201, "{created}");
    let created: Value = serde_json::from_str(created["body"].as_str().unwrap()).unwrap();
    created["key"].as_str().unwrap().to_owned()
}

fn who_speaks_no_tls_is_told_so(api: &SecureApi) {
    let mut plain = api.connect().unwrap();
    plain.write_all(b"GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let mut answer = String::new();
    plain.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    assert!(answer.contains("This port takes TLS alone"), "{answer}");
}

/// The certificate is replaced by a wrong one and by a right one: the stream goes on, and whoever connects gets the right one.
fn a_stream_outlives_its_certificate(api: &SecureApi, key: &str) {
    let (writer, mut client) = (Writer::new(&api.broker.kafka), api.client());
    let mut stream = api.client();
    let head =
        stream.ask(&json!({"path": "/v1/stream", "headers": {"authorization": format!("Bearer {key}")}}));
    assert_eq!((&head["status"], &head["certificate"]), (&json!(200), &json!("first")), "{head}");
    assert_eq!(stream.next(), "snapshot");
    std::fs::write(&api.certificate, "nonsense").unwrap();
    wait_for("the wrong file is logged", || {
        api.serve.has_logged("its last content stays in use").then_some(())
    });
    assert_eq!(client.ask(&json!({"path": "/livez"}))["certificate"], "first");
    put(&api.authority.sign("second"), &api.certificate, &api.key);
    wait_for("new connections see the new certificate", || {
        (client.ask(&json!({"path": "/livez"}))["certificate"] == "second").then_some(())
    });
    writer.write(0, &[opened("w", "soccer_test", 1)]);
    wait_for("the stream goes on", || (stream.next() == "arb_window").then_some(()));
}

#[test]
fn a_wrong_certificate_at_the_start_is_a_sentence() {
    let folder = Scratch::new();
    let authority = Authority::new(folder.path(), "ca");
    let (one, other) = (authority.sign("one"), authority.sign("other"));
    let nothing = folder.path().join("nothing.pem");
    for (certificate, key, expected) in [
        (&one.certificate, &other.key, "it is not the key of the certificate in"),
        (&one.key, &one.key, "it contains no certificate in PEM"),
        (&one.certificate, &one.certificate, "it contains no private key in PEM"),
        (&one.certificate, &nothing, "No such file"),
    ] {
        let output = run(arb()
            .arg("serve")
            .args(["--tls-certificate", text(certificate)])
            .args(["--tls-key", text(key)]));
        let last = output.err.lines().last().unwrap_or_default();
        assert!(!output.success && last.starts_with("arb: --tls-"), "{}", output.err);
        assert!(last.contains(expected), "{expected}: {}", output.err);
        assert!(!output.err.contains("PRIVATE KEY"), "{}", output.err);
    }
    let output = run(arb().args(["serve", "--tls-key", text(&one.key)]));
    assert!(!output.success && output.err.contains("--tls-certificate"), "{}", output.err);
}
