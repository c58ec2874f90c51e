//! Reads the keys of a TOML table one by one, and collects all mistakes instead of stopping at the first.

use std::cell::RefCell;
use std::ops::Range;

use chrono::NaiveDate;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{MessageText, Mistake};
use sundown_text_json::text::{did_you_mean, parse_date};

/// The maximum number of mistakes in a file before unknown keys get no remedy: far more than are shown. A file of another kind has
/// an unknown key on every line, and a remedy is larger than the line.
const MAX_REMEDIES: usize = 1_000;

/// A value with its span.
#[derive(Debug, Clone)]
pub struct WithSpan<T> {
    pub value: T,
    /// Its span in the file.
    pub span: Range<usize>,
}

impl<T> WithSpan<T> {
    /// Converts the value.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> WithSpan<U> {
        WithSpan {
            value: convert(self.value),
            span: self.span,
        }
    }
}

/// A table whose keys are being read.
pub struct TableReader<'t> {
    table: &'t DeTable<'t>,
    /// The span of the table, for mistakes about missing keys.
    pub span: Range<usize>,
    asked: RefCell<Vec<&'static str>>,
    mistakes: &'t RefCell<Vec<Mistake>>,
}

impl<'t> TableReader<'t> {
    /// Creates a reader of a table, which adds to `mistakes`.
    pub(super) fn new(
        table: WithSpan<&'t DeTable<'t>>,
        mistakes: &'t RefCell<Vec<Mistake>>,
    ) -> Self {
        Self {
            table: table.value,
            span: table.span,
            asked: RefCell::default(),
            mistakes,
        }
    }

    /// Returns a value, or adds the mistake in its place.
    pub fn accept<T>(&self, read: Result<T, Mistake>) -> Option<T> {
        read.map_err(|mistake| self.add_mistake(mistake)).ok()
    }

    pub fn add_mistake(&self, mistake: Mistake) {
        self.mistakes.borrow_mut().push(mistake);
    }

    /// Adds a mistake at `span`.
    pub fn complain(&self, span: Range<usize>, message: impl Into<MessageText>) {
        self.add_mistake(Mistake::new(span, message));
    }

    /// Adds a mistake at `span`, with what to do about it.
    pub fn refuse(
        &self,
        span: Range<usize>,
        message: impl Into<MessageText>,
        help: impl Into<MessageText>,
    ) {
        self.add_mistake(Mistake::new(span, message).with_help(help));
    }

    /// Adds that something is missing in the table, with what to do about it.
    pub fn refuse_incomplete(&self, message: impl Into<MessageText>, help: impl Into<MessageText>) {
        self.add_mistake(Mistake::missing(self.span.clone(), message).with_help(help));
    }

    /// The number of mistakes so far.
    pub fn count_mistakes(&self) -> usize {
        self.mistakes.borrow().len()
    }

    /// A reader of a table inside this one, which adds to the same mistakes.
    #[must_use]
    pub fn inner(&self, table: WithSpan<&'t DeTable<'t>>) -> Self {
        Self::new(table, self.mistakes)
    }

    /// Whether the key exists, with any value.
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The span of the value of the key, if it exists.
    pub fn span_of(&self, key: &str) -> Option<Range<usize>> {
        self.table.get(key).map(Spanned::span)
    }

    /// The span of the value of the key, or else of the table.
    pub fn label(&self, key: &str) -> Range<usize> {
        self.span_of(key).unwrap_or_else(|| self.span.clone())
    }

    /// The value of the key, which stays in the table.
    pub fn peek(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    fn get(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        self.table.get(key)
    }

    fn wrong_type(&self, key: &str, wanted: &str, value: &Spanned<DeValue<'_>>) {
        let message = format!(
            "`{key}` is {wanted}, not {}",
            article(value.get_ref().type_str())
        );
        let mistake = Mistake::foreign(value.span(), MessageText::own(message));
        let is_single = wanted == Self::TABLES && value.get_ref().is_table();
        let help = MessageText::own(format!(
            "write `[[{key}]]`: each table is an entry of the list"
        ));
        self.add_mistake(if is_single {
            mistake.with_help(help)
        } else {
            mistake
        });
    }

    /// Takes the string under `key` without its span.
    pub fn text(&self, key: &'static str) -> Option<String> {
        self.string(key).map(|text| text.value.to_owned())
    }

    /// Like [`Self::text`], but a missing key is a mistake.
    pub fn required_text(&self, key: &'static str) -> Option<String> {
        self.require(key);
        self.text(key)
    }

    /// Takes the string under `key`, which must not be empty.
    pub fn string(&self, key: &'static str) -> Option<WithSpan<&'t str>> {
        let value = self.get(key)?;
        let text = self.typed(key, "a string", value, DeValue::as_str)?;
        if text.value.trim().is_empty() {
            self.complain(text.span, own(key, "is empty"));
            return None;
        }
        Some(text)
    }

    /// Like [`Self::string`], but a missing key is a mistake.
    pub fn required_string(&self, key: &'static str) -> Option<WithSpan<&'t str>> {
        self.require(key);
        self.string(key)
    }

    fn require(&self, key: &'static str) {
        if !self.has(key) {
            let span = self.span.clone();
            self.add_mistake(Mistake::missing(span, own(key, "is missing")));
        }
    }

    /// Takes the list of strings under `key`.
    pub fn strings(&self, key: &'static str) -> Option<Vec<WithSpan<&'t str>>> {
        self.items(key, "a list of strings", DeValue::as_str)
    }

    /// Takes the list under `key`, whose items are read one by one.
    fn items<T>(
        &self,
        key: &'static str,
        wanted: &str,
        read: impl Fn(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<Vec<WithSpan<T>>> {
        let list = self.list(key, wanted)?.iter();
        let items = list.filter_map(|item| self.typed(key, wanted, item, &read));
        Some(items.collect())
    }

    fn list(&self, key: &'static str, wanted: &str) -> Option<&'t [Spanned<DeValue<'t>>]> {
        let list = self.typed(key, wanted, self.get(key)?, DeValue::as_array)?;
        Some(list.value)
    }

    /// Reads a value of one type.
    fn typed<T>(
        &self,
        key: &str,
        wanted: &str,
        value: &'t Spanned<DeValue<'t>>,
        read: impl Fn(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<WithSpan<T>> {
        let found = read(value.get_ref());
        if found.is_none() {
            self.wrong_type(key, wanted, value);
        }
        found.map(|found| WithSpan {
            value: found,
            span: value.span(),
        })
    }

    /// Takes the date under `key`, a TOML date or a string that looks like one.
    pub fn date(&self, key: &'static str) -> Option<NaiveDate> {
        let value = self.get(key)?;
        if !matches!(value.get_ref(), DeValue::Datetime(_) | DeValue::String(_)) {
            self.wrong_type(key, "a date", value);
            return None;
        }
        let date = day(value.get_ref());
        if date.is_none() {
            let help = "write the year, month and day: 2027-01-15";
            self.refuse(value.span(), own(key, "is not a date"), help);
        }
        date
    }

    /// Takes the day under `key`, which must exist. A value that is not a date is returned as an `Err` and is not a mistake: the
    /// caller handles it.
    pub fn lenient_date(&self, key: &'static str) -> Option<WithSpan<Result<NaiveDate, ()>>> {
        self.require(key);
        let value = self.get(key)?;
        let day = day(value.get_ref()).ok_or(());
        if day.is_err() {
            self.add_mistake(Mistake::pardon(value.span()));
        }
        Some(WithSpan {
            value: day,
            span: value.span(),
        })
    }

    /// Takes the Boolean or other scalar under `key` as JSON text.
    pub fn scalar_text(&self, key: &'static str) -> Option<String> {
        let value = self.get(key)?;
        let text = self.typed(key, "a string, number or boolean", value, scalar_text)?;
        Some(text.value)
    }

    /// Takes the list of scalars under `key` as JSON texts.
    pub fn scalar_texts(&self, key: &'static str) -> Vec<String> {
        let wanted = "a list of strings, numbers or booleans";
        let list = self.list(key, "a list").unwrap_or_default().iter();
        let texts = list.filter_map(|item| self.typed(key, wanted, item, scalar_text));
        texts.map(|text| text.value).collect()
    }

    /// Takes the list of scalars and tables under `key`, in its order: a scalar as JSON text.
    pub fn scalars_and_tables(
        &self,
        key: &'static str,
    ) -> Vec<WithSpan<Result<String, &'t DeTable<'t>>>> {
        let list = self.list(key, "a list").unwrap_or_default().iter();
        let items = list.filter_map(|item| {
            self.typed(
                key,
                "a list of values or tables",
                item,
                |value| match scalar_text(value) {
                    Some(text) => Some(Ok(text)),
                    None => value.as_table().map(Err),
                },
            )
        });
        items.collect()
    }

    /// Takes the integer under `key`.
    pub fn integer(&self, key: &'static str) -> Option<WithSpan<i64>> {
        let value = self.get(key)?;
        self.integer_of(key, value)
    }

    /// Takes the integer, or the list of integers, under `key`.
    pub fn one_or_more_integers(&self, key: &'static str) -> Option<Vec<WithSpan<i64>>> {
        let value = self.get(key)?;
        let Some(list) = value.get_ref().as_array() else {
            return self.integer_of(key, value).map(|one| vec![one]);
        };
        let integers = list.iter().filter_map(|item| self.integer_of(key, item));
        Some(integers.collect())
    }

    fn integer_of(
        &self,
        key: &'static str,
        value: &'t Spanned<DeValue<'t>>,
    ) -> Option<WithSpan<i64>> {
        let WithSpan { value, span } =
            self.typed(key, "a whole number", value, DeValue::as_integer)?;
        let digits = value.as_str().replace('_', "");
        let Ok(value) = i64::from_str_radix(&digits, value.radix()) else {
            self.complain(span, own(key, "is out of range"));
            return None;
        };
        Some(WithSpan { value, span })
    }

    /// Takes the Boolean under `key`.
    pub fn boolean(&self, key: &'static str) -> Option<WithSpan<bool>> {
        let value = self.get(key)?;
        self.typed(key, "true or false", value, DeValue::as_bool)
    }

    /// Takes the string, or the list of strings, under `key`.
    pub fn one_or_more(&self, key: &'static str) -> Option<Vec<WithSpan<&'t str>>> {
        if self.get(key)?.get_ref().is_str() {
            return self.string(key).map(|one| vec![one]);
        }
        self.strings(key)
    }

    /// Takes the table under `key`.
    pub fn table(&self, key: &'static str) -> Option<WithSpan<&'t DeTable<'t>>> {
        let value = self.get(key)?;
        self.typed(key, "a table", value, DeValue::as_table)
    }

    /// What [`Self::tables`] wants.
    const TABLES: &'static str = "a list of tables";

    /// Takes the list of tables under `key`.
    pub fn tables(&self, key: &'static str) -> Vec<WithSpan<&'t DeTable<'t>>> {
        self.items(key, Self::TABLES, DeValue::as_table)
            .unwrap_or_default()
    }

    /// Takes the table, or the list of tables, under `key`.
    pub fn one_or_more_tables(&self, key: &'static str) -> Vec<WithSpan<&'t DeTable<'t>>> {
        match self.peek(key) {
            Some(value) if value.get_ref().is_table() => self.table(key).into_iter().collect(),
            _ => self.tables(key),
        }
    }

    /// Reports every key that was not read. The first ones in the file get a remedy: the most similar known key.
    pub fn finish(self) {
        let asked = self.asked.take();
        let keys = self.table.keys();
        let mut unknown: Vec<_> = keys
            .filter(|key| !asked.contains(&key.get_ref().as_ref()))
            .collect();
        unknown.sort_unstable_by_key(|key| key.span().start);
        for key in unknown {
            self.add_mistake(self.unknown_key(key.span(), key.get_ref(), &asked));
        }
    }

    /// The mistake of a key that was not read. A misspelled key of this program is no foreign one.
    fn unknown_key(&self, span: Range<usize>, name: &str, asked: &[&str]) -> Mistake {
        let message = MessageText::unknown_key(name);
        if self.count_mistakes() >= MAX_REMEDIES {
            return Mistake::foreign(span, message);
        }
        match did_you_mean(name, asked.iter().copied()) {
            Some(nearest) => Mistake::new(span, message)
                .with_help(MessageText::own(format!("did you mean `{nearest}`?"))),
            None => Mistake::foreign(span, message)
                .with_help(MessageText::own(format!("keys here: {}", asked.join(", ")))),
        }
    }
}

/// A scalar as JSON text: a string by its content.
fn scalar_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(boolean) => Some(boolean.to_string()),
        DeValue::Integer(integer) => Some(integer.as_str().to_owned()),
        DeValue::Float(float) => Some(float.as_str().to_owned()),
        _ => None,
    }
}

/// Creates a message about a key that the program knows.
fn own(key: &'static str, what: &str) -> MessageText {
    MessageText::own(format!("`{key}` {what}"))
}

fn day(value: &DeValue<'_>) -> Option<NaiveDate> {
    match value {
        DeValue::Datetime(written) => match (written.date, written.time) {
            (Some(day), None) => {
                NaiveDate::from_ymd_opt(day.year.into(), day.month.into(), day.day.into())
            }
            _ => parse_date(&written.to_string())?.day(),
        },
        DeValue::String(text) => parse_date(text)?.day(),
        _ => None,
    }
}

fn article(type_name: &str) -> String {
    let vowel = type_name.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {type_name}", if vowel { "an" } else { "a" })
}

#[cfg(test)]
mod tests {
    use crate::toml_file::read_table;

    #[test]
    fn all_unknown_keys_are_counted_and_the_first_have_remedies() {
        // The last ones in the file are the first by name.
        let remedies = |count: usize| {
            let lines = (0..count).map(|n| format!("k{}=1\n", 100_000 - n));
            let content = read_table(&lines.collect::<String>(), |reader| {
                reader.finish();
            });
            let mistakes = content.mistakes;
            assert_eq!(mistakes.len(), count);
            assert!(mistakes.is_sorted_by_key(|mistake| mistake.span.start));
            let first = mistakes
                .iter()
                .take_while(|mistake| mistake.help.is_some())
                .count();
            assert!(
                mistakes
                    .iter()
                    .skip(first)
                    .all(|mistake| mistake.help.is_none())
            );
            first
        };
        assert_eq!(
            (remedies(999), remedies(1_000), remedies(1_001)),
            (999, 1_000, 1_000)
        );
    }
}
