//! Frames read in place: names borrowed from the message, ticks in one list, by a reader written for this one schema.
//!
//! Most of the processor's work is reading frames, and most of that would be copying names that it only looks
//! up. The reader does not explain errors: for invalid bytes [`frame`] returns `None`, and
//! [`crate::wire::decode`], with which it must agree, returns the error. A test checks that they agree.
//!
//! Source: Apache Avro 1.12, "Binary encoding"; the order of the fields is that of `avro/Frame.avsc`.

use arb_model::OddsFormat;

use crate::limits;
use crate::records::{Coverage, Event, Frame, Offer, Outcome, Push, Side, Status, Tick};
use crate::time::Micros;
use crate::wire::{HEADER, RecordType};

/// A [`Frame`] whose names lie elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of the owned record.
pub struct FrameView<'a> {
    pub source: &'a str,
    pub received_at: Micros,
    pub poll_index: Option<i32>,
    pub event: EventView<'a>,
    pub coverage: CoverageView<'a>,
    /// Those of all offers.
    pub ticks: Vec<TickView<'a>>,
    /// Those of the offers that have one.
    pub links: Vec<LinkView<'a>>,
    pub push: Option<Push>,
}

/// A [`Event`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of the owned record.
pub struct EventView<'a> {
    pub id: &'a str,
    pub sport: &'a str,
    pub league: &'a str,
    pub home: &'a str,
    pub away: &'a str,
    pub commence_time: Micros,
}

/// A [`Coverage`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of the owned record.
pub struct CoverageView<'a> {
    pub books: Option<Vec<&'a str>>,
    pub markets: Option<Vec<&'a str>>,
}

/// Where the bets of an [`Offer`] can be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of the owned record.
pub struct LinkView<'a> {
    pub book: &'a str,
    pub market: &'a str,
    pub link: &'a str,
}

/// A [`Tick`], with the fields of its [`Offer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of the owned record.
pub struct TickView<'a> {
    pub book: &'a str,
    pub market: &'a str,
    pub last_seen_at: Micros,
    pub price_moved_at: Option<Micros>,
    pub odds_format: OddsFormat,
    pub tick: Tick,
}

impl<'a> From<&'a Frame> for FrameView<'a> {
    fn from(frame: &'a Frame) -> Self {
        let Frame { source, received_at, poll_index, event, coverage, offers, push } = frame;
        let ticks = offers.iter().flat_map(offer_ticks).collect();
        let links = offers.iter().filter_map(offer_link).collect();
        let (received_at, poll_index, push) = (*received_at, *poll_index, *push);
        let (event, coverage) = (event.into(), coverage.into());
        Self { source, received_at, poll_index, event, coverage, ticks, links, push }
    }
}

impl<'a> From<&'a Event> for EventView<'a> {
    fn from(event: &'a Event) -> Self {
        let Event { id, sport, league, home, away, commence_time } = event;
        Self { id, sport, league, home, away, commence_time: commence_time.0 }
    }
}

impl<'a> From<&'a Coverage> for CoverageView<'a> {
    fn from(coverage: &'a Coverage) -> Self {
        let names = |names: &'a Vec<String>| names.iter().map(String::as_str).collect();
        Self { books: coverage.books.as_ref().map(names), markets: coverage.markets.as_ref().map(names) }
    }
}

fn offer_ticks(offer: &Offer) -> impl Iterator<Item = TickView<'_>> {
    let Offer { book, market, last_seen_at, price_moved_at, ticks, odds_format, .. } = offer;
    let (last_seen_at, price_moved_at, odds_format) = (*last_seen_at, *price_moved_at, *odds_format);
    ticks.iter().map(move |tick| TickView {
        book,
        market,
        last_seen_at,
        price_moved_at,
        odds_format,
        tick: *tick,
    })
}

fn offer_link(offer: &Offer) -> Option<LinkView<'_>> {
    let Offer { book, market, link, .. } = offer;
    Some(LinkView { book, market, link: link.as_deref()? })
}

/// The message as a frame; `None` when it is none, or not as this reader expects it.
#[must_use]
pub fn frame(message: &[u8]) -> Option<FrameView<'_>> {
    let ([0, id @ ..], datum) = message.split_first_chunk::<HEADER>()? else { return None };
    if message.len() > limits::INPUT || u32::from_be_bytes(*id) != RecordType::Frame as u32 {
        return None;
    }
    let mut datum = Datum(datum);
    let mut frame = FrameView {
        source: datum.text()?,
        received_at: datum.long()?,
        poll_index: datum.option(Datum::int)?,
        event: datum.event()?,
        coverage: CoverageView { books: datum.option(Datum::names)?, markets: datum.option(Datum::names)? },
        ticks: Vec::new(),
        links: Vec::new(),
        push: None,
    };
    datum.array(|datum| datum.offer(&mut frame))?;
    frame.push = datum.option(Datum::push)?;
    datum.0.is_empty().then_some(frame)
}

/// The number whose sign is the lowest of these bits.
fn unzigzag(bits: u64) -> i64 {
    (bits >> 1).cast_signed() ^ -((bits & 1).cast_signed())
}

/// What is left to read.
struct Datum<'a>(&'a [u8]);

impl<'a> Datum<'a> {
    #[inline]
    fn long(&mut self) -> Option<i64> {
        match self.0 {
            // Most are lengths and places of symbols.
            [byte @ ..0x80, rest @ ..] => {
                self.0 = rest;
                Some(unzigzag(u64::from(*byte)))
            }
            _ => self.long_of_bytes(),
        }
    }

    fn long_of_bytes(&mut self) -> Option<i64> {
        let (mut bits, mut shift) = (0_u64, 0_u32);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let low = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit.
            if shift == 63 && low > 1 {
                return None;
            }
            bits |= low << shift;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
            if shift > 63 {
                return None;
            }
        }
        Some(unzigzag(bits))
    }

    fn int(&mut self) -> Option<i32> {
        i32::try_from(self.long()?).ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.long()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    /// A union of null and something.
    #[expect(clippy::option_option, reason = "the outer is whether it could be read")]
    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.long()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    /// Blocks of items. A block that names its size in bytes is left to the other reader: ours never writes one.
    fn array(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        loop {
            let count = u64::try_from(self.long()?).ok()?;
            if count == 0 {
                return Some(());
            }
            (0..count).try_for_each(|_| item(self))?;
        }
    }

    fn names(&mut self) -> Option<Vec<&'a str>> {
        let mut names = Vec::new();
        self.array(|datum| {
            names.push(datum.text()?);
            Some(())
        })?;
        Some(names)
    }

    fn event(&mut self) -> Option<EventView<'a>> {
        Some(EventView {
            id: self.text()?,
            sport: self.text()?,
            league: self.text()?,
            home: self.text()?,
            away: self.text()?,
            commence_time: self.long()?,
        })
    }

    fn offer(&mut self, frame: &mut FrameView<'a>) -> Option<()> {
        let (book, market) = (self.text()?, self.text()?);
        let (last_seen_at, price_moved_at) = (self.long()?, self.option(Self::long)?);
        let (before, odds_format) = (frame.ticks.len(), OddsFormat::Unknown);
        self.array(|datum| {
            let tick = datum.tick()?;
            frame.ticks.push(TickView { book, market, last_seen_at, price_moved_at, odds_format, tick });
            Some(())
        })?;
        let link = self.option(Self::text)?;
        frame.links.extend(link.map(|link| LinkView { book, market, link }));
        let odds_format = self.symbol(&FORMATS)?;
        frame.ticks[before..].iter_mut().for_each(|tick| tick.odds_format = odds_format);
        Some(())
    }

    fn tick(&mut self) -> Option<Tick> {
        Some(Tick {
            outcome: self.symbol(&OUTCOMES)?,
            side: self.symbol(&SIDES)?,
            line: self.option(Self::int)?,
            price: self.long()?,
            status: self.symbol(&STATUSES)?,
            limit: self.option(Self::long)?,
        })
    }

    fn push(&mut self) -> Option<Push> {
        Some(Push { sequence: self.long()?, names_event: self.boolean()? })
    }

    fn boolean(&mut self) -> Option<bool> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        match byte {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn symbol<T: Copy>(&mut self, symbols: &[T]) -> Option<T> {
        symbols.get(usize::try_from(self.long()?).ok()?).copied()
    }
}

/// In the order of the schema.
const OUTCOMES: [Outcome; 6] =
    [Outcome::Unknown, Outcome::Home, Outcome::Draw, Outcome::Away, Outcome::Over, Outcome::Under];
/// As above.
const SIDES: [Side; 3] = [Side::Unknown, Side::Back, Side::Lay];
/// As above.
const STATUSES: [Status; 3] = [Status::Unknown, Status::Active, Status::Suspended];
/// As above.
const FORMATS: [OddsFormat; 3] = [OddsFormat::Unknown, OddsFormat::Decimal, OddsFormat::American];
