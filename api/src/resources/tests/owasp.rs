//! OWASP API Security Top 10 2023, one by one.

use arb_accounts::secrets;

use super::*;

#[test]
fn owasp_api1_broken_object_level_authorization() {
    let site = Site::new();
    let browser = site.sign_up("two@example.com");
    let kid = &site.test.key[9..17];
    let rotate = format!("/session/keys/{kid}/rotate");
    assert_eq!(site.browse(&browser, &Method::POST, &rotate, &json!({})).status, 404);
    let revoke = format!("/session/keys/{kid}");
    assert_eq!(site.browse(&browser, &Method::DELETE, &revoke, &json!({})).status, 404);
    assert_eq!(site.with_key(&site.test.key, &Method::GET, "/api/v1/keys", &json!({})).status, 200);
}

#[test]
fn owasp_api2_broken_authentication() {
    let site = Site::new();
    site.sign_up("two@example.com");
    let attempt =
        |email: &str| site.post("/session", &json!({"email": email, "password": "wrong horse battery"}));
    let (known, unknown) = (attempt("two@example.com"), attempt("nobody@example.com"));
    assert_eq!((known.status, &known.body), (401, &unknown.body), "it does not reveal who has an account");
    (0..11).for_each(|_| drop(attempt("two@example.com")));
    let last = attempt("two@example.com");
    assert_eq!(last.status, 429);
    assert!(last.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() <= 900);
}

#[test]
fn owasp_api3_broken_object_property_level_authorization() {
    let site = Site::new();
    let body = json!({"email": "two@example.com", "password": PASSWORD, "plan": "enterprise"});
    assert_eq!(site.post("/session/signup", &body).status, 400, "a plan cannot be chosen");
    let body = json!({"name": "a", "account": "acc_0000000000000002"});
    assert_eq!(site.with_key(&site.test.key, &Method::POST, "/api/v1/keys", &body).status, 400);
    let listed = site.with_key(&site.test.key, &Method::GET, "/api/v1/keys", &json!({}));
    assert!(!listed.body.contains("hmac") && !listed.body.contains(&site.test.key[17..]));
}

#[test]
fn owasp_api4_unrestricted_resource_consumption() {
    let site = Site::new();
    let long = "x".repeat(crate::resources::keys::MAX_BODY + 1);
    let body = json!({ "name": long });
    assert_eq!(site.with_key(&site.test.key, &Method::POST, "/api/v1/keys", &body).status, 413);
    let body = json!({"email": "two@example.com", "password": "x".repeat(129)});
    assert_eq!(site.post("/session/signup", &body).status, 400);
    let statuses: Vec<_> = (0..6)
        .map(|_| site.with_key(&site.test.key, &Method::POST, "/api/v1/keys", &json!({})).status)
        .collect();
    assert_eq!(statuses, [201, 201, 201, 201, 409, 409], "a plan has a number of keys");
    std::fs::write(site.test.folder.path().join("plans.json"), r#"{"free": 3}"#).unwrap();
    site.test.app.usage.reload_plans();
    // A key may ask 50 times at once, and ten times a second after that.
    let asked: Vec<_> = (0..200)
        .map(|_| site.with_key(&site.test.key, &Method::GET, "/api/v1/usage", &json!({})))
        .map(|answer| answer.status)
        .collect();
    assert!(asked.starts_with(&[200; 50]) && asked.contains(&429), "{asked:?}");
}

#[test]
fn owasp_api5_broken_function_level_authorization() {
    let site = Site::new();
    let owner = "acc_0000000000000001";
    let reader = site.key(2, owner, |key| key.permissions.scopes = vec![Scope::BoardRead]);
    assert_eq!(site.with_key(&reader, &Method::POST, "/api/v1/keys", &json!({})).status, 403);
    // What the key itself may not do it cannot grant, nor what needs an operator.
    let body = json!({"scopes": ["results:write"]});
    assert_eq!(site.with_key(&site.test.key, &Method::POST, "/api/v1/keys", &body).status, 403);
}

#[test]
fn owasp_api6_unrestricted_access_to_sensitive_business_flows() {
    let site = Site::new();
    let sign_up = |number: usize| {
        let body = json!({"email": format!("n{number}@example.com"), "password": PASSWORD});
        site.post("/session/signup", &body).status
    };
    let statuses: Vec<_> = (0..11).map(sign_up).collect();
    assert_eq!((&statuses[..10], statuses[10]), (&[201; 10][..], 429));
}

#[test]
fn owasp_api7_server_side_request_forgery() {
    let site = Site::new();
    for url in [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://10.0.0.1/",
        "https://[::ffff:10.0.0.1]/",
        "https://2130706433/",
        "https://0177.0.0.1/",
        "https://user@example.com/",
        "https://example.com:22/",
        "http://example.com/",
        "file:///etc/passwd",
    ] {
        let body = json!({"url": url});
        let answer = site.with_key(&site.test.key, &Method::POST, "/api/v1/webhooks", &body);
        assert_eq!(answer.status, 400, "{url}: {}", answer.body);
        assert!(answer.body.contains("url"), "{url}: {}", answer.body);
    }
}

#[test]
fn owasp_api8_security_misconfiguration() {
    let site = Site::new();
    let browser = site.sign_up("two@example.com");
    let shown = site.browse(&browser, &Method::GET, "/session", &json!({}));
    assert_eq!(shown.headers["cache-control"], "no-store");
    assert!(
        shown.headers.keys().all(|name| !name.as_str().starts_with("access-control-")),
        "no other origin reads"
    );
    // Whatever fails is of the catalogue, and reveals nothing of the server.
    for (method, path) in
        [(Method::GET, "/nothing"), (Method::TRACE, "/api/v1/arbs"), (Method::PUT, "/session")]
    {
        let answer = site.send(&method, path, &[("host", HOST)], b"");
        assert!([404, 405].contains(&answer.status), "{method} {path}");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        assert!(!answer.headers.contains_key("server") && !answer.headers.contains_key("x-powered-by"));
    }
    let logged_in = site.post("/session", &json!({"email": "two@example.com", "password": PASSWORD}));
    let cookie = logged_in.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
}

#[test]
fn owasp_api9_improper_inventory_management() {
    // The page of routes lists each too: `routes::tests::documents_list_every_route`.
    let document = Site::new().send(&Method::GET, "/openapi.json", &[("host", HOST)], b"").json();
    for route in ROUTES.iter() {
        let method = route.method().as_str().to_lowercase();
        for pattern in route.patterns() {
            assert!(document["paths"][pattern][&*method].is_object(), "{method} {pattern}");
        }
    }
}

#[test]
fn owasp_api10_unsafe_consumption_of_apis() {
    // What it reads from Kafka it checks: a record that is none of the topic's ends the replica.
    assert!(arb_accounts::codec::decode_part(b"key/x", b"{}").is_err());
    assert!(secrets::parse_key("arb_live_").is_none());
}
