//! What every answer has, whatever the route and the caller: OPTIONS, the headers of security, and the end of a connection before the
//! server ends. The cases come from the route table.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::http::site::UrlScheme;

/// Each path with an `Allow` that lists its methods.
fn paths() -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut paths: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for route in ROUTES.iter() {
        for pattern in route.patterns() {
            let methods = paths.entry(pattern).or_insert_with(|| BTreeSet::from(["OPTIONS".to_owned()]));
            methods.insert(route.method().to_string());
        }
    }
    paths
}

#[test]
fn options_of_every_route_names_its_methods_to_anybody_for_nothing() {
    let site = Site::new();
    let key = &*site.test.key;
    let paths = paths();
    assert!(paths.len() > 80, "{}", paths.len());
    for (path, methods) in paths {
        for fields in [&[][..], &[("x-api-key", key)], &[("authorization", "nonsense"), ("origin", "null")]] {
            let answer = site.send(&Method::OPTIONS, path, fields, b"");
            assert_eq!((answer.status, &*answer.body), (204, ""), "{path} {fields:?}");
            let allow = answer.headers["allow"].to_str().unwrap();
            let named: BTreeSet<_> = allow.split(", ").map(str::to_owned).collect();
            let missing: Vec<_> = methods.difference(&named).collect();
            assert!(missing.is_empty(), "{path} {allow}: {missing:?}");
            let others: Vec<_> = named.difference(&methods).collect();
            assert!(others.is_empty() || others == ["HEAD"], "{path} {allow}");
            let quota = ["x-requests-remaining", "x-requests-used", "x-plan"]
                .map(|name| answer.headers.get(name).map(|value| value.to_str().unwrap()));
            let expected =
                if path.starts_with("/api/") { [Some("0"), Some("0"), Some("none")] } else { [None; 3] };
            assert_eq!(quota, expected, "{path}");
            // What is named is answered by a row, whoever asks.
            let refused = site.send(&Method::PATCH, path, fields, b"");
            assert_eq!(refused.status == 405, !methods.contains("PATCH"), "{path}");
        }
    }
    assert_eq!(site.send(&Method::OPTIONS, "/nothing", &[], b"").status, 404);
    let used = site.with_key(key, &Method::GET, "/api/v1/usage", &json!({})).json()["used"].clone();
    assert_eq!(used, 0);
}

/// The headers of security of an answer, and whether it may be stored.
fn assert_secured(what: &str, answer: &Received) {
    let field = |name: &str| answer.headers.get(name).map_or("", |value| value.to_str().unwrap());
    assert_eq!(field("x-content-type-options"), "nosniff", "{what}");
    assert_eq!(field("referrer-policy"), "no-referrer", "{what}");
    assert_eq!(field("x-frame-options"), "DENY", "{what}");
    let policy = field("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; "), "{what}: {policy}");
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{what}: {policy}");
    assert!(!field("cache-control").is_empty(), "{what}");
    assert!(!answer.headers.contains_key("strict-transport-security"), "{what}: by http");
}

#[test]
fn every_answer_of_every_route_is_secured_and_none_of_an_account_is_shared() {
    let site = Site::new();
    let browser = site.sign_up("two@example.com");
    let (key, bearer) = (&*site.test.key, format!("Bearer {}", site.test.key));
    let cookie = format!("{COOKIE}={}", browser.cookie);
    let session = [("host", HOST), ("cookie", &*cookie), ("x-csrf-token", &*browser.csrf)];
    for route in ROUTES.iter() {
        for pattern in route.patterns() {
            let path =
                pattern.replace("{kid}", "00000000").replace("{id}", "6").replace("{name}", "not-found");
            for fields in [&[][..], &[("x-api-key", key)], &[("authorization", &*bearer)], &session] {
                // What ends the session would end the test.
                let ends =
                    *route.method() == Method::DELETE && path == "/session" || path.ends_with("/password");
                if ends {
                    continue;
                }
                let fields = [fields, &[("content-type", "application/json")]].concat();
                let answer = site.send(route.method(), &path, &fields, b"{}");
                let what = format!("{} {path} {fields:?}: {}", route.method(), answer.status);
                assert_secured(&what, &answer);
                let caching = answer.headers["cache-control"].to_str().unwrap();
                let is_of_an_account =
                    ["/v1/", "/api/", "/session"].iter().any(|start| path.starts_with(start));
                assert!(
                    !is_of_an_account || ["no-store", "private, no-cache"].contains(&caching),
                    "{what} {caching}"
                );
            }
        }
    }
    for (method, path) in
        [(Method::GET, "/nothing"), (Method::TRACE, "/v1/arbs"), (Method::OPTIONS, "/livez")]
    {
        assert_secured(path, &site.send(&method, path, &[], b""));
    }
}

#[test]
fn a_site_that_is_reached_by_tls_says_so_by_the_host_that_is_asked_for() {
    let urls = ["https://arbs.example".to_owned(), "http://plain.example".to_owned()];
    let listen = "127.0.0.1:8080".parse().unwrap();
    let of = |scheme| crate::http::site::Site::new(listen, scheme, &urls).unwrap();
    for (scheme, host, expected) in [
        (UrlScheme::Http, "arbs.example", true),
        (UrlScheme::Http, "plain.example", false),
        (UrlScheme::Http, "127.0.0.1:8080", false),
        (UrlScheme::Https, "127.0.0.1:8080", true),
        (UrlScheme::Https, "localhost:8080", false),
    ] {
        let site = Site::at(of(scheme));
        for path in ["/livez", "/v1/arbs", "/session"] {
            let answer = site.send(&Method::GET, path, &[("host", host)], b"");
            let strict = answer.headers.get("strict-transport-security");
            assert_eq!(
                strict.map(|value| value.to_str().unwrap()),
                expected.then_some("max-age=31536000"),
                "{host}"
            );
        }
    }
}

#[test]
fn a_server_that_will_end_is_not_ready_and_ends_each_connection_with_its_answer() {
    let site = Site::new();
    let ask = |path: &str| site.with_key(&site.test.key, &Method::GET, path, &json!({}));
    assert_eq!((ask("/readyz").status, ask("/api/v1/usage").headers.get("connection")), (200, None));
    site.test.app.begin_drain();
    let refused = ask("/readyz");
    assert_eq!(refused.status, 503);
    assert!(refused.json()["detail"].as_str().unwrap().contains("ending"), "{}", refused.body);
    for (path, status) in [("/livez", 200), ("/api/v1/usage", 200), ("/nothing", 404)] {
        let answer = ask(path);
        assert_eq!(
            (answer.status, &answer.headers["connection"]),
            (status, &"close".parse().unwrap()),
            "{path}"
        );
    }
    assert!(!site.test.app.is_ready());
}

#[test]
fn pages_show_the_host_by_which_they_are_asked_for() {
    let urls = ["https://arbs.example".to_owned(), "https://api.arbs.example".to_owned()];
    let listen = "127.0.0.1:8080".parse().unwrap();
    let site = Site::at(crate::http::site::Site::new(listen, UrlScheme::Http, &urls).unwrap());
    for (host, url) in [
        ("arbs.example", "https://arbs.example"),
        ("api.arbs.example", "https://api.arbs.example"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("evil.example", "https://arbs.example"),
    ] {
        for (page, text) in
            [("arbs", format!("'{url}/v1/arbs?limit=1'")), ("listArbs", format!("<code>{url}</code>"))]
        {
            let answer = site.send(&Method::GET, &format!("/docs/{page}"), &[("host", host)], b"");
            assert!(answer.body.contains(&text), "{host} {page}: {}", answer.body);
            assert_eq!(answer.body.contains("127.0.0.1:8080"), host == HOST, "{host} {page}");
        }
    }
    // Elsewhere paths alone are named, which clients resolve by where they have read them.
    let document = site.send(&Method::GET, "/openapi.json", &[("host", "arbs.example")], b"").json();
    assert_eq!(document["servers"], json!([{"url": "/"}]));
    let refused = site.send(&Method::GET, "/v1/arbs", &[("host", "arbs.example")], b"").json();
    assert_eq!(refused["type"], "/problems/unauthorized");
}
