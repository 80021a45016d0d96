//! An event that is due: a delivery for each endpoint, and what it makes of those that are pending.

use std::collections::HashMap;
use std::sync::Arc;

use arb_accounts::endpoint::Policy;
use arb_feed::webhook::{self, NOTICE};
use arb_runtime::feed_mark::FeedMark;
use arb_schemas::records::{WebhookEvent, WebhookTarget};
use arb_schemas::wire::WireError;

use super::{MAX_PENDING, Step};
use crate::book;
use crate::codec::{Part, policy};
use crate::delivery::Delivery;

const WINDOW: &str = "arb_window";
const CLOSE: &str = "close_signal";

/// What an event sends: its body, and that of endpoints whose filters its window has left.
struct Bodies {
    whole: EventBody,
    left: Option<EventBody>,
}

/// A body of an event. However many endpoints it is for, it is in memory once, and in the changelog too.
struct EventBody {
    text: Arc<str>,
    /// Where more than one endpoint is sent it. A body for one is in its delivery's own record.
    name: Option<Arc<str>>,
}

impl Bodies {
    fn of(event: &WebhookEvent, source: &str) -> Self {
        let has_left = |target: &&WebhookTarget| target.has_left && event.left_body.is_some();
        let left = event.targets.iter().filter(has_left).count();
        let body = |text: &str, targets: usize, name: &dyn Fn() -> String| EventBody {
            text: text.into(),
            name: (targets > 1).then(|| name().into()),
        };
        Self {
            whole: body(&event.body, event.targets.len() - left, &|| source.to_owned()),
            left: event.left_body.as_ref().map(|text| body(text, left, &|| format!("left/{source}"))),
        }
    }

    fn for_target(&self, target: &WebhookTarget) -> &EventBody {
        self.left.as_ref().filter(|_| target.has_left).unwrap_or(&self.whole)
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
        let source = webhook::source(feed, (event.epoch, event.sequence), &event.nonce);
        let (bodies, older) = (Bodies::of(event, &source), self.older(event));
        for target in &event.targets {
            let policy = policy(&target.policy)?;
            if policy == Policy::Live
                && let Some(older) = older.get(&target.endpoint)
            {
                self.supersede(event, older)?;
            }
            self.add(event, &bodies, target, webhook::id(&source, &target.endpoint))?;
        }
        Ok(())
    }

    /// The feed's rule for doubles.
    fn admit(&mut self, feed: i32, place: (i64, i64)) -> bool {
        let last = self.book.feed(feed);
        let mark = |(epoch, sequence)| FeedMark { epoch, sequence };
        let is_new = !mark(place).is_double(last.map(mark));
        if is_new {
            self.book.put(Part::Feed(feed, place));
        }
        is_new
    }

    /// The window has closed: what is pending of it under the policy `live` is of no use any more.
    fn expire(&mut self, event: &WebhookEvent) -> Result<(), WireError> {
        for delivery in self.book.about(&event.subject).into_iter().filter(is_live_window) {
            self.end(&delivery, "expired", event.at)?;
        }
        Ok(())
    }

    /// What is pending of the window of an event under the policy `live`, by endpoint: looked up once, however many endpoints it is for.
    fn older(&self, event: &WebhookEvent) -> HashMap<String, Vec<Arc<Delivery>>> {
        let mut older = HashMap::<_, Vec<_>>::new();
        if event.kind == WINDOW {
            for delivery in self.book.about(&event.subject).into_iter().filter(is_live_window) {
                older.entry(delivery.endpoint.clone()).or_default().push(delivery);
            }
        }
        older
    }

    /// A newer state of a window takes the place of those that are pending. One may have gone already, to make room for another endpoint's.
    fn supersede(&mut self, event: &WebhookEvent, older: &[Arc<Delivery>]) -> Result<(), WireError> {
        for delivery in older {
            if self.book.delivery(&delivery.id).is_some() {
                self.end(delivery, "superseded", event.at)?;
            }
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
        let EventBody { text, name } = bodies.for_target(target);
        let body = name.as_ref().map_or_else(|| Arc::clone(text), |name| book::share(self.book, name, text));
        book::put_delivery(
            self.book,
            Delivery {
                id,
                endpoint: target.endpoint.clone(),
                place: (event.epoch, event.sequence),
                kind: event.kind.clone(),
                subject: event.subject.clone(),
                policy: policy(&target.policy)?,
                is_ordered: target.is_ordered,
                body,
                body_of: name.clone(),
                created_at: event.at,
                attempts: 0,
                round: 0,
                next_at: event.at,
                has_failed: false,
            },
        );
        self.report_waiting(&target.endpoint)?;
        self.make_room(event)
    }

    /// However many endpoints are down, what is held is bounded.
    fn make_room(&mut self, event: &WebhookEvent) -> Result<(), WireError> {
        while self.book.held() > self.max_held
            && let Some(oldest) = self.book.oldest_of_most()
        {
            if oldest.has_failed {
                book::remove_delivery(self.book, &oldest.id);
            } else {
                self.end(&oldest, "overflowed", event.at)?;
            }
        }
        Ok(())
    }
}

/// Whether it is a state of a window that a newer one, or its close, ends.
fn is_live_window(delivery: &Arc<Delivery>) -> bool {
    delivery.policy == Policy::Live && delivery.kind == WINDOW
}
