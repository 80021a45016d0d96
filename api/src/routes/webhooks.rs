//! Webhook endpoints of an account, and what was delivered to them.

use arb_accounts::scope::Scope;

use super::{ACCOUNT, Row};
use crate::http::operation::Content::{Empty, Json};
use crate::http::operation::{delete, get, patch, post};
use crate::resources::account::AccountHolder;
use crate::resources::{WebhooksResource, webhooks};

const MANAGE: (Scope, u64) = (Scope::WebhooksManage, 0);

pub(super) const ROWS: [Row; 11] = [
    Row::keyed(
        get("/api/v1/webhooks", "listWebhooks", "Webhook endpoints.", &[(200, Json("WebhookList"))]),
        MANAGE,
        |to, _, charge| to.webhooks.list(&AccountHolder::of(charge)),
    )
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        post(
            "/api/v1/webhooks",
            "createWebhook",
            "Creates an endpoint; the answer alone has its secret.",
            &[(201, Json("Webhook"))],
        )
        .with_body("WebhookRequest", webhooks::MAX_BODY),
        MANAGE,
        |to, request, charge| to.webhooks.create(AccountHolder::of(charge), request),
    )
    .for_sessions(&ACCOUNT),
    Row::keyed(
        get("/api/v1/webhooks/{id}", "showWebhook", "An endpoint.", &[(200, Json("Webhook"))]),
        MANAGE,
        |to, request, charge| to.webhooks.show(&AccountHolder::of(charge), request),
    )
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        patch(
            "/api/v1/webhooks/{id}",
            "changeWebhook",
            "Changes fields of an endpoint.",
            &[(200, Json("Webhook"))],
        )
        .with_body("WebhookChange", webhooks::MAX_BODY),
        MANAGE,
        |to, request, charge| to.webhooks.update(AccountHolder::of(charge), request),
    )
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        delete("/api/v1/webhooks/{id}", "deleteWebhook", "Deletes an endpoint.", &[(204, Empty)]),
        MANAGE,
        |to, request, charge| to.webhooks.delete(AccountHolder::of(charge), request),
    )
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        post("/api/v1/webhooks/{id}/rotate", "rotateSecret", "Another secret.", &[(200, Json("Webhook"))])
            .with_body("OverlapRequest", webhooks::MAX_BODY),
        MANAGE,
        |to, request, charge| to.webhooks.rotate(AccountHolder::of(charge), request),
    )
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        post("/api/v1/webhooks/{id}/test", "testWebhook", "Sends a test event.", &[(202, Json("EventSent"))]),
        MANAGE,
        |to, request, charge| to.webhooks.test(&AccountHolder::of(charge), request),
    )
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        post(
            "/api/v1/webhooks/{id}/recover",
            "recoverDeliveries",
            "Sends again what was given up.",
            &[(202, Json("Since"))],
        )
        .with_body("Since", webhooks::MAX_BODY),
        MANAGE,
        |to, request, charge| to.webhooks.recover(&AccountHolder::of(charge), request),
    )
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        get(
            "/api/v1/webhooks/{id}/deliveries",
            "listDeliveries",
            "The delivery log.",
            &[(200, Json("DeliveryPage"))],
        ),
        MANAGE,
        |to, request, charge| to.webhooks.deliveries(&AccountHolder::of(charge), request),
    )
    .taking(WebhooksResource::OF_LOG)
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        get(
            "/api/v1/webhooks/{id}/statistics",
            "showStatistics",
            "What came of deliveries.",
            &[(200, Json("DeliveryStatistics"))],
        ),
        MANAGE,
        |to, request, charge| to.webhooks.statistics(&AccountHolder::of(charge), request),
    )
    .taking(WebhooksResource::OF_STATISTICS)
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        post(
            "/api/v1/webhooks/{id}/deliveries/{delivery}/redeliver",
            "redeliver",
            "Sends one delivery again.",
            &[(202, Json("EventSent"))],
        ),
        MANAGE,
        |to, request, charge| to.webhooks.redeliver(&AccountHolder::of(charge), request),
    )
    .for_sessions(&ACCOUNT),
];
