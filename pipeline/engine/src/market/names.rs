//! Names as small numbers, so that a quote holds four bytes for its book.
//!
//! It only grows, and no output depends on which number a name got: outputs carry names, and order is by name. So that names are not
//! compared letter by letter again and again, each has its place among all of them; a new one moves those after it.

use std::collections::HashMap;
use std::sync::Arc;

use arb_model::source::{is_private, is_pushed};
use foldhash::fast::RandomState;

/// A name's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// How many there can be, a power of two: keys of quotes have 27 bits for a book.
    pub(super) const COUNT: u32 = 1 << 27;

    /// The symbol of a number below [`Self::COUNT`].
    pub(super) fn of(number: u32) -> Self {
        Self(number)
    }

    /// Its place in tables by symbol, which are no larger than the table of names.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    symbols: HashMap<Arc<str>, Symbol, RandomState>,
    by_symbol: Vec<Arc<str>>,
    /// All symbols, in the order of their names.
    sorted: Vec<Symbol>,
    /// The place of each symbol in `sorted`.
    places: Vec<u32>,
}

impl Names {
    /// The symbol of a name, made on first use.
    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        // A partition sees a few hundred books and sources; more would not fit into the memory.
        let number = u32::try_from(self.by_symbol.len()).unwrap_or(u32::MAX);
        let symbol = Symbol(number.min(Symbol::COUNT - 1));
        let name: Arc<str> = name.into();
        let place = self.sorted.partition_point(|other| *self.by_symbol[other.index()] < *name);
        self.sorted.insert(place, symbol);
        self.by_symbol.push(Arc::clone(&name));
        self.symbols.insert(name, symbol);
        self.places.resize(self.by_symbol.len(), 0);
        for (symbol, place) in self.sorted[place..].iter().zip(u32::try_from(place).unwrap_or(u32::MAX)..) {
            self.places[symbol.index()] = place;
        }
        symbol
    }

    /// The place of a symbol's name among all: of two, the lower is of the name that comes first. It holds until there is a new name.
    pub(crate) fn place(&self, symbol: Symbol) -> u32 {
        self.places[symbol.index()]
    }

    /// The symbol of a name that was used before.
    pub(crate) fn known(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// How many names there are.
    pub(crate) fn count(&self) -> usize {
        self.by_symbol.len()
    }

    /// All symbols of this table.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = Symbol> + use<> {
        (0..u32::try_from(self.by_symbol.len()).unwrap_or(u32::MAX)).map(Symbol)
    }

    /// Whether a symbol of this table is a source that clients push to.
    pub(crate) fn is_pushed(&self, source: Symbol) -> bool {
        is_pushed(self.name(source))
    }

    /// Whether nothing that others see may depend on a symbol of this table.
    pub(crate) fn is_private(&self, source: Symbol) -> bool {
        is_private(self.name(source))
    }

    /// The name of a symbol of this table.
    pub(crate) fn name(&self, symbol: Symbol) -> &Arc<str> {
        &self.by_symbol[symbol.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_has_one_symbol() {
        let mut names = Names::default();
        let (a, b) = (names.symbol("a"), names.symbol("b"));
        assert_ne!(a, b);
        assert_eq!(names.symbol("a"), a);
        assert_eq!((names.known("b"), names.known("c")), (Some(b), None));
        assert_eq!(&**names.name(b), "b");
    }

    proptest! {
        /// Names are numbered by their first use, without gaps, and each is found by its number.
        #[test]
        fn symbols_are_the_order_of_first_use(used in prop::collection::vec("[a-e]{0,2}", 0..40)) {
            let (mut names, mut first) = (Names::default(), Vec::new());
            for name in &used {
                let symbol = names.symbol(name);
                if !first.contains(name) {
                    prop_assert_eq!(symbol.index(), first.len());
                    first.push(name.clone());
                }
                prop_assert_eq!(&**names.name(symbol), name);
                prop_assert_eq!(names.known(name), Some(symbol));
            }
            let all: Vec<_> = names.symbols().map(|symbol| names.name(symbol).to_string()).collect();
            prop_assert_eq!(&all, &first);
            for (a, b) in names.symbols().flat_map(|a| names.symbols().map(move |b| (a, b))) {
                prop_assert_eq!(names.place(a).cmp(&names.place(b)), names.name(a).cmp(names.name(b)));
            }
            prop_assert_eq!(names.known("never used"), None);
        }
    }
}
