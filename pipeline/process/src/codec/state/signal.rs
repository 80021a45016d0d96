//! A line's open signals and the samples of its consensus as parts of its record, and back.
//!
//! It decides nothing.

use arb_engine::effect::{SignalId, SignalKind};
use arb_engine::state::{SavedBet, SavedConsensus, SavedSignal};
use arb_schemas::records as wire;

use super::quote::{Once, id_bytes, saved_quote, state_quote};

pub(super) fn state_signal(signal: &SavedSignal, once: &mut Once) -> wire::StateSignal {
    wire::StateSignal {
        id: signal.id.to_string(),
        kind: signal.kind.key().to_owned(),
        opened_at: signal.opened_at,
        expires_at: signal.expires_at,
        sequence: signal.sequence,
        strength: signal.strength,
        confidence: signal.confidence,
        bets: signal.bets.iter().map(|bet| state_bet(bet, once)).collect(),
    }
}

fn state_bet(bet: &SavedBet, once: &mut Once) -> wire::StateBet {
    wire::StateBet { line: bet.line, quote: state_quote(&bet.quote, once) }
}

fn saved_bet(bet: &wire::StateBet, once: &Once) -> Option<SavedBet> {
    Some(SavedBet { line: bet.line, quote: saved_quote(&bet.quote, once)? })
}

pub(super) fn saved_signal(signal: &wire::StateSignal, once: &Once) -> Option<SavedSignal> {
    Some(SavedSignal {
        id: SignalId(id_bytes(&signal.id)?),
        kind: SignalKind::parse(&signal.kind)?,
        opened_at: signal.opened_at,
        expires_at: signal.expires_at,
        sequence: signal.sequence,
        strength: signal.strength,
        confidence: signal.confidence,
        bets: signal.bets.iter().map(|bet| saved_bet(bet, once)).collect::<Option<_>>()?,
    })
}

pub(super) fn state_consensus(sample: &SavedConsensus) -> wire::StateConsensus {
    wire::StateConsensus {
        outcome: sample.outcome.into(),
        at: sample.at,
        probability: sample.probability.into(),
    }
}

pub(super) fn saved_consensus(sample: &wire::StateConsensus) -> Option<SavedConsensus> {
    Some(SavedConsensus {
        outcome: sample.outcome.known()?,
        at: sample.at,
        probability: u32::try_from(sample.probability).ok()?,
    })
}
