//! Who may use which route, from the route table: a route that is added is in here at once.

use arb_accounts::key::{Cidr, Mode};

use super::*;
use crate::fixtures::{NOW, account};

const OWNER: &str = "acc_0000000000000001";
const OTHER: &str = "acc_0000000000000002";
const DISABLED: &str = "acc_0000000000000003";

/// A row of the table: method, path with a kid in it, and what documents say of its access.
struct RouteRow {
    line: String,
    method: Method,
    path: String,
    access: String,
}

fn rows(kid: &str) -> Vec<RouteRow> {
    let lines = ROUTES.iter().flat_map(crate::http::route::Route::lines);
    lines
        .map(|line| {
            let parts: Vec<_> = line.split('`').collect();
            let (method, path) = parts[1].split_once(' ').unwrap();
            let access = if parts.len() > 4 { parts[3] } else { parts[2].trim_matches([' ', '|']) };
            let (method, path) = (method.parse().unwrap(), path.replace("{kid}", kid));
            RouteRow { method, path, access: access.to_owned(), line }
        })
        .collect()
}

/// Route x scope x other tenant x anonymous x unknown x expired x revoked x disabled x address x surface.
#[test]
fn every_route_for_keys_refuses_whoever_may_not_use_it() {
    let site = Site::new();
    let replica = site.test.app.authority.replica();
    replica.put(Part::Account(account(OTHER, "two@example.com")));
    let mut disabled = account(DISABLED, "three@example.com");
    disabled.is_disabled = true;
    replica.put(Part::Account(disabled));
    let rows: Vec<_> =
        rows(&site.test.key[9..17]).into_iter().filter(|row| row.path.contains("/v1/")).collect();
    assert!(rows.len() > 15);
    for RouteRow { line, method, path, access } in rows {
        let scope = Scope::parse(&access).unwrap();
        let send = |fields: &[(&'static str, &str)]| {
            let fields = [fields, &[("content-type", "application/json")]].concat();
            site.send(&method, &path, &fields, b"{}").status
        };
        let ask = |key: &str, is_api: bool| {
            let bearer = format!("Bearer {key}");
            if is_api { send(&[("x-api-key", key)]) } else { send(&[("authorization", &bearer)]) }
        };
        let is_api = path.starts_with("/api/");
        assert_eq!(send(&[]), 401, "anonymous: {line}");
        assert_eq!(ask(&site.test.key, !is_api), 401, "the header of the other surface: {line}");
        let foreign = api_key(site.test.app.authority.pepper(), 99, OWNER).0;
        assert_eq!(ask(&foreign, is_api), 401, "unknown: {line}");
        let bearer = format!("Bearer {foreign}");
        assert_eq!(
            send(&[("x-api-key", &site.test.key), ("authorization", &bearer)]),
            400,
            "two keys: {line}"
        );
        let with = |random, account: &str, change: &dyn Fn(&mut ApiKey)| {
            ask(&site.key(random, account, |key| change(key)), is_api)
        };
        assert_eq!(with(2, OWNER, &|key| key.permissions.expires_at = Some(NOW)), 401, "expired: {line}");
        let revoked = site.key(8, OWNER, |_| {});
        replica.remove(&format!("key/{}", &revoked[9..17]));
        assert_eq!(ask(&revoked, is_api), 401, "revoked: {line}");
        assert_eq!(with(3, DISABLED, &|_| {}), 401, "disabled: {line}");
        let cidr = Cidr::try_from("192.0.2.0/24".to_owned()).unwrap();
        assert_eq!(with(4, OWNER, &|key| key.permissions.cidrs = vec![cidr]), 403, "address: {line}");
        let without = |key: &mut ApiKey| key.permissions.scopes.retain(|has| *has != scope);
        assert_eq!(with(5, OWNER, &without), 403, "scope: {line}");
        if path.contains("/keys/") {
            assert_eq!(with(6, OTHER, &|_| {}), 404, "other tenant: {line}");
            assert_eq!(
                with(7, OWNER, &|key| key.mode = Mode::Test),
                404,
                "a live key for a test key: {line}"
            );
        }
        assert_eq!(site.test.app.usage.spent(OWNER).requests, 0, "a refusal was charged: {line}");
    }
}

/// Route x anonymous x ended session x key x host x origin x token x other tenant.
#[test]
fn every_route_for_sessions_refuses_whoever_may_not_use_it() {
    let site = Site::new();
    let browser = site.sign_up("two@example.com");
    let ended = site.log_in("two@example.com");
    assert_eq!(site.browse(&ended, &Method::DELETE, "/session", &json!({})).status, 204);
    // Whoever signs up or logs in has no session yet.
    let begins = |row: &RouteRow| {
        row.path.ends_with("/signup") || (row.path == "/session" && row.method == Method::POST)
    };
    let rows = rows(&site.test.key[9..17]).into_iter();
    let rows: Vec<_> = rows.filter(|row| row.access.starts_with("cookie") && !begins(row)).collect();
    assert!(rows.len() > 6);
    for RouteRow { line, method, path, .. } in rows {
        let ask = |fields: &[(&'static str, &str)]| {
            let fields = [fields, &[("content-type", "application/json")]].concat();
            site.send(&method, &path, &fields, b"{}").status
        };
        let (cookie, csrf) = (format!("{COOKIE}={}", browser.cookie), ("x-csrf-token", &*browser.csrf));
        let (host, cookie) = (("host", HOST), ("cookie", &*cookie));
        assert_eq!(ask(&[host]), 401, "anonymous: {line}");
        assert_eq!(ask(&[host, ("x-api-key", &site.test.key)]), 401, "a key: {line}");
        let old = format!("{COOKIE}={}", ended.cookie);
        assert_eq!(ask(&[host, ("cookie", &old), ("x-csrf-token", &ended.csrf)]), 401, "ended: {line}");
        assert_eq!(ask(&[("host", "evil.example"), cookie, csrf]), 403, "host: {line}");
        if method != Method::GET {
            assert_eq!(ask(&[host, cookie]), 403, "no token: {line}");
            assert_eq!(ask(&[host, cookie, ("x-csrf-token", &ended.csrf)]), 403, "another token: {line}");
            assert_eq!(ask(&[host, cookie, csrf, ("origin", "https://evil.example")]), 403, "origin: {line}");
            assert_eq!(ask(&[host, cookie, csrf, ("sec-fetch-site", "cross-site")]), 403, "site: {line}");
        }
        if path.contains("/keys/") {
            assert_eq!(ask(&[host, cookie, csrf]), 404, "other tenant: {line}");
        }
    }
}

#[test]
fn every_post_takes_an_idempotency_key() {
    let site = Site::new();
    let browser = site.sign_up("two@example.com");
    let cookie = format!("{COOKIE}={}", browser.cookie);
    let bearer = format!("Bearer {}", site.test.key);
    for RouteRow { line, method, path, .. } in rows(&site.test.key[9..17]) {
        let key = match path.split('/').nth(1) {
            Some("api") => ("x-api-key", &*site.test.key),
            Some("v1") => ("authorization", &*bearer),
            _ => ("cookie", &*cookie),
        };
        let common =
            [("host", HOST), ("content-type", "application/json"), ("x-csrf-token", &*browser.csrf), key];
        // The key has no scope that only an operator grants.
        let is_granted = ["`ticks:write`", "`results:write`"].iter().any(|scope| line.contains(scope));
        if method == Method::POST && !is_granted {
            let fields = [&common[..], &[("idempotency-key", "")]].concat();
            let answer = site.send(&method, &path, &fields, b"{}");
            assert!(answer.body.contains("Idempotency-Key"), "{line}: {} {}", answer.status, answer.body);
        }
    }
}
