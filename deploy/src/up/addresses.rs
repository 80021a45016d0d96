//! What `arb up` prints once everything runs: where it is, and how to ask it.
//!
//! The key and the address that signs in are printed once, and never into a file that other users may read: there their files are named instead.

use std::path::Path;

use anyhow::Context;
use arb_setup::{home as home_folder, terminal};
use arb_store::clickhouse::roles;

use super::demonstration::Demonstration;
use crate::cli::{Play, Up};
use crate::local::clickhouse::passwords;
use crate::local::home;
use crate::roles::admin;

/// What is said where webhooks may be sent to this machine.
const DEVELOPMENT: &str = "webhooks may be sent by http and to this machine, whose answers the delivery log shows (--webhook-development)\n";

/// How analysts ask: the password stays in its file.
fn question(config: &Up) -> String {
    let databases = &config.writer.databases;
    let (question, user) =
        (format!("SHOW TABLES FROM {}", databases.views()), databases.user(roles::ANALYST));
    let (port, file) = (config.clickhouse_port, passwords::file(&config.home.home, &user));
    config.writer.url.as_ref().map_or_else(
        || {
            let user = format!("{user}:$(cat {})", file.display());
            format!("curl -s --user \"{user}\" http://127.0.0.1:{port} --data '{question}'")
        },
        |url| format!("curl -s --user {user} {url} --data '{question}'"),
    )
}

/// The servers that everything runs on.
fn servers(config: &Up) -> String {
    let local = |port: u16| format!("127.0.0.1:{port}");
    let kafka = config.brokers.clone().unwrap_or_else(|| local(config.kafka_port));
    let clickhouse = config.writer.url.clone();
    let clickhouse = clickhouse.unwrap_or_else(|| format!("http://{}", local(config.clickhouse_port)));
    format!("Kafka at {kafka}, ClickHouse at {clickhouse}")
}

/// What is played.
pub(super) fn playing(play: &Play) -> String {
    match &play.replay {
        Some(path) => path.display().to_string(),
        None if play.live.wanted => "The Odds API, live".to_owned(),
        None => "simulated market".to_owned(),
    }
}

pub(super) fn print(config: &Up, demonstration: &Demonstration) -> anyhow::Result<()> {
    let Up { listen, play, home, .. } = config;
    let key_file = home::demonstration_key(&home.home);
    home_folder::write_private(&key_file, &demonstration.key)
        .with_context(|| key_file.display().to_string())?;
    let secret = |text: &str, file: &Path| {
        if terminal::is_readable_by_others() { format!("$(cat {})", file.display()) } else { text.to_owned() }
    };
    let key = secret(&demonstration.key, &key_file);
    let password = secret(&demonstration.password, &home::demonstration_password(&home.home));
    let bearer = format!("-H \"Authorization: Bearer $(cat {})\"", key_file.display());
    let (what, question) = (playing(play), question(config));
    let metrics = if config.admin_port == 0 {
        "at free ports, which the roles have logged".to_owned()
    } else {
        let all = admin::ROLES.map(|role| {
            format!("http://{}/metrics ({})", admin::address(config.admin_port, role), role.key())
        });
        all.join(", ")
    };
    let (servers, logs) = (servers(config), home::logs(&home.home).display().to_string());
    println!(
        "\nplaying {what}\n\
         page   http://{listen}/#/demonstration/{password}\n\
         board  http://{listen}/v1/arbs\n\
         stream http://{listen}/v1/stream\n\
         metrics {metrics}\n\
         runs   {servers}; logs of all in {logs} (arb logs)\n\
         key    {key}\n\n\
         curl -s {bearer} 'http://{listen}/v1/arbs?limit=3'\n\
         curl -s {bearer} http://{listen}/v1/arbs | jq -r \
         '.arbs[] | [.rank, .margin, .event.home, .event.away, .market, .line] | @tsv'\n\
         curl -sN {bearer} http://{listen}/v1/stream\n\
         curl -s http://{listen}/readyz\n\
         {question}\n\n\
         {}Ctrl-C stops everything",
        if super::is_on_loopback(config) { DEVELOPMENT } else { "" }
    );
    Ok(())
}
