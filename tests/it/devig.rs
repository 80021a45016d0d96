//! Fair chances against two libraries of other people: `shin` and `penaltyblog`, over random prices.

use std::collections::BTreeMap;

use arb_engine::odds::Price;
use arb_engine::odds::devig::{Method, fair};
use fastrand::Rng;
use serde_json::{Value, json};

use crate::support::python;

/// How many books.
const BOOKS: usize = 600;
/// Their solvers stop at 1e-12 of what they solve for.
const WITHIN: f64 = 1e-7;

/// Passes each list of odds on standard input to both libraries; `null` where they have no result.
const SCRIPT: &str = r#"
import json, sys, types, importlib.util, warnings
warnings.simplefilter("ignore")

# Only what we compare with: the package's front door loads all of it, and a dozen libraries that are not here.
found = importlib.util.find_spec("penaltyblog")
package = types.ModuleType("penaltyblog")
package.__path__ = list(found.submodule_search_locations)
sys.modules["penaltyblog"] = package

import shin
from penaltyblog.implied import calculate_implied

def attempt(ask):
    try:
        return [float(p) for p in ask()]
    except Exception:
        return None

answers = []
for odds in json.load(sys.stdin):
    answer = {name: attempt(lambda: calculate_implied(odds, method=name).probabilities)
              for name in ["multiplicative", "additive", "power", "shin", "odds_ratio"]}
    answer["the other shin"] = attempt(lambda: shin.calculate_implied_probabilities(odds))
    answers.append(answer)
json.dump(answers, sys.stdout)
"#;

/// Books of two to eight outcomes that keep up to a fifth, long shots among them, to the cent as books write prices.
fn books() -> Vec<Vec<Price>> {
    let mut rng = Rng::with_seed(17);
    let mut books = Vec::with_capacity(BOOKS);
    while books.len() < BOOKS {
        let weights: Vec<_> = (0..rng.usize(2..=8)).map(|_| rng.f64().powi(rng.i32(1..4)) + 0.005).collect();
        let (sum, keeps) = (weights.iter().sum::<f64>(), 1.005 + 0.2 * rng.f64());
        let price = |weight: &f64| Price::from_decimal(&format!("{:.2}", sum / weight / keeps)).ok();
        let book: Option<Vec<Price>> = weights.iter().map(price).collect();
        let sum = |book: &[Price]| book.iter().map(|price| price.implied_probability()).sum::<f64>();
        books.extend(book.filter(|book| sum(book) > 1.001));
    }
    books
}

fn chances(value: &Value) -> Option<Vec<f64>> {
    value.as_array().map(|list| list.iter().map(|p| p.as_f64().unwrap()).collect())
}

fn is_close(ours: &[f64], theirs: &[f64]) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < WITHIN)
}

#[test]
fn fair_chances_are_those_of_two_other_libraries() {
    let books = books();
    let odds =
        |book: &Vec<Price>| json!(book.iter().map(|p| f64::from(p.millionths()) / 1e6).collect::<Vec<_>>());
    let asked = Value::Array(books.iter().map(odds).collect());
    let answers: Value = serde_json::from_str(&python::run(SCRIPT, &asked.to_string())).unwrap();
    let mut agreed: BTreeMap<&str, usize> = BTreeMap::new();
    for (book, answer) in books.iter().zip(answers.as_array().unwrap()) {
        for method in Method::ALL {
            let ours = fair(book, method).map(|fair| fair.probabilities);
            let names = [method.key(), "the other shin"];
            for name in &names[..=usize::from(method == Method::Shin)] {
                let theirs = chances(&answer[name]);
                match (&ours, &theirs) {
                    (Some(ours), Some(theirs)) => {
                        assert!(is_close(ours, theirs), "{name} of {book:?}: {ours:?} {theirs:?}");
                        *agreed.entry(name).or_default() += 1;
                    }
                    // They answer with chances below 0, we with none.
                    (None, Some(theirs)) => {
                        assert!(theirs.iter().any(|p| *p <= 0.0), "{name} of {book:?}: {theirs:?}");
                    }
                    (_, None) => {}
                }
            }
        }
    }
    println!("of {BOOKS} books: {agreed:?}");
    let at_least = |name: &str| if name == "additive" { BOOKS / 4 } else { BOOKS * 9 / 10 };
    assert!(agreed.len() == 6 && agreed.iter().all(|(name, count)| *count >= at_least(name)), "{agreed:?}");
}
