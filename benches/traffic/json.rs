//! A JSON writer into a vector of bytes that tracks its position, so that it can give the exact pointer of a use.
//!
//! It escapes nothing: keys and texts must already be valid inside JSON quotes. This is fast, and allows escapes that no
//! serializer would write.

/// The white space of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// No white space at all.
    Minified,
    /// Two spaces a level.
    Indented,
}

/// A step from a value to one inside it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A member of an object.
    Key(&'static str),
    /// A member with the identifier of a document as its key.
    Document(u64),
    /// An element of an array.
    Index(u32),
}

/// An open object or array.
#[derive(Debug)]
struct Level {
    /// The step to it; `None` for the body's root.
    step: Option<Step>,
    /// The number of its elements so far, if it is an array.
    elements: u32,
}

/// The writer.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) out: Vec<u8>,
    levels: Vec<Level>,
    layout: Layout,
    /// Levels around the value, for the indentation.
    margin: usize,
}

impl Json {
    /// A writer of values that are `margin` levels deep in a document.
    pub(super) fn new(layout: Layout, margin: usize) -> Self {
        Self {
            out: Vec::new(),
            levels: Vec::new(),
            layout,
            margin,
        }
    }

    /// Begins a new value, forgetting the last.
    pub(super) fn restart(&mut self, layout: Layout) {
        self.out.clear();
        self.levels.clear();
        self.layout = layout;
    }

    /// Opens the outermost object.
    pub(super) fn begin(&mut self) {
        self.open(None, b'{');
    }

    /// Opens an object under a key.
    pub(super) fn begin_object(&mut self, key: &'static str) {
        self.key(key);
        self.begin_value_object(key);
    }

    /// Opens an object under a key that has been written.
    pub(super) fn begin_value_object(&mut self, key: &'static str) {
        self.open(Some(Step::Key(key)), b'{');
    }

    /// Opens an object under the identifier of a document.
    pub(super) fn begin_document(&mut self, document: u64) {
        self.separate();
        self.out.push(b'"');
        document_id(&mut self.out, document);
        self.end_key();
        self.open(Some(Step::Document(document)), b'{');
    }

    /// Opens an array under a key.
    pub(super) fn begin_array(&mut self, key: &'static str) {
        self.key(key);
        self.begin_value_array(key);
    }

    /// Opens an array under a key that has been written.
    pub(super) fn begin_value_array(&mut self, key: &'static str) {
        self.open(Some(Step::Key(key)), b'[');
    }

    /// Opens an object that is the next element of the array.
    pub(super) fn begin_element(&mut self) {
        self.separate();
        let step = self.levels.last_mut().map(|level| {
            level.elements = level.elements.wrapping_add(1);
            Step::Index(level.elements.wrapping_sub(1))
        });
        self.open(step, b'{');
    }

    /// Closes the object.
    pub(super) fn end_object(&mut self) {
        self.close(b'}');
    }

    /// Closes the array.
    pub(super) fn end_array(&mut self) {
        self.close(b']');
    }

    /// Writes a key; its value is to follow.
    #[inline]
    pub(super) fn key(&mut self, key: &'static str) {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.end_key();
    }

    /// Writes a key with one of its letters as `\u00XX`; its value is to follow.
    pub(super) fn escaped_key(&mut self, key: &'static str, letter: usize) {
        self.separate();
        self.out.push(b'"');
        for (position, &byte) in key.as_bytes().iter().enumerate() {
            if position == letter {
                self.out.extend_from_slice(b"\\u00");
                self.out.push(HEX[usize::from(byte >> 4)]);
                self.out.push(HEX[usize::from(byte & 15)]);
            } else {
                self.out.push(byte);
            }
        }
        self.end_key();
    }

    /// A member that is a string; `text` is written unchanged between the quotes.
    #[inline]
    pub(super) fn string(&mut self, key: &'static str, text: &str) {
        self.key(key);
        self.value(text);
    }

    /// A string, as a value after a key.
    #[inline]
    pub(super) fn value(&mut self, text: &str) {
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'"');
    }

    /// The next element of the array, a string.
    pub(super) fn element(&mut self, text: &str) {
        self.separate();
        self.value(text);
    }

    /// A member that is a number.
    pub(super) fn number(&mut self, key: &'static str, number: u32) {
        self.key(key);
        decimal(&mut self.out, u64::from(number));
    }

    /// A member that is a number, written with three decimals.
    pub(super) fn thousandths(&mut self, key: &'static str, number: u32) {
        self.key(key);
        decimal(&mut self.out, u64::from(number / 1000));
        self.out.push(b'.');
        digits(&mut self.out, number % 1000, 3);
    }

    /// A member that is `true` or `false`.
    pub(super) fn boolean(&mut self, key: &'static str, truth: bool) {
        self.literal(key, if truth { "true" } else { "false" });
    }

    /// A member with this JSON as its value.
    pub(super) fn literal(&mut self, key: &'static str, value: &str) {
        self.key(key);
        self.out.extend_from_slice(value.as_bytes());
    }

    /// The JSON Pointer of a member of the open object. No key here has a `~` or a `/` in it.
    pub(super) fn pointer(&self, key: &str) -> String {
        let mut pointer = Vec::new();
        for step in self.levels.iter().filter_map(|level| level.step) {
            pointer.push(b'/');
            match step {
                Step::Key(name) => pointer.extend_from_slice(name.as_bytes()),
                Step::Document(document) => document_id(&mut pointer, document),
                Step::Index(number) => decimal(&mut pointer, u64::from(number)),
            }
        }
        pointer.push(b'/');
        pointer.extend_from_slice(key.as_bytes());
        String::from_utf8_lossy(&pointer).into_owned()
    }

    /// Ends a key, its value is to follow.
    fn end_key(&mut self) {
        match self.layout {
            Layout::Minified => self.out.extend_from_slice(b"\":"),
            Layout::Indented => self.out.extend_from_slice(b"\": "),
        }
    }

    fn open(&mut self, step: Option<Step>, bracket: u8) {
        self.out.push(bracket);
        self.levels.push(Level { step, elements: 0 });
    }

    fn close(&mut self, bracket: u8) {
        self.levels.pop();
        if self.layout == Layout::Indented && !self.at_start() {
            self.break_line();
        }
        self.out.push(bracket);
    }

    /// Writes the separator before a member or an element. A value never ends with an opening bracket.
    #[inline]
    fn separate(&mut self) {
        if !self.at_start() {
            self.out.push(b',');
        }
        if self.layout == Layout::Indented {
            self.break_line();
        }
    }

    fn at_start(&self) -> bool {
        matches!(self.out.last(), None | Some(b'{' | b'['))
    }

    fn break_line(&mut self) {
        let indent = (self.levels.len() + self.margin) * 2;
        self.out.push(b'\n');
        self.out.resize(self.out.len() + indent, b' ');
    }
}

pub(super) const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes a number in decimal digits.
pub(super) fn decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut reversed = [0; 20];
    let mut length = 0;
    while let Some(place) = reversed.get_mut(length) {
        *place = digit(number % 10);
        number /= 10;
        length += 1;
        if number == 0 {
            break;
        }
    }
    out.extend(reversed.iter().take(length).rev());
}

/// Writes the last `width` digits of a number, with zeros in front; nine at most.
pub(super) fn digits(out: &mut Vec<u8>, number: u32, width: usize) {
    const POWERS: [u32; 9] = [
        1,
        10,
        100,
        1000,
        10_000,
        100_000,
        1_000_000,
        10_000_000,
        100_000_000,
    ];
    for power in POWERS.iter().take(width).rev() {
        out.push(digit(u64::from(number / power % 10)));
    }
}

/// Writes all 16 digits of a hexadecimal number.
pub(super) fn hexadecimal(out: &mut Vec<u8>, number: u64) {
    let mut text = [0; 16];
    for (pair, byte) in text.chunks_exact_mut(2).zip(number.to_be_bytes()) {
        pair[0] = HEX[usize::from(byte >> 4)];
        pair[1] = HEX[usize::from(byte & 15)];
    }
    out.extend_from_slice(&text);
}

/// Writes the identifier of a document.
pub(super) fn document_id(out: &mut Vec<u8>, document: u64) {
    out.extend_from_slice(b"GDRIVE_");
    hexadecimal(out, document);
}

fn digit(number: u64) -> u8 {
    b'0' + u8::try_from(number % 10).unwrap_or(0)
}

/// Appends JSON escaped for a JSON string. The only control character in the traffic is the line break.
pub(super) fn escape_into(out: &mut Vec<u8>, json: &[u8]) {
    out.reserve(json.len() * 3 / 2);
    let mut rest = json;
    while let Some((block, after)) = rest.split_first_chunk::<8>() {
        let clean = clean_bytes(u64::from_le_bytes(*block));
        // The whole block, and back again: a copy of fixed length is one instruction.
        out.extend_from_slice(block);
        out.truncate(out.len() - block.len() + clean);
        rest = match block.get(clean) {
            Some(&byte) => {
                escape_byte(out, byte);
                rest.get(clean + 1..).unwrap_or_default()
            }
            None => after,
        };
    }
    for &byte in rest {
        match byte {
            b'"' | b'\\' | b'\n' => escape_byte(out, byte),
            _ => out.push(byte),
        }
    }
}

fn escape_byte(out: &mut Vec<u8>, byte: u8) {
    out.extend_from_slice(&[b'\\', if byte == b'\n' { b'n' } else { byte }]);
}

/// The number of bytes, from the lowest on, before the first that needs an escape.
fn clean_bytes(block: u64) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let found = [b'"', b'\\', b'\n'].into_iter().fold(0, |found, byte| {
        // The high bit of each byte that is the one sought. A borrow may set more, but only above the first.
        let difference = block ^ (ONES * u64::from(byte));
        found | (difference.wrapping_sub(ONES) & !difference & (ONES << 7))
    });
    usize::try_from(found.trailing_zeros() / 8).unwrap_or(8)
}
