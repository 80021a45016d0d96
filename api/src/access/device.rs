//! Device cookies: what a browser keeps of having logged in, so that the tries of strangers never lock it out.
//!
//! A cookie is a random name and the HMAC of it, the account and the revision of its password: another password makes all of them
//! strangers again. It proves no identity: whoever has one still needs the password. It never makes random numbers, and is stored nowhere.
//!
//! Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".

use arb_accounts::account::Account;
use arb_accounts::secrets::Pepper;

/// The cookie of a device with a name, for an account whose password has a revision.
pub(crate) fn cookie(pepper: &Pepper, (account, revision): (&str, u64), name: &str) -> String {
    format!("{name}.{}", pepper.hmac(&text((account, revision), name)))
}

/// The name of the device that has a cookie of an account; `None` for a cookie of another account, password or pepper.
pub(crate) fn name<'a>(pepper: &Pepper, account: &Account, cookie: &'a str) -> Option<&'a str> {
    let (name, hmac) = cookie.split_once('.')?;
    pepper.is_of(&text((&account.id, account.revision), name), hmac).then_some(name)
}

fn text((account, revision): (&str, u64), name: &str) -> String {
    format!("/device/{account}\n{revision}\n{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::account;

    #[test]
    fn a_cookie_is_of_one_account_and_password() {
        let pepper = Pepper::new(&[7; 32]);
        let one = account("acc_0000000000000001", "one@example.com");
        let given = cookie(&pepper, (&one.id, one.revision), "a1");
        assert_eq!(name(&pepper, &one, &given), Some("a1"));
        let two = account("acc_0000000000000002", "two@example.com");
        assert_eq!(name(&pepper, &two, &given), None);
        let changed = Account { revision: 1, ..one.clone() };
        assert_eq!(name(&pepper, &changed, &given), None);
        assert_eq!(name(&Pepper::new(&[8; 32]), &one, &given), None);
        for wrong in ["", ".", "a1", "a2.", &given[1..], &given.replace("a1", "a2")] {
            assert_eq!(name(&pepper, &one, wrong), None, "{wrong}");
        }
    }
}
