//! One body while it is written: its JSON, its random choices, and the deprecated elements it is to hold.

use super::json::{Json, Layout, decimal, digits, hexadecimal};
use super::plan::{Side, Slot, Slots, Use};
use super::random::{Random, index};
use super::words::{write_name, write_words};

/// A body while it is written.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) json: Json,
    pub(super) random: Random,
    pub(super) uses: Vec<Use>,
    /// Names that are deprecated at any place in a body of the operation.
    pub(super) everywhere: &'static [&'static str],
    operation: &'static str,
    side: Side,
    /// The slots that are still to be planted.
    wanted: Slots,
    /// True once planting has begun: in a list, it begins at a random element.
    armed: bool,
    /// The deprecated element that is being written.
    inside: Option<String>,
    /// The intended size of the body in bytes.
    target: usize,
}

impl Body {
    pub(super) fn new(side: Side) -> Self {
        Self {
            json: Json::new(Layout::Minified, 0),
            random: Random::new(0, 0, 0),
            uses: Vec::new(),
            everywhere: &[],
            operation: "",
            side,
            wanted: Slots::NONE,
            armed: true,
            inside: None,
            target: 0,
        }
    }

    /// Makes ready for the next body. Uses are kept until the caller has taken them.
    pub(super) fn restart(
        &mut self,
        operation: &'static str,
        everywhere: &'static [&'static str],
        layout: Layout,
        random: Random,
    ) {
        self.json.restart(layout);
        self.random = random;
        self.operation = operation;
        self.everywhere = everywhere;
        self.armed = true;
        self.inside = None;
    }

    /// Writes the body, with the wanted slots planted in it.
    pub(super) fn write(&mut self, content: fn(&mut Self), wanted: Slots, target: usize) {
        self.wanted = wanted;
        self.target = target;
        self.json.begin();
        content(self);
        self.json.end_object();
        // A body needs a site for every slot of its operation, or there are fewer hits than requested.
        debug_assert_eq!(self.wanted, Slots::NONE, "no site in {}", self.operation);
    }

    // ---- Planting.

    /// Returns whether one of the slots is to be planted here, so that the optional parts with its sites must be written.
    pub(super) fn wants(&self, slots: Slots) -> bool {
        self.armed && self.wanted.meets(slots)
    }

    /// Returns whether to write the deprecated member now; if so, it has written the key, and the caller writes the value.
    pub(super) fn plants(&mut self, slot: Slot, key: &'static str) -> bool {
        let planted = match self.inside {
            // Inside a deprecated container, each deprecated member may be planted at its site.
            Some(_) => self.random.once_in(3),
            None => self.armed && self.wanted.has(slot),
        };
        if !planted {
            return false;
        }
        if self.inside.is_none() {
            self.wanted.remove(slot);
        }
        self.uses.push(Use {
            operation: self.operation,
            side: self.side,
            pointer: Some(self.json.pointer(key)),
            rule: slot.rule(),
            inside: self.inside.clone(),
        });
        // Any JSON writer may spell a letter as an escape, and hardly any does.
        if self.random.once_in(64) {
            let length = u32::try_from(key.len()).unwrap_or(1);
            let letter = index(self.random.below(length));
            self.json.escaped_key(key, letter);
        } else {
            self.json.key(key);
        }
        true
    }

    /// Writes the value of the deprecated member that has just been planted; uses inside it belong to it.
    pub(super) fn inside_use(&mut self, content: impl FnOnce(&mut Self)) {
        let outer = self.uses.last().and_then(|planted| planted.pointer.clone());
        let before = std::mem::replace(&mut self.inside, outer);
        content(self);
        self.inside = before;
    }

    // ---- Containers.

    /// A member that is an object.
    pub(super) fn object(&mut self, key: &'static str, content: impl FnOnce(&mut Self)) {
        self.json.key(key);
        self.object_value(key, content);
    }

    /// An element that is an object.
    pub(super) fn element(&mut self, content: impl FnOnce(&mut Self)) {
        self.json.begin_element();
        content(self);
        self.json.end_object();
    }

    /// A member that is an array of `count` objects.
    pub(super) fn list(&mut self, key: &'static str, count: u32, content: impl FnMut(&mut Self)) {
        self.json.key(key);
        self.list_value(key, count, content);
    }

    /// A member that is an array of as many objects as bring the body to `share` percent of its size. The planted
    /// elements are in one of them, not always the first.
    pub(super) fn fill(
        &mut self,
        key: &'static str,
        share: usize,
        mut content: impl FnMut(&mut Self),
    ) {
        self.json.begin_array(key);
        self.until_full(share, |body| body.element(&mut content));
        self.json.end_array();
    }

    /// Repeats the content until the body has `share` percent of its size.
    pub(super) fn until_full(&mut self, share: usize, mut content: impl FnMut(&mut Self)) {
        let end = self.target * share / 100;
        let room = end.saturating_sub(self.json.out.len()) / 2;
        let room = u32::try_from(room).unwrap_or(0);
        let begin = self.json.out.len() + index(self.random.below(room));
        let armed = self.armed;
        loop {
            self.armed = armed && self.json.out.len() >= begin;
            let planting = self.armed == armed;
            content(self);
            if planting && self.json.out.len() >= end {
                break;
            }
        }
        self.armed = armed;
    }

    /// An object, as the value of the key that has just been written.
    pub(super) fn object_value(&mut self, key: &'static str, content: impl FnOnce(&mut Self)) {
        self.json.begin_value_object(key);
        content(self);
        self.json.end_object();
    }

    /// An array of objects, as the value of the key that has just been written.
    pub(super) fn list_value(
        &mut self,
        key: &'static str,
        count: u32,
        mut content: impl FnMut(&mut Self),
    ) {
        self.json.begin_value_array(key);
        for _ in 0..count {
            self.element(&mut content);
        }
        self.json.end_array();
    }

    // ---- Scalars.

    /// A member that is a text of `low` to `high` words.
    pub(super) fn text(&mut self, key: &'static str, low: u32, high: u32) {
        self.json.key(key);
        self.text_value(low, high);
    }

    /// A text, as a value after a key.
    pub(super) fn text_value(&mut self, low: u32, high: u32) {
        let count = self.random.between(low, high);
        self.json.out.push(b'"');
        write_words(&mut self.json.out, &mut self.random, count);
        self.json.out.push(b'"');
    }

    /// A member that is a person's name.
    pub(super) fn name(&mut self, key: &'static str) {
        let person = self.random.below(1 << 20);
        self.json.key(key);
        self.json.out.push(b'"');
        write_name(&mut self.json.out, person);
        self.json.out.push(b'"');
    }

    /// A member that is a random identifier.
    pub(super) fn token(&mut self, key: &'static str) {
        self.json.key(key);
        self.json.out.push(b'"');
        hexadecimal(&mut self.json.out, self.random.next());
        self.json.out.push(b'"');
    }

    /// A member that is one of the texts.
    pub(super) fn one_of(&mut self, key: &'static str, texts: &[&str]) {
        let text = self.random.choose(texts).unwrap_or_default();
        self.json.string(key, text);
    }

    /// A member that is a number below the bound.
    pub(super) fn number(&mut self, key: &'static str, bound: u32) {
        let number = self.random.below(bound);
        self.json.number(key, number);
    }

    /// A member that is a number with decimals, from 0 to 1.
    pub(super) fn score(&mut self, key: &'static str) {
        let number = self.random.below(1001);
        self.json.thousandths(key, number);
    }

    /// A member that is true or false.
    pub(super) fn flag(&mut self, key: &'static str) {
        let truth = self.random.once_in(2);
        self.json.boolean(key, truth);
    }

    /// A member that is a moment.
    pub(super) fn time(&mut self, key: &'static str) {
        self.json.key(key);
        self.time_value();
    }

    /// A moment, as a value after a key.
    pub(super) fn time_value(&mut self) {
        let day = self.random.below(28 * 12 * 4);
        let second = self.random.below(86_400);
        let out = &mut self.json.out;
        out.extend_from_slice(b"\"20");
        digits(out, 23 + day / (28 * 12), 2);
        out.push(b'-');
        digits(out, 1 + day / 28 % 12, 2);
        out.push(b'-');
        digits(out, 1 + day % 28, 2);
        out.push(b'T');
        digits(out, second / 3600, 2);
        out.push(b':');
        digits(out, second / 60 % 60, 2);
        out.push(b':');
        digits(out, second % 60, 2);
        out.extend_from_slice(b"Z\"");
    }

    /// A member that is an address on the web; some writers escape its slashes.
    pub(super) fn url(&mut self, key: &'static str) {
        let bits = self.random.next();
        self.json.key(key);
        let out = &mut self.json.out;
        if bits.is_multiple_of(32) {
            out.extend_from_slice(b"\"https:\\/\\/docs.example.com\\/d\\/");
        } else {
            out.extend_from_slice(b"\"https://docs.example.com/d/");
        }
        hexadecimal(out, bits);
        out.extend_from_slice(b"?tab=t.");
        decimal(out, bits % 10);
        out.push(b'"');
    }

    /// A member that is an e-mail address.
    pub(super) fn email(&mut self, key: &'static str) {
        let person = self.random.below(1 << 20);
        self.json.key(key);
        let out = &mut self.json.out;
        out.extend_from_slice(b"\"user");
        decimal(out, u64::from(person));
        out.extend_from_slice(b"@example.com\"");
    }
}
