//! Values of a record that are read when someone first asks for them.

use std::cell::OnceCell;

use super::record_place::RecordValue;
use sundown_text_json::text::Span;

/// A value that is made when it is first asked for, and then kept.
#[derive(Debug, Clone)]
pub struct Lazy<'a, T> {
    source: Option<Source<'a, T>>,
    /// Boxed: few values are asked for, and exchanges are moved.
    made: OnceCell<Box<T>>,
}

#[derive(Debug, Clone)]
struct Source<'a, T> {
    value: RecordValue<'a>,
    make: fn(RecordValue<'a>) -> T,
}

impl<T> Default for Lazy<'_, T> {
    fn default() -> Self {
        Self {
            source: None,
            made: OnceCell::new(),
        }
    }
}

impl<T> From<T> for Lazy<'_, T> {
    fn from(known: T) -> Self {
        Self {
            source: None,
            made: OnceCell::from(Box::new(known)),
        }
    }
}

impl<'a, T: Default> Lazy<'a, T> {
    /// A value that `make` reads from a part of a record when it is first asked for.
    pub fn of(value: RecordValue<'a>, make: fn(RecordValue<'a>) -> T) -> Self {
        Self {
            source: Some(Source { value, make }),
            made: OnceCell::new(),
        }
    }

    /// The value; the default if there is nothing to make it of.
    pub fn get(&self) -> &T {
        self.made.get_or_init(|| {
            Box::new(match &self.source {
                Some(source) => (source.make)(source.value),
                None => T::default(),
            })
        })
    }

    /// The value, if it was known from the beginning.
    pub fn known(&self) -> Option<&T> {
        self.made
            .get()
            .map(|made| &**made)
            .filter(|_| self.source.is_none())
    }

    /// The bytes of which it is made; empty if it was known from the beginning.
    pub fn raw(&self) -> &'a [u8] {
        self.source
            .as_ref()
            .map_or(&[], |source| source.value.raw())
    }

    /// Where the value of a record is of which it is made.
    pub fn span(&self) -> Option<Span> {
        self.source.as_ref().map(|source| source.value.span)
    }
}
