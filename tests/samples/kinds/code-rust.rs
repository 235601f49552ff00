//! A ledger of bookings.

use std::collections::BTreeMap;

#[derive(Debug, Default, Clone)]
pub struct Ledger {
    balances: BTreeMap<String, i64>,
}

impl Ledger {
    /// Books `cents` to `account` and returns the new balance.
    pub fn book(&mut self, account: &str, cents: i64) -> i64 {
        let balance = self.balances.entry(account.to_owned()).or_insert(0);
        *balance += cents;
        *balance
    }

    pub fn balance(&self, account: &str) -> Option<i64> {
        self.balances.get(account).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_booking_changes_the_balance() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.book("till", 250), 250);
    }

    #[test]
    fn an_unknown_account_has_none() {
        assert!(Ledger::default().balance("nobody").is_none());
    }

    #[test]
    fn this_one_fails() {
        assert_eq!(Ledger::default().book("till", 1), 2);
    }
}
