//! `arb migrate`: brings the schema of ClickHouse to the version of this program; creates its users, where
//! that is requested.
//!
//! It prints what it has done, and never a password.

use anyhow::{Context, bail};
use arb_store::clickhouse::{self, Settings, roles};

use crate::cli::Migrate;

pub(crate) fn run(config: &Migrate) -> anyhow::Result<()> {
    let settings = super::clickhouse::migrator(config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        if config.check {
            clickhouse::check(&settings).await?;
            println!("the schema is the one that this program knows");
            return Ok(());
        }
        let settings = if config.create_roles { create_roles(config, settings).await? } else { settings };
        report(&clickhouse::migrate(&settings).await?);
        Ok(())
    })
}

fn report(applied: &[&arb_schemas::clickhouse::Migration]) {
    for migration in applied {
        println!("applied {}", migration.name);
    }
    if applied.is_empty() {
        println!("nothing to apply");
    }
}

/// Creates the roles; the server as the migrator.
async fn create_roles(config: &Migrate, admin: Settings) -> anyhow::Result<Settings> {
    let password = |role: &str| {
        let passwords = &config.passwords;
        let given = match role {
            roles::MIGRATOR => &passwords.migrator,
            roles::WRITER => &passwords.writer,
            roles::READER => &passwords.reader,
            roles::ANALYST => &passwords.analyst,
            _ => bail!("there is no role {role}"),
        };
        let given = given.clone().filter(|text| !text.is_empty());
        given.with_context(|| {
            format!(
                "the password that {role} shall have is missing: set CLICKHOUSE_{}_PASSWORD",
                role.to_uppercase()
            )
        })
    };
    let roles = roles::all(&config.databases).into_iter().map(|role| Ok((password(role.name)?, role)));
    let roles: Vec<_> =
        roles.map(|role| role.map(|(password, role)| (role, password))).collect::<anyhow::Result<_>>()?;
    clickhouse::create_roles(&admin, &roles).await?;
    println!("created {}", roles.iter().map(|(role, _)| &*role.user).collect::<Vec<_>>().join(", "));
    Ok(Settings {
        user: config.databases.user(roles::MIGRATOR),
        password: password(roles::MIGRATOR)?,
        ..admin
    })
}
