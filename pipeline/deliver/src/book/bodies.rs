//! Bodies that several deliveries send, by name, and how many deliveries name each. It decides nothing.

use std::collections::HashMap;
use std::sync::Arc;

use arb_schemas::wire::WireError;

use crate::codec::{Part, SharedBody};
use crate::delivery::Delivery;

/// The bodies. Texts are parts of the state; uses follow from the deliveries, in whatever order parts are put back.
#[derive(Debug, Default)]
pub(super) struct BodyTable {
    texts: HashMap<Arc<str>, Arc<str>>,
    uses: HashMap<Arc<str>, usize>,
}

impl BodyTable {
    pub(super) fn get(&self, name: &str) -> Option<&Arc<str>> {
        self.texts.get(name)
    }

    /// One as a part of the state.
    pub(super) fn part(&self, name: &str) -> Option<Part> {
        let (name, text) = self.texts.get_key_value(name)?;
        Some(Part::Body(SharedBody { name: Arc::clone(name), text: Arc::clone(text) }))
    }

    pub(super) fn put(&mut self, body: SharedBody) {
        self.texts.insert(body.name, body.text);
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.texts.remove(name);
    }

    /// Whether a delivery names it.
    pub(super) fn is_used(&self, name: &str) -> bool {
        self.uses.contains_key(name)
    }

    /// A delivery is there.
    pub(super) fn begin_use(&mut self, delivery: &Delivery) {
        if let Some(name) = &delivery.body_of {
            *self.uses.entry(Arc::clone(name)).or_default() += 1;
        }
    }

    /// It is no more.
    pub(super) fn end_use(&mut self, delivery: &Delivery) {
        let Some(name) = &delivery.body_of else { return };
        if let Some(uses) = self.uses.get_mut(name) {
            *uses -= 1;
            if *uses == 0 {
                self.uses.remove(name);
            }
        }
    }

    /// A delivery as the changelog has it, with the body that it names.
    pub(super) fn fill(&self, delivery: Arc<Delivery>) -> Result<Arc<Delivery>, WireError> {
        let Some(name) = &delivery.body_of else { return Ok(delivery) };
        let shared = self.texts.get_key_value(name);
        let (name, text) =
            shared.ok_or_else(|| WireError::Avro(format!("the body {name:?} is not there")))?;
        let (body, body_of) = (Arc::clone(text), Some(Arc::clone(name)));
        Ok(Arc::new(Delivery { body, body_of, ..Arc::unwrap_or_clone(delivery) }))
    }
}
