//! Hedges of the test market, asked over HTTP; what they are worth is tested in the engine.

use super::*;

fn entry(site: &Site, key: &str) -> Value {
    site.with_key(key, &Method::GET, "/api/v1/arbs", &json!({})).json()["arbs"][0].clone()
}

fn test_key(site: &Site) -> String {
    let browser = site.sign_up("two@example.com");
    let body = json!({"mode": "test", "scopes": ["board:read"]});
    let created = site.browse(&browser, &Method::POST, "/session/keys", &body);
    created.json()["key"].as_str().unwrap().to_owned()
}

#[test]
fn the_other_legs_are_staked_so_that_the_worst_result_is_best() {
    let site = Site::new();
    let key = test_key(&site);
    let entry = entry(&site, &key);
    let path = format!("/api/v1/arbs/{}/hedge", entry["id"].as_str().unwrap());
    let leg = &entry["legs"][0];
    let bet = json!({"book": leg["book"], "outcome": leg["outcome"], "stake": 50.25, "price": leg["price"]});
    let body = json!({"placed": [bet]});
    let answer = site.with_key(&key, &Method::POST, &path, &body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let hedge = answer.json();
    assert_eq!((&hedge["id"], &hedge["sequence"]), (&entry["id"], &entry["sequence"]));
    let legs = hedge["legs"].as_array().unwrap();
    assert_eq!(legs.len(), entry["legs"].as_array().unwrap().len());
    assert_eq!((&legs[0]["stake"], &legs[0]["placed"]), (&json!(50.25), &json!(true)));
    assert!(
        legs[1..].iter().all(|leg| leg["placed"] == json!(false) && leg["stake"].as_f64().unwrap() > 0.0)
    );
    let results = hedge["results"].as_array().unwrap();
    let profits: Vec<_> = results.iter().map(|result| result["profit"].as_f64().unwrap()).collect();
    assert!(profits.is_sorted() && hedge["worst_profit"] == json!(profits[0]), "{hedge}");
    assert!(results.iter().all(|result| result["legs"].as_array().unwrap().len() == legs.len()));
    // Placed at the price of an arb, nothing is lost but where stakes come back or are rounded.
    assert!(entry["margin"].as_f64().unwrap() > 0.0 && profits[0] > -0.1, "{hedge}");
}

#[test]
fn of_all_legs_that_are_placed_the_results_are_told() {
    let site = Site::new();
    let key = test_key(&site);
    let entry = entry(&site, &key);
    let path = format!("/api/v1/arbs/{}/hedge", entry["id"].as_str().unwrap());
    let stakes = [20.0, 25.0];
    let bet = |(leg, stake): (&Value, f64)| json!({"book": leg["book"], "outcome": leg["outcome"], "stake": stake, "price": 1.5});
    let placed: Vec<_> = entry["legs"].as_array().unwrap().iter().zip(stakes).map(bet).collect();
    let hedge = site.with_key(&key, &Method::POST, &path, &json!({"placed": placed})).json();
    let legs = hedge["legs"].as_array().unwrap();
    assert!(legs.iter().zip(stakes).all(|(leg, stake)| leg["placed"] == true && leg["stake"] == stake));
    // 20.00 are backed at 1.50 and 25.00 laid: 10.00 are won and 12.50 lost, or 20.00 lost and 25.00 won.
    let results =
        json!([{"legs": ["won", "lost"], "profit": -2.5}, {"legs": ["lost", "won"], "profit": 5.0}]);
    assert_eq!((&hedge["results"], &hedge["worst_profit"]), (&results, &json!(-2.5)));
}

#[test]
fn what_is_no_placed_leg_is_refused_with_the_field() {
    let site = Site::new();
    let key = test_key(&site);
    let entry = entry(&site, &key);
    let path = format!("/api/v1/arbs/{}/hedge", entry["id"].as_str().unwrap());
    let book = &entry["legs"][0]["book"];
    for (field, bet) in [
        ("book", json!({"book": "nobody", "stake": 10, "price": 2.1})),
        ("book", json!({"stake": 10, "price": 2.1})),
        ("stake", json!({"book": book, "price": 2.1})),
        ("stake", json!({"book": book, "stake": -1, "price": 2.1})),
        ("stake", json!({"book": book, "stake": 1e12, "price": 2.1})),
        ("price", json!({"book": book, "stake": 10})),
        ("price", json!({"book": book, "stake": 10, "price": 1})),
        ("odds", json!({"book": book, "stake": 10, "price": 2.1, "odds": 3})),
    ] {
        let body = json!({"placed": [bet]});
        let answer = site.with_key(&key, &Method::POST, &path, &body);
        let shown = answer.json();
        assert_eq!(
            (answer.status, &shown["invalid_params"][0]["name"]),
            (400, &json!(field)),
            "{body}: {shown}"
        );
    }
    let bet = json!({"book": book, "outcome": entry["legs"][0]["outcome"], "stake": 10, "price": 2.1});
    for body in [
        json!({}),
        json!({"placed": []}),
        json!({"placed": "x"}),
        json!({"placed": [2]}),
        json!({"placed": [bet, bet]}),
    ] {
        let answer = site.with_key(&key, &Method::POST, &path, &body);
        let name = &answer.json()["invalid_params"][0]["name"];
        assert_eq!((answer.status, name), (400, &json!("placed")), "{body}: {}", answer.body);
    }
    let body = json!({"placed": [bet]});
    let none = site.with_key(&key, &Method::POST, "/api/v1/arbs/00/hedge", &body);
    assert_eq!(none.status, 404, "{}", none.body);
}
