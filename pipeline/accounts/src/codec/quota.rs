//! Ledgers and what instances ask of quotas as records, and back.

use arb_schemas::records::{
    AccountLeaseQuota, AccountSettleQuota, AccountUsage, SettledLease, UsageAsker, UsageCharge, UsageLease,
    UsageOfDay, UsageOfKey, UsageOfRoute,
};
use arb_schemas::wire::WireError;

use super::number::{count, long};
use crate::ledger::{Asker, KeySpent, Lease, LeaseId, Ledger};
use crate::quota::{ChargedTo, Charges, LeaseQuota, LeaseReport, SettleQuota};

type Converted<T> = Result<T, WireError>;

pub(super) fn of_ledger(ledger: &Ledger) -> Converted<AccountUsage> {
    let days = ledger.days.iter().map(|(day, requests)| {
        let requests = long(*requests)?;
        Ok(UsageOfDay { day: *day, requests })
    });
    let routes = ledger.routes.iter().map(|(route, requests)| {
        let (route, requests) = (route.clone(), long(*requests)?);
        Ok(UsageOfRoute { route, requests })
    });
    let keys = ledger.keys.iter().map(|(kid, spent)| {
        let (requests, forfeited) = (long(spent.requests)?, long(spent.forfeited)?);
        Ok(UsageOfKey { kid: kid.to_owned(), requests, forfeited })
    });
    let askers = ledger.askers.iter().map(|(instance, asker)| {
        let (instance, number) = (instance.clone(), long(asker.number)?);
        Ok(UsageAsker { instance, number, at: asker.at })
    });
    Ok(AccountUsage {
        account: ledger.account.clone(),
        period: ledger.period,
        settled: long(ledger.settled)?,
        forfeited: long(ledger.forfeited)?,
        days: days.collect::<Converted<_>>()?,
        routes: routes.collect::<Converted<_>>()?,
        keys: keys.collect::<Converted<_>>()?,
        leases: ledger.leases.iter().map(of_lease).collect::<Converted<_>>()?,
        askers: askers.collect::<Converted<_>>()?,
    })
}

pub(super) fn ledger(record: AccountUsage) -> Converted<Ledger> {
    let days = record.days.into_iter().map(|one| Ok((one.day, count(one.requests)?)));
    let routes = record.routes.into_iter().map(|one| Ok((one.route, count(one.requests)?)));
    let keys = record.keys.into_iter().map(|one| {
        let (requests, forfeited) = (count(one.requests)?, count(one.forfeited)?);
        Ok((one.kid, KeySpent { requests, forfeited }))
    });
    let askers = record.askers.into_iter().map(|one| {
        let number = count(one.number)?;
        Ok((one.instance, Asker { number, at: one.at }))
    });
    Ok(Ledger {
        account: record.account,
        period: record.period,
        settled: count(record.settled)?,
        forfeited: count(record.forfeited)?,
        days: days.collect::<Converted<_>>()?,
        routes: routes.collect::<Converted<_>>()?,
        keys: keys.collect::<Converted<_>>()?,
        leases: record.leases.into_iter().map(lease).collect::<Converted<_>>()?,
        askers: askers.collect::<Converted<_>>()?,
    })
}

fn of_lease((id, lease): (&LeaseId, &Lease)) -> Converted<UsageLease> {
    Ok(UsageLease {
        instance: id.instance.clone(),
        number: long(id.number)?,
        kid: lease.kid.clone(),
        granted: long(lease.granted)?,
        is_recalled: lease.is_recalled,
        expires_at: lease.expires_at,
        charges: of_charges(&lease.charges)?,
    })
}

fn lease(record: UsageLease) -> Converted<(LeaseId, Lease)> {
    let id = LeaseId { instance: record.instance, number: count(record.number)? };
    let lease = Lease {
        kid: record.kid,
        granted: count(record.granted)?,
        is_recalled: record.is_recalled,
        expires_at: record.expires_at,
        charges: charges(record.charges)?,
    };
    Ok((id, lease))
}

fn of_charges(charges: &Charges) -> Converted<Vec<UsageCharge>> {
    let each = charges.iter().map(|(to, requests)| {
        let requests = long(*requests)?;
        Ok(UsageCharge { day: to.day, route: to.route.clone(), requests })
    });
    each.collect()
}

fn charges(records: Vec<UsageCharge>) -> Converted<Charges> {
    let each = records.into_iter().map(|one| {
        let requests = count(one.requests)?;
        Ok((ChargedTo { day: one.day, route: one.route }, requests))
    });
    each.collect()
}

pub(super) fn of_ask(ask: &LeaseQuota) -> Converted<AccountLeaseQuota> {
    Ok(AccountLeaseQuota {
        instance: ask.instance.clone(),
        number: long(ask.number)?,
        account: ask.account.clone(),
        kid: ask.kid.clone(),
        quota: long(ask.quota)?,
        cost: long(ask.cost)?,
        wanted: long(ask.wanted)?,
    })
}

pub(super) fn ask(record: AccountLeaseQuota) -> Converted<LeaseQuota> {
    Ok(LeaseQuota {
        instance: record.instance,
        number: count(record.number)?,
        account: record.account,
        kid: record.kid,
        quota: count(record.quota)?,
        cost: count(record.cost)?,
        wanted: count(record.wanted)?,
    })
}

pub(super) fn of_settlement(report: &SettleQuota) -> Converted<AccountSettleQuota> {
    let leases = report.leases.iter().map(|lease| {
        Ok(SettledLease {
            account: lease.account.clone(),
            period: lease.period,
            number: long(lease.number)?,
            is_returned: lease.is_returned,
            charges: of_charges(&lease.charges)?,
        })
    });
    let leases = leases.collect::<Converted<_>>()?;
    Ok(AccountSettleQuota { instance: report.instance.clone(), leases })
}

pub(super) fn settlement(record: AccountSettleQuota) -> Converted<SettleQuota> {
    let leases = record.leases.into_iter().map(|lease| {
        Ok(LeaseReport {
            account: lease.account,
            period: lease.period,
            number: count(lease.number)?,
            is_returned: lease.is_returned,
            charges: charges(lease.charges)?,
        })
    });
    let leases = leases.collect::<Converted<_>>()?;
    Ok(SettleQuota { instance: record.instance, leases })
}
