//! Where a bet can be placed: the link that a source states for a book, else the template of the table of books, filled in.
//!
//! Values that a template takes are percent-encoded, and stand after the host, so that no name of an event leads elsewhere. It
//! never fetches anything.

use std::fmt;

use arb_model::Name;
use arb_model::link::{self, LinkFault};

use crate::caps::MARKET_LINKS;
use crate::market::{EventInfo, Market, Symbol};

/// Where the bets of a market can be placed at a book, as a source states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceLink {
    pub(crate) book: Symbol,
    pub(crate) link: Name,
}

/// The link to the bets of an event at a book, with placeholders for what differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTemplate(Vec<LinkPart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum LinkPart {
    Text(String),
    Value(LinkValue),
}

/// What a template can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkValue {
    Event,
    Sport,
    League,
    Home,
    Away,
    Market,
    Book,
}

impl LinkValue {
    const ALL: [Self; 7] =
        [Self::Event, Self::Sport, Self::League, Self::Home, Self::Away, Self::Market, Self::Book];

    fn key(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Sport => "sport",
            Self::League => "league",
            Self::Home => "home",
            Self::Away => "away",
            Self::Market => "market",
            Self::Book => "book",
        }
    }

    fn put(self, event: &EventInfo, market: Market, book: &str, out: &mut String) {
        let value = match self {
            Self::Event => &event.id,
            Self::Sport => &event.sport,
            Self::League => &event.league,
            Self::Home => &event.home,
            Self::Away => &event.away,
            Self::Market => return link::encode(&market.key(), out),
            Self::Book => return link::encode(book, out),
        };
        link::encode(value, out);
    }
}

/// Why a text is no template of links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    /// It is no link.
    Link(LinkFault),
    /// It has a placeholder that is not known.
    Placeholder(String),
    /// A placeholder stands before the end of the host.
    Host,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(fault) => write!(f, "link {fault}"),
            Self::Placeholder(name) => {
                let known = LinkValue::ALL.map(LinkValue::key).join(", ");
                write!(f, "link has the placeholder {{{name}}}, which is none of {known}")
            }
            Self::Host => f.write_str("link has a placeholder in its host: values stand after it"),
        }
    }
}

impl LinkTemplate {
    /// From its text: `https://book.example/{league}/{event}`. Placeholders: event, sport, league, home, away, market, book.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            let value = LinkValue::ALL.into_iter().find(|value| value.key() == name);
            let value = value.ok_or_else(|| TemplateError::Placeholder(name.to_owned()))?;
            parts.extend([LinkPart::Text(before.to_owned()), LinkPart::Value(value)]);
            rest = after;
        }
        parts.push(LinkPart::Text(rest.to_owned()));
        let template = Self(parts);
        // A value of unreserved characters changes nothing of what an address is, unless it is in the host.
        link::check(&template.with(|_, out| out.push('x'))).map_err(TemplateError::Link)?;
        let start =
            template.0.first().map_or("", |part| if let LinkPart::Text(text) = part { text } else { "" });
        let host = start.split_once("//").map_or("", |(_, rest)| rest);
        let is_whole = template.0.len() == 1 || host.contains(['/', '?', '#']);
        if is_whole { Ok(template) } else { Err(TemplateError::Host) }
    }

    /// The link to a market of an event at a book; `None` where it is too long.
    pub(crate) fn fill(&self, event: &EventInfo, market: Market, book: &str) -> Option<Name> {
        let link = self.with(|value, out| value.put(event, market, book, out));
        (link.len() <= link::LINK_BYTES).then(|| link.as_str().into())
    }

    fn with(&self, put: impl Fn(LinkValue, &mut String)) -> String {
        let mut link = String::new();
        for part in &self.0 {
            match part {
                LinkPart::Text(text) => link.push_str(text),
                LinkPart::Value(value) => put(*value, &mut link),
            }
        }
        link
    }
}

/// The links of a market after a source has stated some, by book, and how many of these there was no room for: each replaces that of
/// its book, and a book without a quote has none. Which ones have room does not depend on the numbers of names.
pub(crate) fn restated(
    were: &[SourceLink],
    stated: &[SourceLink],
    has_quote: impl Fn(Symbol) -> bool,
) -> (Vec<SourceLink>, usize) {
    let mut links: Vec<_> = were.iter().filter(|link| has_quote(link.book)).cloned().collect();
    let mut left_out = 0;
    for new in stated.iter().filter(|link| has_quote(link.book)) {
        match links.iter().position(|known| known.book == new.book) {
            Some(known) => links[known] = new.clone(),
            None if links.len() < MARKET_LINKS => links.push(new.clone()),
            None => left_out += 1,
        }
    }
    links.sort_unstable_by_key(|link| link.book);
    (links, left_out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{World, market, symbols};
    use crate::market::Names;
    use crate::venues::Books;

    fn filled(template: &str, home: &str) -> Option<String> {
        let world = World::new(Books::default(), 1);
        let step = world.step(0, 0);
        let event = EventInfo { home: home.into(), ..(**step.event).clone() };
        let template = LinkTemplate::parse(template).unwrap();
        template.fill(&event, market("totals_h1"), "a b").map(|link| link.to_string())
    }

    #[test]
    fn a_template_takes_what_it_names() {
        let all = "https://b.example/{sport}/{league}/{event}?h={home}&a={away}&m={market}&b={book}#{event}";
        assert_eq!(
            filled(all, "Nørd & By/1").unwrap(),
            "https://b.example/baseball/baseball_test/e?h=N%C3%B8rd%20%26%20By%2F1&a=A&m=totals_h1&b=a%20b#e"
        );
        assert_eq!(filled("http://b.example", "H").unwrap(), "http://b.example");
        assert_eq!(filled("https://b.example/{home}", &"ø".repeat(400)), None, "2,400 bytes when encoded");
    }

    #[test]
    fn a_template_is_checked_when_it_is_read() {
        let error = |text: &str| LinkTemplate::parse(text).unwrap_err().to_string();
        let not_http = "link is no address of http or https";
        for text in
            ["", "b.example/{event}", "javascript:{home}", "https://b.example/{", "https://b.example/a b"]
        {
            assert_eq!(error(text), not_http, "{text}");
        }
        assert_eq!(
            error("https://b.example/{player}"),
            "link has the placeholder {player}, which is none of event, sport, league, home, away, market, book"
        );
        for text in ["https://{home}.example/", "https://b.example{event}", "{event}https://b.example/"] {
            assert!(
                [not_http, "link has a placeholder in its host: values stand after it"]
                    .contains(&&*error(text)),
                "{text}"
            );
        }
        assert_eq!(error(&format!("https://b.example/{}", "x".repeat(3_000))), "link too long");
    }

    #[test]
    fn a_market_has_so_many_links_at_most() {
        let mut names = Names::default();
        let books: Vec<_> = (0..MARKET_LINKS + 2).map(|book| names.symbol(&book.to_string())).collect();
        let of = |books: &[Symbol]| {
            books.iter().map(|book| SourceLink { book: *book, link: "l".into() }).collect::<Vec<_>>()
        };
        let (links, left_out) = restated(&[], &of(&books), |_| true);
        assert_eq!((links, left_out), (of(&books[..MARKET_LINKS]), 2));
        let (links, left_out) =
            restated(&of(&books[..MARKET_LINKS]), &of(&books[1..]), |book| book != books[0]);
        assert_eq!((links, left_out), (of(&books[1..=MARKET_LINKS]), 1), "one that left makes room for one");
    }

    proptest! {
        /// Whatever an event is called, the link is one, and leads to the host of the template.
        #[test]
        fn no_name_leads_elsewhere(home in "\\PC{0,40}") {
            let link = filled("https://b.example/x?team={home}", &home).unwrap();
            prop_assert_eq!(link::check(&link), Ok(()));
            prop_assert!(link.starts_with("https://b.example/x?team="));
        }

        /// The last link of each book that was stated holds, else the one that was known, and only of books with a quote.
        #[test]
        fn links_are_those_that_were_stated_last(
            first in prop::collection::vec((0..4_usize, 0..3_u8), 0..6),
            second in prop::collection::vec((0..4_usize, 0..3_u8), 0..6),
            quoted in prop::collection::btree_set(0..4_usize, 0..4),
        ) {
            let books = symbols(&mut Names::default(), 4);
            let of = |all: &[(usize, u8)]| {
                let link = |(book, link): &(usize, u8)| SourceLink { book: books[*book], link: link.to_string().as_str().into() };
                all.iter().map(link).collect::<Vec<_>>()
            };
            let has_quote = |book: Symbol| quoted.iter().any(|at| books[*at] == book);
            let (found, _) = restated(&restated(&[], &of(&first), |_| true).0, &of(&second), has_quote);
            let last = |at: usize| first.iter().chain(&second).rfind(|(book, _)| *book == at);
            let expected: Vec<_> = quoted.iter().filter_map(|at| last(*at).copied()).collect();
            prop_assert_eq!(found, of(&expected));
        }
    }
}
