//! The slots that are taken: a bot of a version bets once on a market of an event. They are those of `arb_settle::pick_id`, of one feed.
//!
//! It never forgets one while its event can still be bet on.

use std::collections::HashMap;

use arb_model::{Family, Market, Open, Period};
use arb_picks::bots::Bot;
use arb_schemas::time::{Micros, SECOND};
use foldhash::fast::RandomState;

/// So long after its announced start an event is not bet on any more, wherever its new start is.
const KEPT: Micros = 31 * 86_400 * SECOND;
/// Between two searches for what can be forgotten, in event time: each looks at every slot.
const FORGET_EVERY: Micros = 3_600 * SECOND;

/// Whose slot it is, and what it is on.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotKey {
    /// The bot.
    pub bot: String,
    /// The version of its rule.
    pub version: i64,
    /// Market family.
    pub market: Open<Family>,
    /// Period of the market.
    pub period: Open<Period>,
}

impl SlotKey {
    fn is_of(&self, bot: Bot, market: Market) -> bool {
        self.bot == bot.key()
            && self.version == i64::from(bot.version())
            && self.market == market.family
            && self.period == market.period
    }
}

/// A slot that is taken.
#[derive(Debug)]
struct Slot {
    key: SlotKey,
    /// The announced start of its event.
    start: Micros,
    /// When the price was confirmed that was bet at; `None` where another instance has asked for the pick.
    seen_at: Option<Micros>,
}

/// Those that are taken, by event.
#[derive(Debug, Default)]
pub struct TakenSlots {
    events: HashMap<String, Vec<Slot>, RandomState>,
    forgotten_at: Option<Micros>,
}

impl TakenSlots {
    /// Whether a bot has bet on a market of an event, which is looked for once.
    pub fn of(&self, event: &str) -> impl Fn(Bot, Market) -> bool {
        let slots = self.events.get(event);
        move |bot, market| slots.is_some_and(|slots| slots.iter().any(|slot| slot.key.is_of(bot, market)))
    }

    /// Takes a slot, unless it is taken, for an event with this announced start, at a price that was confirmed at a time. Returns when the
    /// price was confirmed at which the slot was first taken.
    pub fn take(
        &mut self,
        event: &str,
        key: SlotKey,
        start: Micros,
        seen_at: Option<Micros>,
    ) -> Option<Micros> {
        let slots = self.events.entry(event.to_owned()).or_default();
        if let Some(slot) = slots.iter().find(|slot| slot.key == key) {
            return slot.seen_at;
        }
        slots.push(Slot { key, start, seen_at });
        seen_at
    }

    /// Forgets the slots of events that nobody bets on any more.
    pub fn forget(&mut self, clock: Micros) {
        if self.forgotten_at.is_some_and(|last| clock < last.saturating_add(FORGET_EVERY)) {
            return;
        }
        self.forgotten_at = Some(clock);
        self.events.retain(|_, slots| {
            slots.retain(|slot| slot.start.saturating_add(KEPT) > clock);
            !slots.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::records::PickCandidate;
    use arb_settle::pick_id;

    use super::*;

    const H2H: Market = Market { family: Family::H2h, period: Period::FullTime };
    const TOTALS: Market = Market { family: Family::Totals, period: Period::H1 };

    fn key(bot: Bot, version: i64, market: Market) -> SlotKey {
        SlotKey {
            bot: bot.key().to_owned(),
            version,
            market: market.family.into(),
            period: market.period.into(),
        }
    }

    /// The slot of the settlement machine.
    fn settled(event: &str, SlotKey { bot, version, market, period }: SlotKey) -> String {
        let mut candidate = PickCandidate { bot, version, market, period, ..PickCandidate::default() };
        candidate.event.id = event.into();
        pick_id::slot(&candidate)
    }

    #[test]
    fn a_slot_is_taken_where_the_settlement_machine_has_it_taken() {
        let given = |version| {
            let bots = Bot::ALL.into_iter().flat_map(|bot| [H2H, TOTALS].map(|market| (bot, market)));
            bots.flat_map(move |(bot, market)| ["a", "b"].map(|event| (event, key(bot, version, market))))
        };
        for (event, key) in given(1).chain(given(2)) {
            let mut slots = TakenSlots::default();
            slots.take(event, key.clone(), 0, None);
            let slot = settled(event, key);
            for (bot, market) in
                Bot::ALL.into_iter().flat_map(|bot| [H2H, TOTALS].map(|market| (bot, market)))
            {
                for other in ["a", "b"] {
                    let is_same = settled(other, self::key(bot, bot.version().into(), market)) == slot;
                    assert_eq!(slots.of(other)(bot, market), is_same, "{bot:?} {market:?} {other}");
                }
            }
        }
    }

    #[test]
    fn the_first_price_of_a_slot_counts() {
        let mut slots = TakenSlots::default();
        let key = key(Bot::Sharp, 1, H2H);
        assert_eq!(slots.take("a", key.clone(), 0, Some(7)), Some(7));
        assert_eq!(slots.take("a", key.clone(), 0, None), Some(7), "it was published");
        assert_eq!(slots.take("b", key.clone(), 0, None), None, "another instance has asked for it");
        assert_eq!(slots.take("b", key, 0, Some(8)), None);
    }

    #[test]
    fn a_slot_is_forgotten_a_month_after_the_start_and_no_sooner() {
        let mut slots = TakenSlots::default();
        slots.take("a", key(Bot::Sharp, 2, H2H), 10 * SECOND, None);
        slots.take("a", key(Bot::Model, 2, H2H), 20 * SECOND + FORGET_EVERY, None);
        let taken = |slots: &TakenSlots| [Bot::Sharp, Bot::Model].map(|bot| slots.of("a")(bot, H2H));
        slots.forget(KEPT + 10 * SECOND - 1);
        assert_eq!(taken(&slots), [true, true]);
        slots.forget(KEPT + 10 * SECOND);
        assert_eq!(taken(&slots), [true, true], "it was searched just before");
        slots.forget(KEPT + 10 * SECOND + FORGET_EVERY);
        assert_eq!(taken(&slots), [false, true]);
        slots.forget(KEPT + 20 * SECOND + 2 * FORGET_EVERY);
        assert!(slots.events.is_empty());
    }
}
