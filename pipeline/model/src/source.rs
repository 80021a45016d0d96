//! Sources that clients push to, and the books of private ones: how their names say what they are.
//!
//! It never knows whose a source is.

/// What the name of a source begins with whose prices its own account alone sees.
const PRIVATE: &str = "push/";
/// What the name of a source begins with to which a client pushes prices for everybody.
const PUBLIC: &str = "feed/";
/// Between a private source and its book.
const OF: char = ':';

/// The name of a source that clients push to, by the name that an operator granted.
#[must_use]
pub fn pushed_source(granted: &str, is_public: bool) -> String {
    format!("{}{granted}", if is_public { PUBLIC } else { PRIVATE })
}

/// The name that an operator granted; `None` of a source that no client pushes to.
#[must_use]
pub fn granted_name(source: &str) -> Option<&str> {
    source.strip_prefix(PRIVATE).or_else(|| source.strip_prefix(PUBLIC))
}

/// Whether a source is one that clients push to.
#[must_use]
pub fn is_pushed(source: &str) -> bool {
    granted_name(source).is_some()
}

/// Whether nothing that others see may depend on a source.
#[must_use]
pub fn is_private(source: &str) -> bool {
    source.starts_with(PRIVATE)
}

/// The key of a private source's book: no two sources share one.
#[must_use]
pub fn private_book(granted: &str, book: &str) -> String {
    format!("{granted}{OF}{book}")
}

/// The granted name of a private source and its book, of a key that is one of a private book.
#[must_use]
pub fn of_private_book(key: &str) -> Option<(&str, &str)> {
    key.split_once(OF)
}

/// The book whose prices a key's are: of a private book, the one that its source names.
#[must_use]
pub fn book_of(key: &str) -> &str {
    of_private_book(key).map_or(key, |(_, book)| book)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_says_in_its_name_who_sees_it() {
        let names = [true, false].map(|is_public| pushed_source("acme", is_public));
        assert_eq!(names, ["feed/acme", "push/acme"]);
        assert_eq!(
            names.each_ref().map(|name| (is_pushed(name), is_private(name))),
            [(true, false), (true, true)]
        );
        assert!(names.iter().all(|name| granted_name(name) == Some("acme")));
        assert_eq!((granted_name("feed"), is_private("the-odds-api")), (None, false));
    }

    #[test]
    fn a_private_book_names_its_source_and_the_book_whose_prices_it_has() {
        let key = private_book("acme", "pinnacle");
        assert_eq!((key.as_str(), of_private_book(&key)), ("acme:pinnacle", Some(("acme", "pinnacle"))));
        assert_eq!((book_of(&key), book_of("pinnacle")), ("pinnacle", "pinnacle"));
    }
}
