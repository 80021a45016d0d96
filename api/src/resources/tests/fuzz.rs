//! Keys, cookies and bodies that nobody sends on purpose: each has an answer of the catalogue, and opens nothing.
//!
//! `PROPTEST_CASES` is the number of cases of each test, 256 unless set.

use arb_accounts::key::Mode;
use arb_accounts::secrets;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::*;

/// What a request that opens nothing may be answered.
const REFUSED: [u16; 8] = [400, 401, 403, 404, 409, 413, 415, 429];

fn with_site(test: impl FnOnce(&Site) -> TestCaseResult) -> TestCaseResult {
    thread_local! {
        static SITE: Site = Site::new();
    }
    SITE.with(test)
}

/// A text that is nearly another one: some bytes of it changed, added or left out.
fn nearly(text: String) -> impl Strategy<Value = String> {
    let length = text.len();
    prop::collection::vec((0..length, 0..3_u8, 33..127_u8), 1..4).prop_map(move |changes| {
        let mut bytes = text.clone().into_bytes();
        for (at, kind, byte) in changes {
            let at = at.min(bytes.len().saturating_sub(1));
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        String::from_utf8(bytes).unwrap()
    })
}

fn a_key() -> String {
    secrets::new_key(Mode::Live, &[1; secrets::KEY_RANDOM])
}

/// A value of JSON such as bodies have, and such as they do not.
fn json_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,140}".prop_map(Value::from),
        "[a-z]{1,8}@[a-z]{1,8}".prop_map(Value::from),
        prop::collection::vec("[a-z:]{0,14}", 0..4).prop_map(Value::from),
    ]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let name = prop::sample::select(vec![
        "email",
        "password",
        "invitation",
        "current_password",
        "new_password",
        "name",
        "scopes",
        "expires_at",
        "cidrs",
        "monthly_cap",
        "mode",
        "grace_seconds",
        "unknown",
    ]);
    let object = prop::collection::hash_map(name, json_value(), 0..5);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        object.prop_map(|fields| serde_json::to_vec(&fields).unwrap()),
    ]
}

proptest! {
    #[test]
    fn any_body_and_cookie_are_answered_without_harm(
        body in body(),
        cookie in "[ -~]{0,60}",
        idempotency in "[ -~]{0,40}",
        route in 0..ROUTES.len(),
    ) {
        with_site(|site| {
            let lines: Vec<String> = ROUTES[route].lines().collect();
            let (method, path) = lines[0].split('`').nth(1).unwrap().split_once(' ').unwrap();
            let fields = [
                ("host", HOST),
                ("cookie", &*cookie),
                ("idempotency-key", &*idempotency),
                ("content-type", "application/json"),
            ];
            let answer = site.send(&method.parse().unwrap(), path, &fields, &body);
            let is_open = lines[0].contains("| none |") || (path == "/session/signup" && answer.status == 201);
            prop_assert!(REFUSED.contains(&answer.status) || is_open, "{} {}", answer.status, answer.body);
            Ok(())
        })?;
    }

    #[test]
    fn a_key_that_is_nearly_one_opens_nothing(key in nearly(a_key()), route in 0..ROUTES.len()) {
        prop_assume!(key.trim() != a_key());
        with_site(|site| {
            for line in ROUTES[route].lines().filter(|line| line.contains("/v1/")) {
                let (method, path) = line.split('`').nth(1).unwrap().split_once(' ').unwrap();
                let bearer = format!("Bearer {key}");
                let fields = if path.starts_with("/api") { ("x-api-key", &*key) } else { ("authorization", &*bearer) };
                let answer = site.send(&method.parse().unwrap(), path, &[fields], b"{}");
                prop_assert_eq!(answer.status, 401, "{}", answer.body);
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_cookie_that_is_nearly_one_opens_nothing(seed in any::<u32>(), changed in nearly("0".repeat(64))) {
        thread_local! {
            static BROWSER: (Site, Browser) = {
                let site = Site::new();
                let browser = site.sign_up("two@example.com");
                (site, browser)
            };
        }
        BROWSER.with(|(site, browser)| {
            let cut = usize::try_from(seed).unwrap() % 64;
            let cookie = format!("{}{}", &browser.cookie[..cut], changed.get(cut..).unwrap_or_default());
            prop_assume!(cookie != browser.cookie);
            let other = Browser { cookie, csrf: browser.csrf.clone() };
            let answer = site.browse(&other, &Method::GET, "/session", &json!({}));
            prop_assert_eq!(answer.status, 401, "{}", answer.body);
            Ok(())
        })?;
    }

    #[test]
    fn any_body_of_a_session_is_created_or_refused(body in body(), path in prop::sample::select(vec!["/session/keys", "/session/password"])) {
        thread_local! {
            static BROWSER: (Site, Browser) = {
                let site = Site::new();
                let browser = site.sign_up("two@example.com");
                (site, browser)
            };
        }
        BROWSER.with(|(site, browser)| {
            let cookie = format!("{COOKIE}={}", browser.cookie);
            let fields = [
                ("host", HOST),
                ("cookie", &*cookie),
                ("x-csrf-token", &*browser.csrf),
                ("content-type", "application/json"),
            ];
            let answer = site.send(&Method::POST, path, &fields, &body);
            let is_created = answer.status == 201 && path.ends_with("/keys");
            prop_assert!(is_created || REFUSED.contains(&answer.status), "{} {}", answer.status, answer.body);
            Ok(())
        })?;
    }
}
