//! The page about accounts, walked through as its reader does: its own lines, by a shell, against a real Kafka, the accounts role
//! and an instance of the API.

use std::process::{Command, Stdio};

use crate::documents::read;
use crate::support::http::request;
use crate::support::ports::port;
use crate::support::program::Role;
use crate::support::stack::Broker;
use crate::support::wait_for;

/// The lines of a page's blocks for a shell.
fn blocks(page: &str) -> Vec<String> {
    page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

/// What is asked after the page's lines, each line of output by its name.
const CHECKS: &str = r#"
code() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
echo "old $(code -H "Authorization: Bearer $KEY" $SITE/v1/arbs)"
echo "new $(code -H "Authorization: Bearer $NEW" $SITE/v1/arbs)"
echo "test $(curl -s -H "Authorization: Bearer $TEST" $SITE/v1/arbs | jq -r '.as_of, (.arbs | length)' | xargs)"
for i in 1 2 3; do echo "spend $(code -H "Authorization: Bearer $NEW" $SITE/v1/arbs)"; done
echo "free $(code -H "x-api-key: $NEW" $SITE/api/v1/usage)"
echo "used $(curl -s -b cookies $SITE/session/usage | jq -r '[.used, .remaining, .quota] | @csv')"
curl -s -b cookies -X DELETE -H "x-csrf-token: $CSRF" $SITE/session
echo "out $(code -b cookies $SITE/session)"
"#;

#[test]
fn a_stranger_signs_up_spends_the_quota_rotates_and_revokes_by_the_page() {
    let broker = Broker::start();
    let mut owner =
        Role::start("accounts", &[broker.kafka.at(), broker.kafka.named()], &broker.path("accounts.log"));
    owner.wait_for_partitions();
    std::fs::write(broker.path("plans.json"), r#"{"free": 4}"#).unwrap();
    let (listen, pepper) = (format!("127.0.0.1:{}", port()), broker.path("pepper").display().to_string());
    let options = [
        "--listen",
        &listen,
        broker.kafka.at(),
        broker.kafka.named(),
        "--sign-up",
        "open",
        "--pepper",
        &pepper,
    ];
    let mut serve = Role::start("serve", &options, &broker.path("serve.log"));
    wait_for("the API is ready", || {
        serve.assert_runs();
        request("GET", &format!("http://{listen}/readyz"), &[]).filter(|answer| answer.status == 200)
    });

    let blocks = blocks(&read("docs/api/accounts.md"));
    let [flow, test_key] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    let flow: Vec<_> = flow.lines().collect();
    let (log_out, flow) = flow.split_last().unwrap();
    assert!(log_out.ends_with("$SITE/session"), "{log_out}");
    let script =
        ["set -eu", &flow.join("\n"), test_key, CHECKS].join("\n").replace("127.0.0.1:8080", &listen);
    let mut shell = Command::new("bash");
    let shell = shell.args(["-c", &script]).current_dir(broker.scratch.path()).stdin(Stdio::null());
    let output = shell.output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    let said = |name: &str| -> Vec<&str> {
        out.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).collect()
    };
    assert_eq!((said("old"), said("new")), (vec!["401"], vec!["200"]), "{out}");
    assert_eq!(said("test"), ["2026-01-01T12:44:00Z 6"], "{out}");
    // One was spent by the page, one with the new key, and two are left.
    assert_eq!((said("spend"), said("free")), (vec!["200", "200", "429"], vec!["200"]), "{out}");
    assert_eq!((said("used"), said("out")), (vec!["4,0,4"], vec!["401"]), "{out}");
    serve.stop();
    owner.stop();
}
