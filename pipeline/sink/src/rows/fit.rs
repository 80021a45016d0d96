//! Whether a record's times fit the tables.
//!
//! A time outside a column's range would be stored as another time, and a month far in the past or future
//! would create a separate part; both are signs of a broken clock. It changes nothing.

use arb_schemas::records::{
    ArbWindow, CloseSignal, Event, LineMovement, PickChange, SignalChange, StaleAlert, WebhookDelivery,
    WindowGrading,
};
use arb_schemas::time::{EVENT_TIMES, Micros, RECORD_TIMES, to_rfc3339};
use arb_schemas::view::FrameView;

use super::DecodedRecord;

/// Whether all of a record fits.
///
/// # Errors
/// What does not.
pub(super) fn check(made: &DecodedRecord<'_>) -> Result<(), String> {
    match made {
        DecodedRecord::Frame(frame) => frame_fits(frame),
        DecodedRecord::OwnedFrame(frame) => frame_fits(&(&**frame).into()),
        DecodedRecord::Window(window) => window_fits(window),
        DecodedRecord::Closed(closed) => closed_fits(closed),
        DecodedRecord::Movement(movement) => movement_fits(movement),
        DecodedRecord::Alert(alert) => alert_fits(alert),
        DecodedRecord::Signal(changed) => signal_fits(changed),
        DecodedRecord::Pick(changed) => pick_fits(changed),
        DecodedRecord::Grading(graded) => grading_fits(graded),
        DecodedRecord::Delivery(entry) => delivery_fits(entry),
        DecodedRecord::Nothing | DecodedRecord::Rejected(_) => Ok(()),
    }
}

fn column(name: &str, at: Micros) -> Result<(), String> {
    within(name, at, &EVENT_TIMES)
}

fn part(name: &str, at: Micros) -> Result<(), String> {
    within(name, at, &RECORD_TIMES)
}

fn within(name: &str, at: Micros, range: &std::ops::Range<Micros>) -> Result<(), String> {
    if range.contains(&at) {
        return Ok(());
    }
    let (from, to) = (to_rfc3339(range.start), to_rfc3339(range.end));
    Err(format!("{name} {} is not between {from} and {to}", to_rfc3339(at)))
}

fn frame_fits(frame: &FrameView<'_>) -> Result<(), String> {
    part("received_at", frame.received_at)?;
    column("commence_time", frame.event.commence_time)?;
    for tick in &frame.ticks {
        column("last_seen_at", tick.last_seen_at)?;
        tick.price_moved_at.map_or(Ok(()), |at| column("price_moved_at", at))?;
    }
    Ok(())
}

fn event_fits(event: &Event) -> Result<(), String> {
    column("commence_time", event.commence_time.0)
}

fn window_fits(ArbWindow { entry, .. }: &ArbWindow) -> Result<(), String> {
    part("updated_at", entry.updated_at.0)?;
    column("opened_at", entry.opened_at.0)?;
    event_fits(&entry.event)?;
    for leg in &entry.legs {
        column("price_moved_at", leg.price_moved_at.0)?;
        column("last_seen_at", leg.last_seen_at.0)?;
    }
    Ok(())
}

fn closed_fits(closed: &CloseSignal) -> Result<(), String> {
    part("closed_at", closed.closed_at.0)?;
    column("opened_at", closed.opened_at.0)
}

fn movement_fits(movement: &LineMovement) -> Result<(), String> {
    part("window_end", movement.window_end.0)?;
    column("window_start", movement.window_start.0)?;
    event_fits(&movement.event)
}

fn alert_fits(alert: &StaleAlert) -> Result<(), String> {
    part("at", alert.at.0)?;
    alert.last_seen_at.map_or(Ok(()), |at| column("last_seen_at", at.0))?;
    event_fits(&alert.event)
}

fn signal_fits(SignalChange { signal, .. }: &SignalChange) -> Result<(), String> {
    part("updated_at", signal.updated_at.0)?;
    column("opened_at", signal.opened_at.0)?;
    column("expires_at", signal.expires_at.0)?;
    event_fits(&signal.event)?;
    for quote in signal.bets.iter().chain(&signal.evidence) {
        column("price_moved_at", quote.price_moved_at.0)?;
        column("last_seen_at", quote.last_seen_at.0)?;
    }
    Ok(())
}

fn pick_fits(PickChange { pick, .. }: &PickChange) -> Result<(), String> {
    part("at", super::picks::time(pick).0)?;
    column("published_at", pick.published_at.0)?;
    column("starts_at", pick.starts_at.0)?;
    event_fits(&pick.event)?;
    pick.closing.as_ref().map_or(Ok(()), |closing| column("closing_seen_at", closing.last_seen_at.0))?;
    let offers = [("poll_seen_at", &pick.offer_after_poll), ("minute_seen_at", &pick.offer_after_minute)];
    let mut known = offers.into_iter().filter_map(|(name, offer)| Some((name, offer.as_ref()?)));
    known.try_for_each(|(name, offer)| column(name, offer.last_seen_at.0))
}

fn grading_fits(WindowGrading { window, grade }: &WindowGrading) -> Result<(), String> {
    part("at", grade.at.0)?;
    column("opened_at", window.opened_at.0)?;
    event_fits(&window.event)
}

fn delivery_fits(entry: &WebhookDelivery) -> Result<(), String> {
    part("at", entry.at)?;
    column("created_at", entry.created_at)?;
    entry.next_at.map_or(Ok(()), |at| column("next_at", at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_does_not_fit_is_named() {
        assert_eq!(
            part("at", -1),
            Err(
                "at 1969-12-31T23:59:59.999999Z is not between 1970-01-01T00:00:00Z and 2100-01-01T00:00:00Z"
                    .to_owned()
            )
        );
        assert!(column("at", i64::MAX).unwrap_err().starts_with("at 9223372036854775807 is not"));
    }
}
