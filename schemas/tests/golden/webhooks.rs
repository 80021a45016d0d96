//! Records of webhooks with a value in every field, as golden files have them. What is published of them never changes.

use arb_schemas::records::{
    AccountEndpoint, StateWebhookBody, StateWebhookDelivery, StateWebhookFailing, WebhookAttempt,
    WebhookAttempts, WebhookCircuit, WebhookDelivery, WebhookEvent, WebhookRedelivery, WebhookTarget,
};

const AT: i64 = 1_781_990_000_000_001;

fn id() -> String {
    "whk_0000000000000001".into()
}

fn message() -> String {
    format!("msg_{}", "0a".repeat(16))
}

pub(crate) fn endpoint() -> AccountEndpoint {
    AccountEndpoint {
        id: id(),
        account: "acc_0000000000000001".into(),
        url: "https://receiver.example/hook".into(),
        description: "production".into(),
        events: vec!["arb_window".into(), "close_signal".into()],
        filters: "sport=soccer&kind=steam".into(),
        policy: "durable".into(),
        is_ordered: true,
        rate_limit: Some(20),
        is_paused: true,
        state: "disabled".into(),
        reason: Some("The receiver answered 410.".into()),
        secret_version: 2,
        previous_until: Some(AT),
        revision: 5,
        created_at: AT,
    }
}

pub(crate) fn event() -> WebhookEvent {
    let target = WebhookTarget { endpoint: id(), policy: "live".into(), is_ordered: false, has_left: true };
    WebhookEvent {
        epoch: 1_782_000_000_000,
        sequence: 9,
        nonce: "n".into(),
        kind: "arb_window".into(),
        subject: "window".into(),
        at: AT,
        body: "{}".into(),
        left_body: Some("{}".into()),
        targets: vec![target],
        partition: 3,
    }
}

pub(crate) fn attempt() -> WebhookAttempt {
    WebhookAttempt {
        delivery: message(),
        number: 2,
        outcome: "failed".into(),
        status: Some(503),
        latency: 1_200,
        answer: "busy".into(),
        retry_at: Some(AT),
        at: AT,
    }
}

pub(crate) fn attempts() -> WebhookAttempts {
    WebhookAttempts { attempts: vec![attempt()] }
}

pub(crate) fn redelivery() -> WebhookRedelivery {
    WebhookRedelivery { endpoint: id(), delivery: Some(message()), since: Some(AT), at: AT }
}

pub(crate) fn delivery() -> StateWebhookDelivery {
    StateWebhookDelivery {
        id: message(),
        endpoint: id(),
        epoch: 1_782_000_000_000,
        sequence: 9,
        kind: "arb_window".into(),
        subject: "window".into(),
        policy: "live".into(),
        is_ordered: true,
        body: "{}".into(),
        created_at: AT,
        attempts: 3,
        round: 1,
        next_at: AT,
        has_failed: true,
        body_of: "feed/1782000000000/3/9".into(),
    }
}

pub(crate) fn body() -> StateWebhookBody {
    StateWebhookBody { name: "feed/1782000000000/3/9".into(), body: "{}".into() }
}

pub(crate) fn failing() -> StateWebhookFailing {
    StateWebhookFailing { endpoint: id(), since: 4, failures: 7, failed_at: 9 }
}

pub(crate) fn log() -> WebhookDelivery {
    WebhookDelivery {
        delivery: message(),
        endpoint: id(),
        kind: "arb_window".into(),
        subject: "window".into(),
        sequence: 9,
        attempt: 2,
        outcome: "failed".into(),
        status: Some(503),
        latency: 1_200,
        answer: "busy".into(),
        next_at: Some(AT),
        created_at: AT,
        at: AT,
    }
}

pub(crate) fn circuit() -> WebhookCircuit {
    WebhookCircuit { endpoint: id(), failures: 6, failed_at: AT, closed_at: Some(AT), waiting: 12 }
}
