//! Caps, rates and circuits of endpoints over all deliverers, while one of them is killed and its partitions move.

use super::*;

/// The rate that one endpoint asks for.
const RATE: usize = 5;

/// The most requests that came within a second.
fn most_within_a_second(posted: &[Posted]) -> usize {
    let within = |first: &Posted| {
        let until = first.at + Duration::from_secs(1);
        posted.iter().filter(|one| one.at >= first.at && one.at < until).count()
    };
    posted.iter().map(within).max().unwrap_or(0)
}

/// Requests until so long after the first one.
fn until(posted: &[Posted], time: Duration) -> usize {
    let first = posted.first().unwrap().at;
    posted.iter().filter(|one| one.at - first < time).count()
}

/// An endpoint has four requests under way and its rate from all deliverers together; one that is dead has five requests and then a probe
/// after 5, 15 and 35 s, although its deliverer is killed in between.
#[test]
fn an_endpoint_has_its_caps_its_rate_and_its_circuit_from_all_deliverers_together() {
    let mut hooks = Hooks::start(2);
    let slow = Receiver::start(Manner::Slow(Duration::from_millis(200)));
    let (limited, dead) =
        (Receiver::start(Manner::Status(200, "")), Receiver::start(Manner::Status(500, "")));
    hooks.endpoint(&slow, &json!({"policy": "durable"}));
    hooks.endpoint(&limited, &json!({"policy": "durable", "rate_limit": RATE}));
    hooks.endpoint(&dead, &json!({"policy": "durable"}));
    hooks.play(7, 10);
    wait_for("the circuit of the dead one is open", || (dead.posted().len() >= 5).then_some(()));
    std::thread::sleep(Duration::from_secs(3));
    let before = slow.most_under_way();
    assert!((2..=4).contains(&before), "{before} requests were under way");
    // Whichever of the two has the dead one, it is killed, and its partitions move.
    for index in 0..2 {
        hooks.deliver[index].as_mut().unwrap().kill();
        hooks.deliver[index] = Some(start_deliverer(&hooks.broker, index));
    }
    hooks.play(8, 10);
    let all = wait_for("30 s have passed", || {
        let posted = dead.posted();
        (posted.first().unwrap().at.elapsed() >= Duration::from_secs(30)).then_some(posted)
    });
    let probes = until(&all, Duration::from_secs(30));
    let (rate, most) = (most_within_a_second(&limited.posted()), slow.most_under_way());
    println!("{probes} requests to the dead one, {rate} a second to the limited one, {most} under way");
    // One whose record was lost with its deliverer is made again.
    assert!((6..=8).contains(&probes), "{probes} requests to a dead endpoint");
    assert!(rate <= RATE + 1, "{rate} requests within a second");
    assert!(limited.posted().len() > 4 * RATE, "{}", limited.posted().len());
    // While partitions move, what the former owner has under way comes on top.
    assert!(most <= 8, "{most} requests were under way");
    // It answers again: what is due comes, from one deliverer.
    dead.set(Manner::Status(200, ""));
    wait_for("the dead one lives", || (dead.posted().len() > all.len() + 20).then_some(()));
}
