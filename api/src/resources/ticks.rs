//! `POST /v1/ticks` and `POST /api/v1/ticks`: odds of the caller's own feed, answered once Kafka has acknowledged them; `GET
//! /v1/ticks/dead-letters`: those of them that could not be taken in.
//!
//! The source's name and its books are what the operator granted. It never decides whether an update is new.

use std::sync::Arc;

use arb_accounts::directory::Directory;
use arb_accounts::scope::Scope;
use arb_schemas::limits::PUSH_TEXT;
use bytes::Bytes;
use tokio::task::spawn_blocking;
use warp::http::header::CONTENT_ENCODING;

use crate::access::authority::Authority;
use crate::http::body;
use crate::http::charge::Charge;
use crate::http::problem::{LineError, Problem};
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::pushes::{
    Batch, BatchFault, Encoding, LETTERS_SHOWN, LineFault, PushGate, PushGrant, PushLetters, SendFailure,
    TextFault, as_text,
};
use crate::quotes::store::Quotes;
use crate::resources::tagged;
use crate::view::{LetterList, TicksView};

/// The way of pushed odds.
#[derive(Debug)]
pub(crate) struct TicksResource {
    authority: Arc<Authority>,
    gate: Arc<PushGate>,
    letters: Arc<PushLetters>,
    quotes: Arc<Quotes>,
}

impl TicksResource {
    /// Of these accounts, to this log, with what was dead-lettered of it.
    pub(crate) fn new(
        authority: &Arc<Authority>,
        (gate, letters): (&Arc<PushGate>, &Arc<PushLetters>),
        quotes: &Arc<Quotes>,
    ) -> Self {
        Self {
            authority: Arc::clone(authority),
            gate: Arc::clone(gate),
            letters: Arc::clone(letters),
            quotes: Arc::clone(quotes),
        }
    }

    /// Answers `GET /ticks/dead-letters`: those of the caller's source.
    pub(crate) fn dead_letters(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        tagged::refuse_parameters(request)?;
        let grant = self.grant(charge)?;
        let since = self.authority.now() - LETTERS_SHOWN;
        let letters = self.letters.since(&grant.name, since);
        let letters =
            letters.ok_or_else(|| Problem::unavailable("The dead letters are being read; try again."))?;
        tagged::answer(&LetterList { source: &grant.name, dead_letters: letters }, request, charge)
    }

    /// Takes in a batch. One that is sent again is taken in once by its sequences, with an `Idempotency-Key` or without.
    pub(crate) fn push(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        let encoding = request.headers().get(CONTENT_ENCODING).map(|value| value.to_str().unwrap_or("?"));
        let encoding = Encoding::parse(encoding).ok_or_else(Problem::unsupported_encoding)?;
        let grant = self.grant(charge)?;
        let source = grant.source();
        if self.quotes.is_suspended(&source) {
            return Err(Problem::forbidden(
                "The operator has suspended the account's source: nothing of it is taken.",
            ));
        }
        let permit = self.gate.enter().ok_or_else(Problem::pushes_full)?;
        // An answer that is none costs nothing.
        charge.charge()?;
        let (gate, body, now) = (Arc::clone(&self.gate), request.body.clone(), self.authority.received_at());
        let read_batch = if body::is_json(request.headers()) { Batch::read_json } else { Batch::read };
        Ok(Box::pin(async move {
            // Up to 8 MiB of text: too long for a thread that serves others.
            let batch = spawn_blocking(move || {
                let text = text(&body, encoding)?;
                read_batch(&text, &grant, now).map_err(refusal)
            });
            let batch = batch.await;
            let batch = batch.map_err(|_| Problem::unavailable("The batch could not be read."))??;
            if batch.accepted == 0 {
                return Err(Problem::nothing_accepted(faults(&batch)));
            }
            let lines = u32::try_from(batch.accepted).unwrap_or(u32::MAX);
            gate.lines.count(&source, lines).map_err(Problem::pushes_too_fast)?;
            gate.send(&batch.updates).await.map_err(|failure| match failure {
                SendFailure::Full => Problem::pushes_full(),
                SendFailure::Unacknowledged => Problem::unavailable(
                    "Kafka has not acknowledged the batch in time. Send it again: what was written is taken in once.",
                ),
            })?;
            drop(permit);
            Ok(reply::view(&answer(&batch)))
        }))
    }

    /// What the caller's account may push.
    fn grant(&self, charge: &Charge<'_>) -> Result<PushGrant, Problem> {
        let of = |directory: &Directory| {
            let account = directory.account(&charge.caller.account)?;
            Some((account.source.clone()?, account.is_public, account.books.clone()))
        };
        let (name, is_public, books) = self.authority.replica().with(of).ok_or_else(|| {
            Problem::forbidden("The account has no source of odds: its operator grants one, with its books.")
        })?;
        let may_name_events = charge.caller.scopes.contains(&Scope::EventsWrite);
        Ok(PushGrant { name, is_public, books, may_name_events })
    }
}

fn text(body: &Bytes, encoding: Encoding) -> Result<String, Problem> {
    as_text(body, encoding).map_err(|fault| match fault {
        TextFault::TooLong => Problem::payload_too_large(PUSH_TEXT),
        TextFault::NotGzip => Problem::bad_request("The body is not complete gzip."),
        TextFault::NotUtf8 => Problem::bad_request("The body is not UTF-8."),
    })
}

fn refusal(fault: BatchFault) -> Problem {
    match fault {
        BatchFault::NotLines => {
            Problem::bad_request("The body is not a JSON object whose lines are a list, and nothing else.")
        }
        BatchFault::Empty => Problem::bad_request("The body has no line."),
        BatchFault::TooManyTicks => Problem::too_much("The body has more than 10000 lines."),
        BatchFault::TooManyEvents => Problem::too_much("The body has more than 500 events."),
        BatchFault::TooManyNames => Problem::too_much("The body has more than 1000 books and markets."),
    }
}

fn answer(batch: &Batch) -> TicksView {
    TicksView {
        accepted: batch.accepted,
        updates: batch.updates.len(),
        rejected: batch.faults.len(),
        errors: faults(batch),
    }
}

fn faults(batch: &Batch) -> Vec<LineError> {
    let faults = batch.faults.iter().map(|(line, LineFault { field, reason })| LineError {
        line: *line,
        field: field.clone(),
        reason: reason.clone(),
    });
    faults.collect()
}
