//! A list at one moment: in its order, as JSON that all clients share.
//!
//! It reads nothing itself: its content is passed in, and building it may take as long as it needs. A page
//! that was requested is cached, bytes and tag, for as long as the snapshot exists, or until newer pages need
//! its room: the same request is not rendered twice.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use arb_feed::view::{self, OddsFormat};
use arb_model::described::{Described, FieldShape, Presence, RecordShape, Shape};
use arb_model::{Time, view};
use arb_schemas::time::Micros;
use bytes::Bytes;
use serde_json::json;

use crate::http::encoding::Encoded;
use crate::http::etag::Tag;
use crate::http::paging::Cursor;
use crate::lists::listed::{ListFilter, Listed, SortKey};

/// Most bytes of pages that are kept, with the questions that they answer.
const MAX_KEPT: usize = 16 * 1024 * 1024;
/// The same of a board of one caller.
const MAX_KEPT_OF_ONE: usize = 1024 * 1024;
/// Times the bytes of a page that it takes with its compressed forms, at most.
const FORMS: usize = 2;
/// What a page takes beside its bytes and the names in its question, at most: its tag and its places in the tables.
const PLACES: usize = 512;
/// Bytes after the last entry, roughly.
const TAIL: usize = 256;

/// What a snapshot is made of.
#[derive(Debug)]
pub(crate) struct Parts<E> {
    /// In any order.
    pub(crate) entries: Vec<Arc<E>>,
    /// The last poll of each source that every partition contains.
    pub(crate) polls: BTreeMap<String, Micros>,
    /// None has come for longer than the sources promise.
    pub(crate) is_stale: bool,
}

view! {
    /// What a list begins with.
    pub(crate) struct ListHead {
        as_of: Option<Time>,
        stale: bool,
        polls: Vec<PollView>,
    }
}

view! {
    /// The last poll of a source that every partition contains.
    pub(crate) struct PollView => "Poll" {
        source: String,
        polled_at: Time,
    }
}

/// A list at one moment, first entry first.
#[derive(Debug)]
pub(crate) struct Snapshot<E: Listed> {
    as_of: Option<Micros>,
    head: ListHead,
    entries: Vec<RenderedEntry<E>>,
    kept: RwLock<PageCache<PageQueryOf<E>>>,
}

/// Which page.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PageQuery<P, F> {
    /// At most so many entries.
    pub(crate) limit: usize,
    /// After a place; from the first one on where there is none.
    pub(crate) after: Option<P>,
    /// The entries that pass the filter.
    pub(crate) filter: F,
    /// As what.
    pub(crate) form: PageForm,
}

/// What a page is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum PageForm {
    #[default]
    Json,
    /// Rows, for a list that has columns.
    Csv,
}

/// Of a list.
pub(crate) type PageQueryOf<E> = PageQuery<<E as Listed>::Key, <E as Listed>::Filter>;

/// A page as it is sent, shared by all clients that receive it.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) body: Encoded,
    pub(crate) tag: Tag,
    /// The cursor of the next page.
    pub(crate) next: Option<String>,
}

/// Pages that were asked for, by what was asked.
#[derive(Debug)]
struct PageCache<A> {
    /// With what each takes.
    pages: HashMap<Arc<A>, (Arc<Page>, usize)>,
    /// Their questions, the first one first.
    order: VecDeque<Arc<A>>,
    bytes: usize,
    /// Bytes, at most.
    most: usize,
}

impl<A> Default for PageCache<A> {
    fn default() -> Self {
        Self { pages: HashMap::new(), order: VecDeque::new(), bytes: 0, most: MAX_KEPT }
    }
}

impl<A: Clone + Eq + Hash> PageCache<A> {
    /// Caches a page, with the bytes of the names in its query; the oldest page makes room. A client that
    /// requests many pages that no other client uses pays for each, and costs the others one rendering of
    /// theirs for every 16 MB.
    fn keep(&mut self, ask: &A, page: &Arc<Page>, names: usize) {
        // Small ones count too: there are as many answers without entries as names.
        let bytes = FORMS * page.body.plain.len() + names + PLACES;
        // Two may have rendered it at one time.
        if bytes > self.most || self.pages.contains_key(ask) {
            return;
        }
        while self.bytes + bytes > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes -= self.pages.remove(&oldest).map_or(0, |(_, bytes)| bytes);
        }
        let ask = Arc::new(ask.clone());
        self.order.push_back(Arc::clone(&ask));
        self.pages.insert(ask, (Arc::clone(page), bytes));
        self.bytes += bytes;
    }
}

/// An entry as it is sent.
#[derive(Debug)]
struct RenderedEntry<E: Listed> {
    place: E::Key,
    rank: u64,
    entry: Arc<E>,
    json: Bytes,
}

/// A page, as it is rendered.
impl<E: Listed> Described for Snapshot<E> {
    const SHAPE: Shape = Shape::Record(&RecordShape {
        name: E::PAGE,
        doc: &["A page of the list."],
        fields: &[
            FieldShape { presence: Presence::Flattened, ..FieldShape::new("head", &[], ListHead::SHAPE) },
            FieldShape::new(E::NAME, &[], Vec::<E::View<'static>>::SHAPE),
            FieldShape::new("next_cursor", &[], Option::<String>::SHAPE),
        ],
    });
}

impl<E: Listed> Snapshot<E> {
    /// Orders and renders.
    pub(crate) fn of(parts: &Parts<E>) -> Self {
        let as_of = parts.polls.values().max().copied();
        let mut ordered: Vec<_> = parts.entries.iter().map(|entry| (entry.key(), entry)).collect();
        ordered.sort_by(|(a, _), (b, _)| a.cmp(b));
        let shown = ordered.into_iter().zip(1_u64..).map(|((place, entry), rank)| RenderedEntry {
            place,
            rank,
            entry: Arc::clone(entry),
            json: view::json(&entry.view(rank, as_of, OddsFormat::Decimal)).into(),
        });
        let poll =
            |(source, at): (&String, &Micros)| PollView { source: source.clone(), polled_at: Time(*at) };
        let polls = parts.polls.iter().map(poll).collect();
        let head = ListHead { as_of: as_of.map(Time), stale: parts.is_stale, polls };
        Self { as_of, head, entries: shown.collect(), kept: RwLock::default() }
    }

    /// The same with less room for pages: there are many such boards, and each has few readers.
    pub(crate) fn of_one_caller(parts: &Parts<E>) -> Self {
        let cache = PageCache { most: MAX_KEPT_OF_ONE, ..PageCache::default() };
        Self { kept: RwLock::new(cache), ..Self::of(parts) }
    }

    /// An entry by its id.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<E>> {
        self.entries.iter().map(|shown| &shown.entry).find(|entry| entry.id() == id).cloned()
    }

    /// A page, as it was rendered when it was first asked for.
    pub(crate) fn page(&self, ask: &PageQueryOf<E>) -> Arc<Page> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((page, _)) = kept.pages.get(ask) {
            return Arc::clone(page);
        }
        drop(kept);
        let (body, next) = self.render(ask);
        let body = Bytes::from(body);
        let page = Arc::new(Page { tag: Tag::of(&body), body: Encoded::new(body), next });
        let names = ask.filter.bytes() + ask.after.as_ref().map_or(0, SortKey::bytes);
        self.kept.write().unwrap_or_else(PoisonError::into_inner).keep(ask, &page, names);
        page
    }

    /// The entries of a page, and whether there are more.
    fn found(
        &self,
        PageQuery { limit, after, filter, .. }: &PageQueryOf<E>,
    ) -> (Vec<&RenderedEntry<E>>, bool) {
        let is_passed = |place: &E::Key| after.as_ref().is_some_and(|after| place <= after);
        let is_shown = |shown: &&RenderedEntry<E>| filter.includes(&shown.entry, self.as_of);
        if !filter.reorders() {
            let start = self.entries.partition_point(|shown| is_passed(&shown.place));
            return one_page(self.entries[start..].iter().filter(is_shown), *limit);
        }
        let all = self.entries.iter().filter(is_shown).map(|shown| (filter.key(&shown.entry), shown));
        let mut rest: Vec<_> = all.filter(|(place, _)| !is_passed(place)).collect();
        rest.sort_by(|(a, _), (b, _)| a.cmp(b));
        one_page(rest.into_iter().map(|(_, shown)| shown), *limit)
    }

    /// A page in its form, and the cursor of the next one.
    fn render(&self, ask: &PageQueryOf<E>) -> (String, Option<String>) {
        let (page, has_more) = self.found(ask);
        let next = page.last().filter(|_| has_more).map(|last| {
            let filter = ask.filter.clone();
            Cursor { after: filter.key(&last.entry), filter }.encode()
        });
        let text = match ask.form {
            PageForm::Json => self.render_json(&page, ask.filter.odds(), next.as_deref()),
            PageForm::Csv => self.render_csv(&page, ask.filter.odds()),
        };
        (text, next)
    }

    /// In the envelope. Entries with decimal odds are JSON already and go in as they are.
    fn render_json(&self, page: &[&RenderedEntry<E>], odds: OddsFormat, next: Option<&str>) -> String {
        let mut text = self.opening();
        text.reserve(page.iter().map(|shown| shown.json.len() + 1).sum::<usize>() + TAIL);
        for (index, shown) in page.iter().enumerate() {
            text.push_str(if index == 0 { "" } else { "," });
            if odds == OddsFormat::Decimal {
                text.push_str(&String::from_utf8_lossy(&shown.json));
            } else {
                let entry = view::json(&shown.entry.view(shown.rank, self.as_of, odds));
                text.push_str(&String::from_utf8_lossy(&entry));
            }
        }
        text.push_str("],\"next_cursor\":");
        text.push_str(&json!(next).to_string());
        text.push('}');
        text
    }

    fn render_csv(&self, page: &[&RenderedEntry<E>], odds: OddsFormat) -> String {
        let mut text = E::CSV.unwrap_or_default().to_owned();
        for shown in page {
            shown.entry.write_csv(shown.rank, self.as_of, odds, &mut text);
        }
        text
    }

    /// All entries that pass the filter as the pieces of a JSON array without its brackets, shared by all
    /// clients.
    pub(crate) fn pieces(&self, is_wanted: impl Fn(&E) -> bool) -> Vec<Bytes> {
        let mut pieces = Vec::new();
        for shown in self.entries.iter().filter(|shown| is_wanted(&shown.entry)) {
            if !pieces.is_empty() {
                pieces.push(Bytes::from_static(b","));
            }
            pieces.push(shown.json.clone());
        }
        pieces
    }

    /// The envelope up to its first entry.
    pub(crate) fn opening(&self) -> String {
        let head = view::json(&self.head);
        let head = String::from_utf8_lossy(&head);
        format!("{},\"{}\":[", head.trim_end_matches('}'), E::NAME)
    }
}

/// The first of what is found, and whether there is more.
fn one_page<T>(mut found: impl Iterator<Item = T>, limit: usize) -> (Vec<T>, bool) {
    let page = found.by_ref().take(limit).collect();
    (page, found.next().is_some())
}

#[cfg(test)]
mod tests {
    use arb_feed::fixtures::entry;
    use arb_schemas::records::BoardEntry;

    use super::*;
    use crate::fixtures::of_sport;

    type PageQuery = PageQueryOf<BoardEntry>;

    fn snapshot(ids: &[&str]) -> Snapshot<BoardEntry> {
        let entries = ids.iter().map(|id| Arc::new(entry(id, 0.02))).collect();
        Snapshot::of(&Parts {
            entries,
            polls: BTreeMap::from([("s".to_owned(), 1_000_000)]),
            is_stale: false,
        })
    }

    fn ask(limit: usize) -> PageQuery {
        let filter = <BoardEntry as Listed>::Filter::default();
        PageQuery { limit, after: None, filter, form: PageForm::Json }
    }

    #[test]
    fn a_page_is_rendered_once_for_all() {
        let snapshot = snapshot(&["a", "b"]);
        let (first, second) = (snapshot.page(&ask(1)), snapshot.page(&ask(1)));
        assert_eq!(first.body.plain.as_ptr(), second.body.plain.as_ptr());
        assert_eq!(first.tag, Tag::of(&first.body.plain));
        assert_ne!(first.tag, snapshot.page(&ask(2)).tag);
    }

    #[test]
    fn the_same_page_of_another_snapshot_has_the_same_tag() {
        let tag = |ids: &[&str], limit| snapshot(ids).page(&ask(limit)).tag.clone();
        assert_eq!(tag(&["a", "b", "c"], 1), tag(&["a", "b"], 1), "what is beyond the page does not count");
        assert_ne!(tag(&["a", "b"], 2), tag(&["a"], 2));
        assert_ne!(tag(&["a", "b"], 1), tag(&["a"], 1), "a page with a next one has another tag");
    }

    fn of(name: &str) -> PageQuery {
        PageQuery { filter: of_sport(name), ..ask(1) }
    }

    fn page(bytes: usize) -> Arc<Page> {
        Arc::new(Page { body: Encoded::new(vec![0; bytes].into()), tag: Tag::of(b""), next: None })
    }

    #[test]
    fn a_page_is_kept_however_many_small_ones_came_before() {
        let snapshot = snapshot(&["a"]);
        for number in 0..5_000 {
            snapshot.page(&of(&format!("sport_{number}")));
        }
        let (first, second) = (snapshot.page(&ask(1)), snapshot.page(&ask(1)));
        assert_eq!(first.body.plain.as_ptr(), second.body.plain.as_ptr());
    }

    #[test]
    fn the_cache_is_bounded_and_drops_the_oldest_page() {
        let (third, mut kept) = (MAX_KEPT / 3 / FORMS - 2 * PLACES, PageCache::<PageQuery>::default());
        for name in ["a", "b", "c", "c", "d"] {
            kept.keep(&of(name), &page(third), name.len());
        }
        let names = ["a", "b", "c", "d"].map(|name| kept.pages.contains_key(&of(name)));
        assert_eq!((names, kept.order.len()), ([false, true, true, true], 3));
        assert_eq!(kept.bytes, 3 * (FORMS * third + 1 + PLACES), "counted once each");
        kept.keep(&of("e"), &page(MAX_KEPT), 1);
        assert_eq!(kept.pages.len(), 3, "what has no room at all takes none");
        kept.keep(&of("e"), &page((MAX_KEPT - 1 - PLACES) / FORMS), 1);
        assert_eq!((kept.pages.len(), kept.order.len(), kept.bytes), (1, 1, MAX_KEPT - 1));
    }

    #[test]
    fn empty_pages_are_bounded_too() {
        let mut kept = PageCache::<PageQuery>::default();
        for number in 0..2 * MAX_KEPT / PLACES {
            kept.keep(&PageQuery { limit: number, ..ask(1) }, &page(0), 0);
        }
        assert_eq!((kept.pages.len(), kept.order.len()), (MAX_KEPT / PLACES, MAX_KEPT / PLACES));
    }
}
