//! Limits the memory that the large records of a run take together.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Memory of up to this size is not counted: an ordinary block with room to grow.
pub(super) const UNCOUNTED: usize = 4 * 1024 * 1024;

/// The memory of large records, shared by all threads.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    /// The number of bytes that may be held at once.
    limit: usize,
    held: Mutex<usize>,
    released: Condvar,
}

/// Memory that counts until this is dropped.
#[derive(Debug)]
pub(crate) struct HeldMemory {
    budget: Arc<MemoryBudget>,
    bytes: usize,
}

impl MemoryBudget {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            held: Mutex::default(),
            released: Condvar::new(),
        })
    }

    fn held(&self) -> MutexGuard<'_, usize> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with no memory.
    pub(crate) fn hold(self: &Arc<Self>) -> HeldMemory {
        HeldMemory {
            budget: Arc::clone(self),
            bytes: 0,
        }
    }
}

impl HeldMemory {
    /// Holds `bytes` instead of what was held, as soon as the limit allows it.
    ///
    /// If no one else holds anything, there is always room, so that a single record can be read. Otherwise the others release
    /// theirs: only the reader waits, there is one at a time, and it holds nothing else.
    pub(super) fn grow(&mut self, bytes: usize) {
        let budget = &*self.budget;
        let own = self.bytes;
        let held = budget.released.wait_while(budget.held(), |held| {
            let others = held.saturating_sub(own);
            others > 0 && others.saturating_add(bytes) > budget.limit
        });
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        *held = held.saturating_sub(own).saturating_add(bytes);
        self.bytes = bytes;
    }

    /// Holds further memory at once, even beyond the limit. The next growth waits for it.
    pub(super) fn hold_more(&self, bytes: usize) -> Self {
        let mut held = self.budget.held();
        *held = held.saturating_add(bytes);
        drop(held);
        Self {
            budget: Arc::clone(&self.budget),
            bytes,
        }
    }
}

impl Drop for HeldMemory {
    fn drop(&mut self) {
        let mut held = self.budget.held();
        *held = held.saturating_sub(self.bytes);
        drop(held);
        self.budget.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn one_record_always_fits_and_another_waits_for_it() {
        let budget = MemoryBudget::new(100);
        let mut first = budget.hold();
        first.grow(80);
        first.grow(500);
        let mut second = budget.hold();
        thread::scope(|scope| {
            let waiting = scope.spawn(move || {
                second.grow(70);
                second
            });
            thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            drop(first);
            let mut second = waiting.join().unwrap();
            let mut third = budget.hold();
            third.grow(30);
            second.grow(60);
            assert_eq!(*budget.held.lock().unwrap(), 90);
            let more = second.hold_more(40);
            assert_eq!(*budget.held.lock().unwrap(), 130);
            drop(more);
        });
        assert_eq!(*budget.held.lock().unwrap(), 0);
    }
}
