//! Caps, rates and circuits of endpoints over all deliverers, while both of them are killed and their partitions move.
//!
//! What they are to the moment is tested with given clocks, in `pipeline/deliver/src/schedule/tests.rs` and
//! `pipeline/deliver/src/circuit.rs`. Here is what holds on any machine: a request may come late, and none comes early.

use super::*;

/// The rate that one endpoint asks for.
const RATE: u32 = 5;
/// Requests to an endpoint that are under way from its deliverer.
const CAP: usize = 4;
/// Both deliverers are killed: each may have a request under way of which it leaves no record, which is made again.
const KILLS: usize = 2;

/// How long after the first one a request to an endpoint that always fails comes, at the earliest: five at once, then one after 5 s, and
/// after a pause that is twice as long each time.
fn probed_after(request: usize) -> Duration {
    let pauses = u32::try_from(request.saturating_sub(CAP)).unwrap();
    Duration::from_secs(5) * (2_u32.saturating_pow(pauses.min(20)) - 1)
}

/// Fails where a request, but for those that are made again, came before its time.
fn assert_none_is_early(posted: &[Posted], begun: Instant, after: impl Fn(usize) -> Duration) {
    for (request, one) in posted.iter().skip(KILLS).enumerate() {
        let came = one.at - begun;
        assert!(came >= after(request), "request {request} of {} came after {came:?}", posted.len());
    }
}

#[test]
fn an_endpoint_has_its_caps_its_rate_and_its_circuit_from_all_deliverers_together() {
    let mut hooks = Hooks::start(2);
    let slow = Receiver::start(Manner::Slow(Duration::from_millis(200)));
    let (limited, dead) =
        (Receiver::start(Manner::Status(200, "")), Receiver::start(Manner::Status(500, "")));
    hooks.endpoint(&slow, &json!({"policy": "durable"}));
    hooks.endpoint(&limited, &json!({"policy": "durable", "rate_limit": RATE}));
    hooks.endpoint(&dead, &json!({"policy": "durable"}));
    let begun = Instant::now();
    hooks.play(7, 10);
    wait_for_requests(&dead, 5);
    wait_for_requests(&slow, 2 * CAP);
    let most = slow.most_under_way();
    assert!(most <= CAP, "{most} requests were under way");
    // Whichever of the two has the dead one, it is killed, and its partitions move.
    for index in 0..KILLS {
        hooks.deliver[index].as_mut().unwrap().kill();
        hooks.deliver[index] = Some(start_deliverer(&hooks.broker, index));
    }
    hooks.play(8, 10);
    wait_for_requests(&dead, 7);
    wait_for_requests(&limited, 4 * usize::try_from(RATE).unwrap());
    let (probes, limited, most) = (dead.posted(), limited.posted(), slow.most_under_way());
    println!(
        "{} requests to the dead one, {} to the limited one, {most} under way",
        probes.len(),
        limited.len()
    );
    assert_none_is_early(&probes, begun, probed_after);
    // Each owner of its partition sends the first one at once.
    let owners = 1 + KILLS;
    let allowed_after = |request: usize| {
        Duration::from_secs(1) * u32::try_from(request.saturating_sub(owners)).unwrap() / RATE
    };
    assert_none_is_early(&limited, begun, allowed_after);
    // While partitions move, what former owners have under way comes on top.
    assert!(most <= CAP * owners, "{most} requests were under way");
    // It answers again: what is due comes, from one deliverer.
    dead.set(Manner::Status(200, ""));
    wait_for_requests(&dead, probes.len() + 20);
}
