//! Sign-in and sign-up under fire, from addresses that a proxy names: what some do refuses nobody else.

use sha2::{Digest, Sha256};

use super::*;

const WRONG: &str = "wrong horse battery";

/// Sites behind a proxy, which says where requests come from.
fn behind_a_proxy() -> Sites {
    Sites::start_with(Broker::start(), &["--sign-up", "open", "--trusted-proxies", "127.0.0.1"])
}

impl Sites {
    /// Asks for a path of the first instance, from an address.
    fn from(&self, address: &str, path: &str, fields: &[(&str, &str)], body: &Value) -> Answer {
        let fields = [&[("x-forwarded-for", address)], fields].concat();
        // What is answered so is not counted.
        once_it_knows(|| Some(post(&format!("{}{path}", self.url(0)), &fields, body))).unwrap()
    }

    fn try_password(&self, address: &str, password: &str, fields: &[(&str, &str)]) -> Answer {
        self.from(address, "/session", fields, &json!({"email": "one@example.com", "password": password}))
    }
}

/// The cookies that an answer sets, as a browser sends them.
fn cookies(answer: &Answer) -> String {
    let set = answer.headers.get_all("set-cookie").iter();
    set.map(|cookie| cookie.to_str().unwrap().split(';').next().unwrap()).collect::<Vec<_>>().join("; ")
}

/// A text of which the hash behind the challenge of a refusal begins with as many zero bits as it asks for.
fn proof(refusal: &Answer) -> String {
    let asked = &refusal.json()["proof"];
    let (challenge, bits) = (asked["challenge"].as_str().unwrap(), asked["bits"].as_u64().unwrap());
    assert_eq!((&asked["algorithm"], bits), (&json!("sha-256"), 18));
    let is_proof = |text: &String| {
        let hash = Sha256::digest(format!("{challenge}:{text}"));
        u64::from_be_bytes(hash[..8].try_into().unwrap()) >> (64 - bits) == 0
    };
    (0..u64::MAX).map(|number| number.to_string()).find(is_proof).unwrap()
}

#[test]
fn wrong_passwords_from_an_address_lock_out_that_address_alone() {
    let sites = behind_a_proxy();
    let body = json!({"email": "one@example.com", "password": PASSWORD});
    assert_eq!(sites.from("192.0.2.1", "/session/signup", &[], &body).status, 201);
    let home = sites.try_password("192.0.2.1", PASSWORD, &[]);
    assert_eq!(home.status, 200, "{}", home.body);
    let tries: Vec<_> = (0..12).map(|_| sites.try_password("198.51.100.9", WRONG, &[]).status).collect();
    assert_eq!((&tries[..10], &tries[10..]), (&[401; 10][..], &[429; 2][..]));
    assert_eq!(sites.try_password("198.51.100.9", PASSWORD, &[]).status, 429, "that address is locked out");
    assert_eq!(sites.try_password("203.0.113.5", PASSWORD, &[]).status, 200, "another one is not");
    let device = cookies(&home).split("; ").find(|cookie| cookie.contains("device")).unwrap().to_owned();
    let known = sites.try_password("198.51.100.9", PASSWORD, &[("cookie", &device)]);
    assert_eq!(known.status, 200, "nor a device that has logged in before: {}", known.body);
    let (cookie, csrf) = (cookies(&known), known.json()["csrf_token"].as_str().unwrap().to_owned());
    let change = json!({"current_password": PASSWORD, "new_password": "another horse battery"});
    let fields = [("cookie", &*cookie), ("x-csrf-token", &*csrf)];
    let changed = sites.from("198.51.100.9", "/session/password", &fields, &change);
    assert_eq!(changed.status, 200, "nor whoever has signed in: {}", changed.body);
    let stale = sites.try_password("198.51.100.9", PASSWORD, &[("cookie", &device)]);
    assert_eq!(stale.status, 429, "a device is known by the present password");
    let own = sites.try_password("203.0.113.5", "another horse battery", &[]);
    assert_eq!(own.status, 200, "{}", own.body);
}

/// Thirty threads, each try of which comes from a network of its own.
#[test]
fn tries_from_ever_new_addresses_keep_nobody_from_signing_in() {
    let sites = behind_a_proxy();
    let body = json!({"email": "one@example.com", "password": PASSWORD});
    assert_eq!(sites.from("192.0.2.1", "/session/signup", &[], &body).status, 201);
    let home = sites.try_password("192.0.2.1", PASSWORD, &[]);
    let (device, is_over, tried) = (cookies(&home), AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (sites, is_over, tried, _ends) = (&sites, &is_over, &tried, EndsWith(&is_over));
        for _ in 0..30 {
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let number = tried.fetch_add(1, Ordering::SeqCst);
                    let address = format!("10.{}.{}.7", number / 200 % 200, number % 200);
                    let email = format!("n{}@example.com", number % 7);
                    sites.from(&address, "/session", &[], &json!({"email": email, "password": WRONG}));
                }
            });
        }
        wait_for("the fire has begun", || (tried.load(Ordering::SeqCst) > 60).then_some(()));
        for _ in 0..12 {
            let stranger = sites.try_password("203.0.113.5", PASSWORD, &[]);
            assert_eq!(stranger.status, 200, "{}", stranger.body);
            let known = sites.try_password("203.0.113.6", PASSWORD, &[("cookie", &device)]);
            assert_eq!(known.status, 200, "{}", known.body);
        }
    });
}

#[test]
fn sign_ups_of_one_network_close_it_for_nobody_and_go_on_by_work() {
    let sites = behind_a_proxy();
    let sign_up = |address: &str, email: &str, proof: Option<&str>| {
        let mut body = json!({"email": email, "password": PASSWORD});
        if let Some(proof) = proof {
            body["proof"] = json!(proof);
        }
        sites.from(address, "/session/signup", &[], &body)
    };
    let statuses: Vec<_> = (0..200)
        .map(|number| {
            sign_up(&format!("198.51.100.{}", number % 20), &format!("n{number}@example.com"), None).status
        })
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 10);
    assert!(statuses[10..].iter().all(|status| *status == 429), "{statuses:?}");
    for network in 0..20 {
        let answer = sign_up(&format!("203.0.{network}.5"), &format!("o{network}@example.com"), None);
        assert_eq!(answer.status, 201, "sign-up is open for others: {}", answer.body);
    }
    let refusal = sign_up("198.51.100.1", "late@example.com", None);
    assert_eq!(
        (refusal.status, refusal.json()["type"].as_str()),
        (429, Some("/problems/proof-required")),
        "{}",
        refusal.body
    );
    let proof = proof(&refusal);
    for (address, email) in [("198.51.100.2", "late@example.com"), ("198.51.100.1", "more@example.com")] {
        assert_eq!(sign_up(address, email, Some(&proof)).status, 429, "it is bound to address and e-mail");
    }
    let created = sign_up("198.51.100.1", "late@example.com", Some(&proof));
    assert_eq!(created.status, 201, "{}", created.body);
    assert_eq!(sign_up("198.51.100.1", "late@example.com", Some(&proof)).status, 429, "it is spent");
}
