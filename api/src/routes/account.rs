//! An account as its keys and its browsers manage it: keys and quota.

use arb_accounts::scope::Scope;

use super::{ACCOUNT, Row, done};
use crate::http::operation::Content::{Empty, Json};
use crate::http::operation::{delete, get, post};
use crate::resources::account::AccountHolder;
use crate::resources::keys;

pub(super) const ROWS: [Row; 7] = [
    Row::keyed(
        get(
            "/api/v1/usage",
            "showUsage",
            "The quota of the account and what was spent.",
            &[(200, Json("Usage"))],
        ),
        (Scope::UsageRead, 0),
        |to, request, charge| to.usage.show(request, charge),
    )
    .by_api_key_alone()
    .for_test_keys(),
    Row::keyed(
        get("/api/v1/account", "showAccount", "The account of the key.", &[(200, Json("Account"))]),
        (Scope::UsageRead, 0),
        |to, _, charge| to.accounts.show(charge),
    )
    .for_test_keys(),
    Row::keyed(
        get("/api/v1/keys", "listKeys", "Keys of the account.", &[(200, Json("KeyList"))]),
        (Scope::KeysManage, 0),
        |to, _, charge| to.keys.list(&AccountHolder::of(charge)),
    )
    .for_test_keys()
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        post(
            "/api/v1/keys",
            "createKey",
            "Creates a key; the answer alone has its text.",
            &[(201, Json("NewKey"))],
        )
        .with_body("KeyRequest", keys::MAX_BODY),
        (Scope::KeysManage, 0),
        |to, request, charge| to.keys.create(AccountHolder::of(charge), request),
    )
    .for_test_keys()
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        post(
            "/api/v1/keys/{kid}/rotate",
            "rotateKey",
            "Another key with the same permissions.",
            &[(201, Json("NewKey"))],
        )
        .with_body("Rotation", keys::MAX_BODY),
        (Scope::KeysManage, 0),
        |to, request, charge| to.keys.rotate(AccountHolder::of(charge), request),
    )
    .for_test_keys()
    .for_sessions(&ACCOUNT),
    Row::keyed_task(
        delete("/api/v1/keys/{kid}", "revokeKey", "Revokes a key.", &[(204, Empty)]),
        (Scope::KeysManage, 0),
        |to, request, charge| to.keys.revoke(AccountHolder::of(charge), request),
    )
    .for_test_keys()
    .for_sessions(&ACCOUNT),
    Row::session(
        get("/session/usage", "showUsageInSession", "The quota of the account.", &[(200, Json("Usage"))]),
        |to, request| {
            let signed_in = to.session.enter(request)?;
            done(to.session.usage.of_account(request, &signed_in.account, signed_in.plan))
        },
    ),
];
