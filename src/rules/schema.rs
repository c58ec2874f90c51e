//! References into API descriptions, by which rules are located instead of by selectors:
//! `api.yaml#/components/schemas/Order/properties/legacyId`.

use std::fmt;

use crate::openapi::local_name;
use crate::text::percent_decode;

/// A place in a description's file, as a URI reference (RFC 3986) with a JSON Pointer (RFC 6901) as its fragment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaReference {
    /// The file, relative to the rules file; slashes separate folders.
    pub file: String,
    /// The JSON Pointer in it, decoded; never empty.
    pub pointer: String,
}

/// What is wrong with a text that should be a reference. The writer's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceError {
    /// What.
    pub message: &'static str,
    /// What to write instead.
    pub help: &'static str,
}

impl SchemaReference {
    /// Reads a reference; percent-encoding is undone.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        const LIKE: &str = "write the file and the place in it: api.yaml#/components/schemas/Order/properties/legacyId";
        let wrong = |message| ReferenceError { message, help: LIKE };
        let (path, fragment) =
            text.split_once('#').ok_or_else(|| wrong("names no place in a file"))?;
        if path.is_empty() {
            return Err(wrong("names no file"));
        }
        let file = local_file(path)?;
        let pointer = percent_decode(fragment);
        if !pointer.starts_with('/') {
            return Err(wrong("has no JSON Pointer behind `#`"));
        }
        Ok(Self { file, pointer: pointer.into_owned() })
    }

    /// The pointer's last step, decoded: the name of the property or schema.
    pub fn name(&self) -> String {
        let last = self.pointer.rsplit('/').next().unwrap_or_default();
        last.replace("~1", "/").replace("~0", "~")
    }
}

/// The file of this path, relative to the rules file that has it.
pub(super) fn local_file(path: &str) -> Result<String, ReferenceError> {
    local_name("", path).ok_or(ReferenceError {
        message: "is on the network, from which nothing is fetched",
        help: "save the description beside the rules file, and name it by its path",
    })
}

/// A file's name as a path in a reference, from which [`local_file`] makes the name again.
pub(super) fn written_file(name: &str) -> String {
    let written = name.replace('%', "%25").replace('#', "%23");
    // A colon can make a name look like an address.
    if local_file(&written).is_err() { written.replace(':', "%3A") } else { written }
}

impl fmt::Display for SchemaReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", written_file(&self.file), self.pointer.replace('%', "%25"))
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
        assert_eq!(parsed("./x/../api.yaml#/a%20b/~1c"), is("api.yaml", "/a b/~1c"));
        assert_eq!(parsed("../a%23b.yaml#/x"), is("../a#b.yaml", "/x"));
        for (text, what) in [
            ("api.yaml", "names no place in a file"),
            ("#/a", "names no file"),
            ("api.yaml#", "has no JSON Pointer behind `#`"),
            ("api.yaml#Order", "has no JSON Pointer behind `#`"),
            ("https://x.example/a.yaml#/a", "is on the network, from which nothing is fetched"),
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
