//! References to API descriptions, which locate rules in place of selectors:
//! `api.yaml#/components/schemas/Order/properties/legacyId`.

use std::fmt;

use sundown_openapi::local_name;
use sundown_text_json::json::pointer;
use sundown_text_json::text::percent_decode;

/// A reference to a node of a description: a URI reference (RFC 3986) with a JSON Pointer (RFC 6901) as its fragment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SchemaReference {
    /// The file, relative to the rules file. Folders are separated by slashes.
    pub file: String,
    /// The decoded JSON Pointer, never empty.
    pub pointer: String,
}

/// A text is not what it should be. The fault of the rules file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextError {
    /// The mistake.
    pub message: &'static str,
    /// How to fix it.
    pub help: &'static str,
}

impl SchemaReference {
    /// Parses a reference and decodes its percent-encoding.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let (path, fragment) = text
            .split_once('#')
            .ok_or_else(|| error("has no `#` with a JSON Pointer"))?;
        if path.is_empty() {
            return Err(error("names no file"));
        }
        let file = local_file(path)?;
        let pointer = percent_decode(fragment);
        if !pointer.starts_with('/') {
            return Err(error("has no JSON Pointer after `#`"));
        }
        Ok(Self {
            file,
            pointer: pointer.into_owned(),
        })
    }

    /// The decoded last token of the pointer: the name of the property or schema.
    pub fn name(&self) -> String {
        let last = self.pointer.rsplit('/').next().unwrap_or_default();
        pointer::unescape(last).into_owned()
    }
}

/// A mistake in a reference, with its form as the remedy.
fn error(message: &'static str) -> TextError {
    TextError {
        message,
        help: "write the file and the JSON Pointer: api.yaml#/components/schemas/Order/properties/legacyId",
    }
}

/// The name of the file at this path, relative to the rules file.
pub(super) fn local_file(path: &str) -> Result<String, TextError> {
    local_name("", path).ok_or(TextError {
        message: "is on the network, from which nothing is fetched",
        help: "save the description next to the rules file, and write its path",
    })
}

/// Encodes the name of a file as the path of a reference. [`local_file`] decodes it.
pub(super) fn written_file(name: &str) -> String {
    let written = name.replace('%', "%25").replace('#', "%23");
    // A name with a colon may look like an address.
    if local_file(&written).is_err() {
        written.replace(':', "%3A")
    } else {
        written
    }
}

impl fmt::Display for SchemaReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}#{}",
            written_file(&self.file),
            self.pointer.replace('%', "%25")
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn references_name_a_local_file_and_a_place_in_it() {
        let parsed = |text| SchemaReference::parse(text).map(|it| (it.file, it.pointer));
        let is = |file: &str, pointer: &str| Ok((file.to_owned(), pointer.to_owned()));
        assert_eq!(parsed("api.yaml#/a/b"), is("api.yaml", "/a/b"));
        assert_eq!(
            parsed("./x/../api.yaml#/a%20b/~1c"),
            is("api.yaml", "/a b/~1c")
        );
        assert_eq!(parsed("../a%23b.yaml#/x"), is("../a#b.yaml", "/x"));
        for (text, what) in [
            ("api.yaml", "has no `#` with a JSON Pointer"),
            ("#/a", "names no file"),
            ("api.yaml#", "has no JSON Pointer after `#`"),
            ("api.yaml#Order", "has no JSON Pointer after `#`"),
            (
                "https://x.example/a.yaml#/a",
                "is on the network, from which nothing is fetched",
            ),
        ] {
            assert_eq!(parsed(text).unwrap_err().message, what, "{text}");
        }
        let name = |text| SchemaReference::parse(text).unwrap().name();
        assert_eq!(name("a#/x/a~1b~0c"), "a/b~c");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(file in "[a-z:%# .é]{0,6}[a-z%é]", pointer in "/[a-z~1%# /é\\n]{0,8}") {
            let file = local_name("", &written_file(&file)).unwrap();
            prop_assume!(!file.is_empty());
            let reference = SchemaReference { file, pointer };
            prop_assert_eq!(SchemaReference::parse(&reference.to_string()), Ok(reference.clone()));
        }
    }
}
