//! Records of the input and of the changelog with a value in every field, as golden files have them. Those of `arb-model` are
//! its fixtures.
//!
//! What is published of them never changes: a new field gets a value here and a new version there.

use arb_model::OddsFormat;
use arb_model::fixtures::event;
use arb_schemas::records::scans::Message;
use arb_schemas::records::{
    Account, AccountAudit, AccountBankroll, AccountCommand, AccountKey, AccountLeaseQuota, AccountReply,
    AccountSession, AccountSettleQuota, AccountUsage, Coverage, Frame, Offer, Outcome, Push, ScanArb,
    ScanCount, ScanEnd, ScanRequest, ScanResult, ScanSource, SettledLease, Side, Standing, StateBasis,
    StateBet, StateConsensus, StateHead, StateLife, StateLine, StateLink, StateMove, StateMoves, StateQuote,
    StateScan, StateScanSource, StateSignal, StateStanding, StateWindow, Status, Tick, UsageAsker,
    UsageCharge, UsageLease, UsageOfDay, UsageOfKey, UsageOfRoute,
};

pub(crate) fn frame() -> Frame {
    let tick = |outcome, price| Tick {
        outcome,
        side: Side::Back,
        line: Some(-1_500),
        price,
        status: Status::Active,
        limit: (price > 2_000_000).then_some(10_050),
    };
    Frame {
        source: "the-odds-api/soccer_test_league".into(),
        received_at: 1_781_990_000_000_001,
        poll_index: Some(3),
        event: event(),
        coverage: Coverage { books: None, markets: Some(vec!["h2h".into(), "spreads".into()]) },
        offers: vec![Offer {
            book: "alpha".into(),
            market: "spreads".into(),
            last_seen_at: 1_781_989_999_000_000,
            price_moved_at: None,
            ticks: vec![tick(Outcome::Home, 2_100_000), tick(Outcome::Away, 1_909_090)],
            link: Some("https://alpha.example/852a3abe".into()),
            odds_format: OddsFormat::Decimal,
        }],
        push: Some(Push { sequence: 300, names_event: true }),
    }
}

fn state_quote(outcome: Outcome, book: i32, price: i64) -> StateQuote {
    StateQuote {
        outcome,
        side: Side::Back,
        book,
        source: 0,
        price,
        standing: Standing::Stale,
        span_start: 1,
        span_end: 2,
        price_moved_at: 1,
        received_at: 3,
        limit: Some(10_050),
        odds_format: OddsFormat::American,
    }
}

pub(crate) fn state_head() -> StateHead {
    let links = vec![StateLink { book: "alpha".into(), link: "https://alpha.example/852a3abe".into() }];
    StateHead {
        event: event(),
        market: "totals_h1".into(),
        main_line: Some(2_500),
        links,
        drawn: vec!["alpha".into()],
        private: Some("push/ann".into()),
    }
}

fn state_window() -> StateWindow {
    StateWindow {
        id: "00112233445566778899aabbccddeeff".into(),
        opened_at: 3,
        sequence: 5,
        legs: vec![0, 1],
        in_play: false,
        margin_open: 0.01,
        margin_peak: 0.02,
        margin: 0.015,
        is_pair: false,
        flags: 0b1_1111_1101,
        fresh_until: 9,
        simultaneous_ever: true,
        verified_ever: false,
        stake_shown: Some(150_000),
        life: StateLife {
            stage: "hours".into(),
            kind: "total".into(),
            margin: 1,
            age: 0,
            pace: 1_000,
            since: 3,
            confirmed_at: 5,
            taught_to: 4,
        },
        basis: Some(StateBasis { at: 7, margin_limit: 0.1, expected: vec![40_000_000, 900_000_000] }),
        passed_over: vec![1, 0],
        standing: Some(StateStanding {
            at: 3,
            waiting: Vec::new(),
            prices: Vec::new(),
            after: 4,
            stands: true,
        }),
        verified_standing: Some(StateStanding {
            at: 5,
            waiting: vec![1],
            prices: vec![2_110_000],
            after: 0,
            stands: true,
        }),
    }
}

pub(crate) fn state_moves() -> StateMoves {
    let at = |line, after, to| StateMove { line, outcome: Outcome::Over, book: 0, after, to, from: -100_000 };
    let (lines, moves) = (vec![Some(2_500), None], vec![at(0, 0, 2_100_000), at(1, -1, -5_000)]);
    StateMoves { names: vec!["alpha".into()], lines, begin: 3, added: 5, moves, told: vec![0] }
}

pub(crate) fn state_line() -> StateLine {
    StateLine {
        event_id: event().id.to_string(),
        market: "totals_h1".into(),
        line: Some(2_500),
        names: ["the-odds-api/x", "alpha", "beta"].map(str::to_owned).into(),
        begin: 1_782_000_000_000_000,
        quotes: vec![state_quote(Outcome::Over, 1, 2_100_000), state_quote(Outcome::Under, 2, 2_110_000)],
        window: Some(state_window()),
        signals: vec![StateSignal {
            id: "ffeeddccbbaa99887766554433221100".into(),
            kind: "value".into(),
            opened_at: 3,
            expires_at: 60,
            sequence: 6,
            strength: 0.031,
            confidence: 0.75,
            bets: vec![StateBet { line: Some(2_500), quote: state_quote(Outcome::Over, 1, 2_100_000) }],
        }],
        consensus: vec![StateConsensus { outcome: Outcome::Over, at: 300, probability: 512_345 }],
        private: Some("push/ann".into()),
    }
}
pub(crate) fn account_command() -> AccountCommand {
    AccountCommand {
        id: "r1".into(),
        sent_at: 1_782_000_000_000_000,
        address: "192.0.2.1".into(),
        actor: "session".into(),
        actor_id: Some("ab".into()),
        command: "revoke_key".into(),
        body: r#"{"account":"acc_1","kid":"00000000"}"#.into(),
    }
}

pub(crate) fn account() -> Account {
    Account {
        id: "acc_0123456789abcdef".into(),
        email: "ann@example.com".into(),
        password: Some("$argon2id$".into()),
        revision: 3,
        plan: "pro".into(),
        is_disabled: true,
        granted: vec!["ticks:write".into()],
        books: vec!["alpha".into()],
        source: Some("push/ann".into()),
        is_public: true,
        bankroll: Some(AccountBankroll { total: 50_000, currency: Some("EUR".into()), rounding: 100 }),
        created_at: 9,
    }
}

pub(crate) fn account_session() -> AccountSession {
    AccountSession {
        hash: "ab".repeat(32),
        account: account().id,
        opened_at: 9,
        expires_at: 10,
        address: "192.0.2.1".into(),
    }
}

pub(crate) fn account_key() -> AccountKey {
    AccountKey {
        kid: "00000000".into(),
        account: account().id,
        hmac: "cd".repeat(32),
        name: "laptop".into(),
        mode: "live".into(),
        scopes: vec!["board:read".into()],
        expires_at: Some(11),
        cidrs: vec!["192.0.2.0/24".into()],
        monthly_cap: Some(500),
        created_at: 9,
        replaced_by: Some("00000001".into()),
    }
}

pub(crate) fn account_reply() -> AccountReply {
    AccountReply {
        id: "r1".into(),
        at: 9,
        refusal: Some("invalid".into()),
        field: Some("name".into()),
        reason: Some("is empty".into()),
        most: Some(5),
    }
}

pub(crate) fn account_audit() -> AccountAudit {
    AccountAudit {
        id: "r1".into(),
        account: account().id,
        action: "key_revoked".into(),
        actor: "key".into(),
        actor_kid: Some("00000002".into()),
        address: "192.0.2.1".into(),
        subject: Some("00000000".into()),
        at: 9,
        sent_at: 8,
    }
}

fn charges() -> Vec<UsageCharge> {
    vec![UsageCharge { day: 20_620, route: "/v1/arbs".into(), requests: 3 }]
}

pub(crate) fn account_usage() -> AccountUsage {
    AccountUsage {
        account: account().id,
        period: 1_780_272_000_000_000,
        settled: 5,
        forfeited: 2,
        days: vec![UsageOfDay { day: 20_620, requests: 5 }],
        routes: vec![UsageOfRoute { route: "/v1/arbs".into(), requests: 5 }],
        keys: vec![UsageOfKey { kid: "00000000".into(), requests: 5, forfeited: 2 }],
        leases: vec![UsageLease {
            instance: "i1".into(),
            number: 4,
            kid: "00000000".into(),
            granted: 10,
            is_recalled: true,
            expires_at: 9,
            charges: charges(),
        }],
        askers: vec![UsageAsker { instance: "i1".into(), number: 4, at: 8 }],
    }
}

pub(crate) fn account_lease_quota() -> AccountLeaseQuota {
    AccountLeaseQuota {
        instance: "i1".into(),
        number: 4,
        account: account().id,
        kid: "00000000".into(),
        quota: 1_000,
        cost: 1,
        wanted: 20,
    }
}

pub(crate) fn account_settle_quota() -> AccountSettleQuota {
    let account = account().id;
    let lease = SettledLease {
        account,
        period: 1_780_272_000_000_000,
        number: 4,
        is_returned: true,
        charges: charges(),
    };
    AccountSettleQuota { instance: "i1".into(), leases: vec![lease] }
}

pub(crate) fn scan_request() -> ScanRequest {
    ScanRequest {
        id: "scn_1".into(),
        account: account().id,
        requested_at: 1_782_000_000_000_000,
        sport: Some("soccer".into()),
        league: Some("soccer_epl".into()),
        event_ids: vec!["852a3abe".into()],
        event_group: Some("soccer_epl/2026-08-15".into()),
        markets: vec!["h2h".into()],
        books: vec!["alpha".into()],
        min_margin: 0.015,
        total_stake: Some(25_000),
        private: Some("push/ann".into()),
    }
}

pub(crate) fn scan_end() -> ScanEnd {
    let (scan, source, outcome) = ("scn_1".into(), "s".into(), "polled".into());
    ScanEnd { scan, source, outcome, polled_at: Some(7), credits: 3 }
}

pub(crate) fn scan_result() -> ScanResult {
    let count = |key: &str| ScanCount { key: key.into(), quotes: 6, asked: 5, confirmed: 4 };
    let (source, outcome) = ("s".into(), "polled".into());
    let source =
        ScanSource { source, outcome, polled_at: Some(7), credits: 3, quotes: 6, asked: 5, confirmed: 4 };
    ScanResult {
        scan: "scn_1".into(),
        as_of: 9,
        sources: vec![source],
        books: vec![count("alpha")],
        leagues: vec![count("soccer_epl")],
        events: 2,
        arbs: vec![ScanArb { entry: Message(vec![0, 0, 0, 0, 35, 255]), asked: vec![true, false] }],
        left_out: 1,
    }
}

pub(crate) fn state_scan() -> StateScan {
    let (source, outcome) = ("s".into(), Some("polled".into()));
    let source = StateScanSource { source, before: 5, outcome, polled_at: Some(7), credits: 3 };
    StateScan { request: scan_request(), number: 17, sources: vec![source] }
}
