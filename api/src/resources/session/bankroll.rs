//! `PUT /session/bankroll`: what the holder of an account stakes, so that every browser of theirs has it.
//!
//! The page computes with it. It never changes what the API computes.

use std::sync::Arc;

use arb_accounts::command::{Actor, Command};
use arb_schemas::records::AccountBankroll;
use serde_json::json;

use super::{SessionResource, address, no_store};
use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Started;
use crate::view::BankrollView;

const BAD_TOTAL: &str =
    "must be a number from 0.01 to 10000000 with at most two decimals, in units of the currency";
const BAD_CURRENCY: &str =
    "must be three capital letters, such as EUR, or null: whatever the stakes of an entry are in";
const BAD_ROUNDING: &str =
    "must be a number from 0.01 to 1000 with at most two decimals: stakes are multiples of it";

impl SessionResource {
    /// Answers `PUT /session/bankroll`. What its values may be, the accounts machine decides.
    pub(crate) fn set_bankroll(&self, request: &Request<'_>) -> Started {
        let (shared, signed_in) = (Arc::clone(&self.shared), self.enter(request)?);
        let bankroll = parse(JsonBody::of(request)?)?;
        let shown = json!(BankrollView::new(&bankroll)).to_string();
        let id = shared.accounts.id(request, &signed_in.account, &shown)?;
        let source = (id, address(request));
        Ok(Box::pin(async move {
            let actor = Actor::Session(signed_in.session);
            let command = Command::SetBankroll { account: signed_in.account, bankroll };
            shared.accounts.write(shared.accounts.request(source, actor, command)).await?;
            Ok(no_store(reply::json(shown)))
        }))
    }
}

fn parse(mut body: JsonBody) -> Result<AccountBankroll, Problem> {
    let total: Option<f64> = body.take("total", BAD_TOTAL)?;
    let currency: Option<Option<String>> = body.take("currency", BAD_CURRENCY)?;
    let rounding: Option<f64> = body.take("rounding", BAD_ROUNDING)?;
    body.finish()?;
    let missing = |name, expected| move || Problem::invalid_param(name, expected);
    Ok(AccountBankroll {
        total: total.and_then(minor_units).ok_or_else(missing("total", BAD_TOTAL))?,
        currency: currency.flatten(),
        rounding: rounding.and_then(minor_units).ok_or_else(missing("rounding", BAD_ROUNDING))?,
    })
}

/// An amount in minor units; `None` of what has a part of one.
fn minor_units(amount: f64) -> Option<i64> {
    let minor = (amount * 100.0).round();
    let is_whole = (minor / 100.0 - amount).abs() < 1e-9 && minor.abs() < 1e15;
    #[allow(clippy::cast_possible_truncation)] // Below 2^53.
    is_whole.then_some(minor as i64)
}
