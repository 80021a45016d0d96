//! The schemas of bodies: the views that answers are, each written from its declaration. It never states what a declaration does not.

use arb_feed::view::{EntryView, GradeView, LegView, PickView, SidesView, SignalQuoteView, SignalView};
use arb_model::described::{Described, RecordShape, Shape};
use arb_model::{BoardEntry, EdgeSignal, EventStatus, LaterOffer, PickGrade};
use arb_schemas::json_schema;
use serde_json::{Map, Value, json};

/// The beginning of a reference to a schema.
pub(super) const SCHEMAS: &str = "#/components/schemas/";

macro_rules! shapes {
    ($($view:ty),+ $(,)?) => {
        [$(<$view as Described>::SHAPE),+]
    };
}
use crate::http::problem::{ProblemView, RegistryError};
use crate::lists::snapshot::{PollView, Snapshot};
use crate::view::bodies::{
    CredentialsBody, HedgeRequest, KeyRequest, OverlapRequest, PasswordChange, ResultBody, ResultTaken,
    Rotation, ScanBody, TicketRequest,
};
use crate::view::{
    AccountView, ArbPrices, BankrollView, BestOddsPage, BookList, BotList, BotView, ChangesView,
    DeliveryPage, DeliveryView, EventItem, EventPage, EventSent, EvidenceView, HedgeView, KeyList, KeyView,
    LetterList, LineView, NewAccount, NewKeyView, OddsHistory, OddsView, PickPage, PushedEvent, QuoteView,
    RegistryConfig, RegistryMode, RegistrySchema, RegistryUse, RegistryVersion, ScanScope, ScanView,
    ScoreList, ScoreView, SeriesView, SessionView, SettlementView, ShortRecord, SinceView, SportList,
    StatisticsView, StatusView, TickLine, TickLines, TicketView, TicksView, TransitionView, Truth, UsageView,
    WebhookList, WebhookView, WholeRecord, WindowHistory, WindowPage, WindowView,
};
use crate::webhooks::settings::WebhookRequest;

/// All of them; one within another is referred to.
const ALL: &[Shape] = &shapes![
    // The board and the signals.
    EntryView<'_>,
    LegView<'_>,
    SidesView<'_>,
    Snapshot<BoardEntry>,
    Snapshot<EdgeSignal>,
    PollView,
    SignalQuoteView<'_>,
    SignalView<'_>,
    ChangesView,
    HedgeRequest,
    HedgeView<'_>,
    ScanBody,
    ScanScope<'_>,
    ScanView<'_>,
    // Picks and bots.
    BotList<'_>,
    BotView<'_>,
    LaterOffer,
    PickGrade,
    PickPage<'_>,
    PickView<'_>,
    ResultBody,
    ResultTaken<'_>,
    ShortRecord<'_>,
    WholeRecord<'_>,
    // Events and odds.
    BestOddsPage<'_>,
    EventItem<'_>,
    EventPage<'_>,
    LineView<'_>,
    OddsHistory<'_>,
    OddsView<'_>,
    QuoteView<'_>,
    ScoreList<'_>,
    ScoreView<'_>,
    SeriesView<'_>,
    // Windows of the past.
    ArbPrices<'_>,
    EvidenceView<'_>,
    GradeView<'_>,
    SettlementView,
    TransitionView<'_>,
    Truth,
    WindowHistory<'_>,
    WindowPage<'_>,
    WindowView<'_>,
    // Accounts.
    AccountView,
    BankrollView<'_>,
    CredentialsBody,
    KeyList<'_>,
    KeyRequest,
    KeyView<'_>,
    NewAccount<'_>,
    NewKeyView<'_>,
    PasswordChange,
    Rotation,
    SessionView<'_>,
    TicketRequest,
    TicketView<'_>,
    UsageView,
    // Webhooks.
    DeliveryPage<'_>,
    DeliveryView<'_>,
    EventSent,
    OverlapRequest,
    SinceView,
    StatisticsView,
    WebhookList<'_>,
    WebhookRequest,
    WebhookView<'_>,
    // Pushed odds.
    LetterList<'_>,
    PushedEvent,
    TickLine,
    TickLines,
    TicksView,
    // The service and the registry.
    BookList<'_>,
    ProblemView,
    RegistryConfig,
    RegistryError,
    RegistryMode,
    RegistrySchema,
    RegistryVersion,
    SportList,
    StatusView,
];

/// Each of them by its name, and what no struct states.
pub(super) fn all() -> Map<String, Value> {
    let declared = declared().map(|shape| (shape.name.to_owned(), json_schema::object(shape, &reference)));
    let mut all: Map<_, _> = declared.collect();
    let array = |items: Value| json!({"type": "array", "items": items});
    all.insert("Names".to_owned(), array(schema(&Shape::Text)));
    all.insert("Versions".to_owned(), array(schema(&Shape::Long)));
    all.insert("RegistryUses".to_owned(), array(schema(&RegistryUse::SHAPE)));
    all.insert("Document".to_owned(), schema(&Shape::Object));
    let mut change = all["WebhookRequest"].clone();
    change["required"] = json!([]);
    all.insert("WebhookChange".to_owned(), change);
    let result = &mut all["Result"];
    result["if"] = json!({"properties": {"status": {"const": EventStatus::Finished.key()}}});
    result["then"] = json!({"required": ["scores"], "properties": {"scores": {"minItems": 1}}});
    all
}

/// The schema of values of a shape.
pub(super) fn schema(shape: &Shape) -> Value {
    json_schema::value(shape, &reference)
}

/// An example of a body that no test sends.
pub(super) fn example(body: &str) -> Option<Value> {
    let filters = || json!({"sport": "soccer", "min_margin": "0.02"});
    (body == "TicketRequest").then(|| json!({"origin": "https://app.example", "filters": filters()}))
}

fn declared() -> impl Iterator<Item = &'static RecordShape> {
    ALL.iter().filter_map(|shape| match shape {
        Shape::Record(shape) => Some(*shape),
        _ => None,
    })
}

fn reference(name: &str) -> Option<String> {
    declared().any(|shape| shape.name == name).then(|| format!("{SCHEMAS}{name}"))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use arb_model::described::Presence;

    use super::*;

    /// The records and views within a shape, by their names.
    fn named(shape: &Shape, found: &mut BTreeMap<&'static str, String>) {
        match shape {
            Shape::Optional(of) | Shape::List(of) | Shape::Map(of) => named(of, found),
            Shape::OneOf(shapes, _) => shapes.iter().for_each(|shape| named(shape, found)),
            Shape::Record(record) => {
                let text = format!("{record:?}");
                let other = found.insert(record.name, text.clone());
                assert!(other.is_none_or(|other| other == text), "two are named {}", record.name);
                fields(record, found);
            }
            _ => {}
        }
    }

    /// Those within its fields; of a field that is flattened the name is in no schema.
    fn fields(record: &RecordShape, found: &mut BTreeMap<&'static str, String>) {
        for field in record.fields.iter().filter(|field| field.text.is_some()) {
            match (field.presence, &field.shape) {
                (Presence::Flattened, Shape::Record(part)) => fields(part, found),
                (_, shape) => named(shape, found),
            }
        }
    }

    #[test]
    fn a_name_refers_to_one_declaration() {
        let mut found = BTreeMap::new();
        for shape in ALL {
            named(shape, &mut found);
        }
        assert!(declared().count() > 60 && found.len() > declared().count());
        assert_eq!(declared().map(|shape| shape.name).collect::<BTreeSet<_>>().len(), ALL.len());
    }
}
