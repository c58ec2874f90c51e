//! Dictionaries and lists as Python prints them, rewritten as JSON.

/// The depth to which dictionaries and lists may nest.
const MAX_DEPTH: usize = 100;

/// Rewrites a dictionary or list as `repr` of Python writes it (`{'a': True, 'b': None}`). `None` if anything in it is not a
/// literal, because its value is not known then.
pub(super) fn python_as_json(text: &str) -> Option<String> {
    let mut reader = PythonReader {
        text,
        at: 0,
        json: String::new(),
    };
    reader.skip_blank();
    matches!(reader.peek()?, b'{' | b'[' | b'(').then_some(())?;
    reader.value(MAX_DEPTH)?;
    reader.skip_blank();
    (reader.at == text.len()).then_some(reader.json)
}

struct PythonReader<'t> {
    text: &'t str,
    at: usize,
    json: String,
}

impl PythonReader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Writes JSON for the next bytes of the literal.
    fn write(&mut self, json: &str, length: usize) {
        self.json.push_str(json);
        self.at += length;
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.peek()? {
            b'{' => self.items("{", "}", b'}', |reader| reader.member(depth)),
            b'[' => self.items("[", "]", b']', |reader| reader.value(depth)),
            b'(' => self.items("[", "]", b')', |reader| reader.value(depth)),
            b'-' | b'0'..=b'9' => self.number(),
            b'T' | b'F' | b'N' => self.constant(),
            _ => self.string(),
        }
    }

    /// Reads items up to a closing bracket. A comma may follow the last one.
    fn items(
        &mut self,
        open: &str,
        close: &str,
        end: u8,
        item: impl Fn(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.write(open, 1);
        self.skip_blank();
        while self.peek()? != end {
            item(self)?;
            self.skip_blank();
            match self.peek()? {
                b',' => {
                    self.at += 1;
                    self.skip_blank();
                    if self.peek()? != end {
                        self.json.push(',');
                    }
                }
                next if next == end => {}
                _ => return None,
            }
        }
        self.write(close, 1);
        Some(())
    }

    fn member(&mut self, depth: usize) -> Option<()> {
        self.string()?;
        self.skip_blank();
        (self.peek()? == b':').then_some(())?;
        self.write(":", 1);
        self.skip_blank();
        self.value(depth)
    }

    fn constant(&mut self) -> Option<()> {
        let (word, json) = [("True", "true"), ("False", "false"), ("None", "null")]
            .into_iter()
            .find(|(word, _)| self.rest().starts_with(word))?;
        self.write(json, word.len());
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let length = self
            .rest()
            .bytes()
            .take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte))
            .count();
        let number = self.rest().get(..length)?.to_owned();
        serde_json::from_str::<serde_json::Number>(&number).ok()?;
        self.write(&number, length);
        Some(())
    }

    /// Reads a text (`'a'`, `"it's"`, `u'a'`) or bytes (`b'a'`).
    fn string(&mut self) -> Option<()> {
        let prefix = usize::from(matches!(self.peek()?, b'u' | b'b'));
        let quote = self.text.as_bytes().get(self.at + prefix).copied();
        let quote = char::from(quote.filter(|quote| b"'\"".contains(quote))?);
        self.write("\"", prefix + 1);
        loop {
            let next = self.rest().chars().next()?;
            match next {
                _ if next == quote => break,
                '\\' => {
                    let (meant, length) = escape(self.rest())?;
                    self.write(&in_json(meant), length);
                }
                '\0'..' ' => return None,
                _ => self.write(&in_json(next), next.len_utf8()),
            }
        }
        self.write("\"", 1);
        Some(())
    }
}

/// A character as it is written in a JSON string.
fn in_json(character: char) -> String {
    match character {
        '"' | '\\' => format!("\\{character}"),
        '\0'..' ' => format!("\\u{:04x}", u32::from(character)),
        _ => character.to_string(),
    }
}

/// The meaning and the length of the escape that a text begins with.
fn escape(text: &str) -> Option<(char, usize)> {
    let kind = text.get(1..2)?;
    let digits = match kind {
        "n" => return Some(('\n', 2)),
        "r" => return Some(('\r', 2)),
        "t" => return Some(('\t', 2)),
        "\\" | "'" | "\"" => return Some((kind.chars().next()?, 2)),
        "x" => 2,
        "u" => 4,
        "U" => 8,
        _ => return None,
    };
    let code = u32::from_str_radix(text.get(2..2 + digits)?, 16).ok()?;
    Some((char::from_u32(code)?, 2 + digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_become_json() {
        for (text, expected) in [
            ("{'a': True, 'b': None}", r#"{"a":true,"b":null}"#),
            ("[{'a': -1.5e3}, (1,), []]", r#"[{"a":-1.5e3},[1],[]]"#),
            (
                r#"{"it's": 'x"\\\n\x41é'}"#,
                "{\"it's\":\"x\\\"\\\\\\u000aA\u{e9}\"}",
            ),
            ("{u'a': b'c',\n 'd': {}}\n", r#"{"a":"c","d":{}}"#),
        ] {
            assert_eq!(python_as_json(text).unwrap(), expected, "{text}");
        }
        for text in [
            "'a'",
            "{'a': nan}",
            "{'a': datetime.date(2026, 1, 2)}",
            "{1: 2}",
            "{'a': 1} x",
            "{'a': 1",
            "{'a'}",
            "{'a': 'b\n'}",
            "{'a': 01}",
            "",
        ] {
            assert!(python_as_json(text).is_none(), "{text}");
        }
        assert!(python_as_json(&"[".repeat(100_000)).is_none());
    }
}
