//! An event that is due: a delivery for each endpoint, and what it makes of those that are pending.

use std::sync::Arc;

use arb_accounts::endpoint::Policy;
use arb_runtime::feed_mark::FeedMark;
use arb_schemas::records::{WebhookEvent, WebhookTarget};
use arb_schemas::wire::WireError;

use super::{MAX_PENDING, Step};
use crate::codec::{Part, policy};
use crate::delivery::{self, Delivery, NOTICE};

const WINDOW: &str = "arb_window";
const CLOSE: &str = "close_signal";

/// The bodies of an event, which all its deliveries share: however many endpoints it is for, its text is in memory once.
struct Bodies {
    whole: Arc<str>,
    left: Option<Arc<str>>,
}

impl Bodies {
    fn of(event: &WebhookEvent) -> Self {
        Self { whole: event.body.as_str().into(), left: event.left_body.as_deref().map(Into::into) }
    }

    fn for_target(&self, target: &WebhookTarget) -> Arc<str> {
        let left = self.left.as_ref().filter(|_| target.has_left);
        Arc::clone(left.unwrap_or(&self.whole))
    }
}

impl Step<'_> {
    /// Takes an event in, unless it was before: the feed, and what is copied from it, may have records twice, and several instances
    /// notice the same.
    pub(super) fn event(&mut self, event: &WebhookEvent) -> Result<(), WireError> {
        let feed = if event.partition < 0 { self.partition } else { event.partition };
        if event.nonce.is_empty() && !self.admit(feed, (event.epoch, event.sequence)) {
            self.tally.doubles += 1;
            return Ok(());
        }
        if event.nonce.starts_with(NOTICE) {
            if self.book.has_notice(&event.nonce) {
                self.tally.doubles += 1;
                return Ok(());
            }
            self.book.put(Part::Notice(event.nonce.clone(), event.at));
        }
        self.tally.events += 1;
        if event.kind == CLOSE {
            self.expire(event)?;
        }
        let source = delivery::source(feed, (event.epoch, event.sequence), &event.nonce);
        let bodies = Bodies::of(event);
        for target in &event.targets {
            let policy = policy(&target.policy)?;
            if event.kind == WINDOW && policy == Policy::Live {
                self.supersede(event, target)?;
            }
            self.add(event, &bodies, target, delivery::id(&source, &target.endpoint))?;
        }
        Ok(())
    }

    /// The feed's rule for doubles. A former version had read the partition of the same number alone.
    fn admit(&mut self, feed: i32, place: (i64, i64)) -> bool {
        let former = (feed == self.partition).then(|| self.book.progress().place);
        let last = self.book.feed(feed).or(former);
        let mark = |(epoch, sequence)| FeedMark { epoch, sequence };
        let is_new = !mark(place).is_double(last.map(mark));
        if is_new {
            self.book.put(Part::Feed(feed, place));
        }
        is_new
    }

    /// The window has closed: what is pending of it under the policy `live` is of no use any more.
    fn expire(&mut self, event: &WebhookEvent) -> Result<(), WireError> {
        let is_over = |one: &Arc<Delivery>| one.policy == Policy::Live && one.kind == WINDOW;
        for delivery in self.book.about(&event.subject).into_iter().filter(is_over) {
            self.end(&delivery, "expired", event.at)?;
        }
        Ok(())
    }

    /// A newer state of a window takes the place of those that are pending.
    fn supersede(&mut self, event: &WebhookEvent, target: &WebhookTarget) -> Result<(), WireError> {
        let is_older = |one: &Arc<Delivery>| {
            one.endpoint == target.endpoint && one.kind == WINDOW && one.policy == Policy::Live
        };
        for delivery in self.book.about(&event.subject).into_iter().filter(is_older) {
            self.end(&delivery, "superseded", event.at)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        event: &WebhookEvent,
        bodies: &Bodies,
        target: &WebhookTarget,
        id: String,
    ) -> Result<(), WireError> {
        if self.book.delivery(&id).is_some() {
            self.tally.doubles += 1;
            return Ok(());
        }
        if self.book.count(&target.endpoint, false) >= MAX_PENDING
            && let Some(oldest) = self.book.oldest(&target.endpoint, false)
        {
            self.end(&oldest, "overflowed", event.at)?;
        }
        self.tally.deliveries += 1;
        self.book.put_delivery(Delivery {
            id,
            endpoint: target.endpoint.clone(),
            place: (event.epoch, event.sequence),
            kind: event.kind.clone(),
            subject: event.subject.clone(),
            policy: policy(&target.policy)?,
            is_ordered: target.is_ordered,
            body: bodies.for_target(target),
            created_at: event.at,
            attempts: 0,
            round: 0,
            next_at: event.at,
            has_failed: false,
        });
        self.make_room(event)
    }

    /// However many endpoints are down, what is held is bounded.
    fn make_room(&mut self, event: &WebhookEvent) -> Result<(), WireError> {
        while self.book.held() > self.max_held
            && let Some(oldest) = self.book.oldest_of_most()
        {
            if oldest.has_failed {
                self.book.remove_delivery(&oldest.id);
            } else {
                self.end(&oldest, "overflowed", event.at)?;
            }
        }
        Ok(())
    }
}
