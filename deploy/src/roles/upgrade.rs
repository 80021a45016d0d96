//! `arb upgrade check`: which role is upgraded next to the version of this program, and why not yet.
//!
//! It asks the admin listeners of instances and the topics. It never stops or starts anything.

mod order;

use std::time::Duration;

use anyhow::{Context, bail};
use arb_runtime::telemetry::list::BUILD_INFO;
use arb_schemas::topics;

use self::order::{Instance, ORDER, Verdict, Version, next};
use crate::cli::{Upgrade, UpgradeAction};
use crate::roles::{check, cluster};

/// How long an instance may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn run(config: &Upgrade) -> anyhow::Result<()> {
    let UpgradeAction::Check { instances, without, brokers } = &config.action;
    let roles = || ORDER.iter().flat_map(|(roles, _)| *roles).copied();
    if let Some(other) = without.iter().find(|name| !roles().any(|role| role == **name)) {
        bail!("--without {other}: the roles are {}", roles().collect::<Vec<_>>().join(", "));
    }
    let wanted = env!("CARGO_PKG_VERSION");
    let version = Version::parse(wanted).context("the version of this program")?;
    let cluster = cluster::open(brokers)?;
    arb_kafka::partitions(&cluster)?;
    for topic in topics::ALL {
        arb_kafka::topic_id(&cluster, &topic).context("run `arb topics create` first")?;
    }
    let found = instances.iter().map(|address| ask(address)).collect::<anyhow::Result<Vec<_>>>()?;
    for Instance { address, role, version, is_ready } in &found {
        println!("{role}\t{address}\t{version}\t{}", if *is_ready { "ready" } else { "not ready" });
    }
    let is_named =
        |role: &&str| found.iter().any(|one| one.role == *role) || without.iter().any(|name| name == role);
    let unnamed: Vec<_> = roles().filter(|role| !is_named(role)).collect();
    let unknown = format!(
        "nothing is known of {}: give an address of each, or name in --without what does not run here",
        unnamed.join(", ")
    );
    match next(&found, &version) {
        Verdict::Done if !unnamed.is_empty() => bail!("not yet: all of these run {wanted}, but {unknown}"),
        Verdict::Next(text) if !unnamed.is_empty() => {
            println!("next to {wanted}, of these: {text}\n{unknown}");
        }
        Verdict::Done => println!("all of these run {wanted}"),
        Verdict::Next(text) => println!("next to {wanted}: {text}"),
        Verdict::NotYet(reason) => bail!("not yet: {reason}"),
    }
    Ok(())
}

/// What an admin listener says of its instance.
fn ask(address: &str) -> anyhow::Result<Instance> {
    let url = |path: &str| format!("http://{address}/{path}");
    let page = check::page(&url("metrics"), PATIENCE).with_context(|| {
        format!("not yet: {address} does not answer: start it, or leave its address out if it is gone")
    })?;
    let info = page.lines().find(|line| line.starts_with(BUILD_INFO.name));
    let label = |name: &str| info?.split_once(&format!("{name}=\""))?.1.split('"').next();
    let (role, version) =
        label("role").zip(label("version").and_then(Version::parse)).with_context(|| {
            format!("{address} is no admin listener of a role: those are at --admin-listen of each")
        })?;
    let is_ready = check::page(&url("readyz"), PATIENCE).is_ok();
    Ok(Instance { address: address.to_owned(), role: role.to_owned(), version, is_ready })
}
