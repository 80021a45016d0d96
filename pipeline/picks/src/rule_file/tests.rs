//! Rule files: what they pick by hand-made prices, and the errors that mistakes give. The page of the format is one of them.

use super::*;

const RULE: &str = r#"bot = "mine"
version = 2
price = "bet365"
probability = "sharp"

[[when]]
field = "value"
at_least = 0.02

[[when]]
field = "outcome"
is = ["home", "away"]

[stake]
rule = "kelly"
fraction = 0.25
at_most = 0.05
"#;

fn three(home: &str, draw: &str, away: &str) -> Three<Price> {
    [home, draw, away].map(|odds| Price::from_decimal(odds).unwrap())
}

/// Pinnacle without a margin: 1/2, 1/4, 1/4.
fn pick(rule: &str, bet365: Three<Price>) -> Option<RulePick> {
    let books = [("bet365", bet365), ("pinnacle", three("2", "4", "4"))];
    RuleFile::parse(rule).unwrap().pick(&MatchPrices { league: "England", books: &books })
}

#[test]
fn the_most_valuable_outcome_that_fits_is_taken() {
    let found = pick(RULE, three("2.1", "5", "4.6")).unwrap();
    // 4.6 / 4 = 1.15; a quarter of 0.15 / 3.6. The draw would pay more, but is not among the outcomes.
    assert_eq!((found.pick.outcome, found.pick.odds), (2, 4.6));
    assert!((found.stake - 0.25 * 0.15 / 3.6).abs() < 1e-9, "{found:?}");
    assert_eq!(pick(RULE, three("2.03", "5", "4")), None, "1.5 %");
    let elsewhere = RULE.replace("\"outcome\"\nis = [\"home\", \"away\"]", "\"league\"\nis = [\"Spain\"]");
    assert_eq!(pick(&elsewhere, three("2.1", "5", "4.6")), None);
    let consensus = RULE.replace("\"sharp\"", "\"consensus\"");
    assert_eq!(pick(&consensus, three("2.1", "5", "4.6")), None, "two books are no consensus");
}

#[test]
fn a_rule_for_recordings_can_bet_at_any_book() {
    let rule = RULE.replace("\"bet365\"", "\"draftkings\"");
    assert!(RuleFile::parse(&rule).is_err() && RuleFile::parse_for_recordings(&rule).is_ok());
}

#[test]
fn numbers_are_bounded_on_both_sides_and_best_is_of_any_book() {
    let rule = RULE.replace("at_least = 0.02", "at_least = 0.02\nat_most = 0.1");
    assert_eq!(pick(&rule, three("2.1", "5", "4.6")).unwrap().pick.outcome, 0, "15 % is above 10 %");
    let flat = "[stake]\nrule = \"flat\"\nfraction = 0.01\n";
    let best = format!("{}{flat}", RULE.replace("\"bet365\"", "\"best\"").split("[stake]").next().unwrap());
    let found = pick(&best, three("1.5", "3", "4.2")).unwrap();
    assert_eq!((found.pick.odds, found.stake), (4.2, 0.01));
}

#[test]
fn a_mistake_is_named_by_line_and_field() {
    for (from, to, line, field) in [
        ("\"bet365\"", "\"nobody\"", "line 3", "price"),
        ("at_least = 0.02", "is = [\"2\"]", "line 7", "value"),
        ("is = [\"home\", \"away\"]", "at_least = 1", "line 11", "outcome"),
        ("\"away\"]", "\"nobody\"]", "line 11", "outcome"),
        ("field = \"value\"", "field = \"valeu\"", "line 7", "valeu"),
        ("at_least = 0.02", "atleast = 0.02", "line", "atleast"),
        ("version = 2", "version = \"two\"", "line 2", "version"),
        ("fraction = 0.25", "fraction = 25", "line", "stake"),
    ] {
        let error = RuleFile::parse(&RULE.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(line) && error.contains(field), "{to}: {error}");
    }
}

#[test]
fn the_example_of_the_page_is_a_rule() {
    let page = include_str!("../../../../docs/bots/rules.md");
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let rule = RuleFile::parse(example).unwrap();
    assert_eq!((rule.bot.as_str(), rule.version, rule.price.as_str()), ("favourites", 1, "bet365"));
}
