//! How long windows live as records of the changelog, and back: cells, and the lives of open windows.
//!
//! It decides nothing.

use std::sync::Arc;

use arb_engine::learning::survival::{Cell, EventStage, Life, MarketKind, Profile};
use arb_engine::state::Saved;
use arb_schemas::records as wire;

use super::StateError;

/// The key of a cell's record.
pub(super) fn key(sport: &str, profile: Profile) -> String {
    let Profile { stage, kind, margin, age } = profile;
    format!("survival/{sport}/{}/{}/{margin}/{age}", stage.key(), kind.key())
}

pub(super) fn state_survival(sport: &Arc<str>, profile: Profile, cell: &Cell) -> wire::StateSurvival {
    let (deaths, lived) = cell.counts();
    wire::StateSurvival {
        sport: sport.to_string(),
        stage: profile.stage.key().to_owned(),
        kind: profile.kind.key().to_owned(),
        margin: profile.margin.into(),
        age: profile.age.into(),
        deaths: deaths.to_vec(),
        lived: lived.to_vec(),
    }
}

pub(super) fn saved_survival(state: &wire::StateSurvival) -> Result<Saved, StateError> {
    let profile = profile(&state.stage, &state.kind, state.margin, state.age);
    let cell = Cell::from_counts(&state.deaths, &state.lived);
    let (profile, cell) = profile.zip(cell).ok_or(StateError::Impossible("cell of survival"))?;
    Ok(Saved::Survival { sport: state.sport.as_str().into(), profile, cell })
}

pub(super) fn state_life(life: &Life) -> wire::StateLife {
    wire::StateLife {
        stage: life.profile.stage.key().to_owned(),
        kind: life.profile.kind.key().to_owned(),
        margin: life.profile.margin.into(),
        age: life.profile.age.into(),
        pace: life.pace,
        since: life.since,
        confirmed_at: life.confirmed_at,
        taught_to: life.taught_to,
    }
}

pub(super) fn saved_life(state: &wire::StateLife) -> Option<Life> {
    Some(Life {
        profile: profile(&state.stage, &state.kind, state.margin, state.age)?,
        pace: Some(state.pace).filter(|pace| *pace > 0)?,
        since: state.since,
        confirmed_at: state.confirmed_at,
        taught_to: state.taught_to,
    })
}

fn profile(stage: &str, kind: &str, margin: i32, age: i32) -> Option<Profile> {
    Some(Profile {
        stage: EventStage::parse(stage)?,
        kind: MarketKind::parse(kind)?,
        margin: u8::try_from(margin).ok()?,
        age: u8::try_from(age).ok()?,
    })
}
