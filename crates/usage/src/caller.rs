//! Who made a call: the attributes that identify a caller, and how they are shown.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use globset::GlobMatcher;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::record_values::{RecordMember, RecordValues, UnusableValue, usable};
use sundown_exchange::{CodeLocation, Exchange, is_token};

/// An attribute of a call that identifies its caller.
#[derive(Debug, Clone)]
pub enum CallerAttribute {
    /// The product tokens of `User-Agent`.
    UserAgent,
    /// The value of a header field of the request, by its name in lower case.
    Header(String),
    /// A member of the record.
    Member(RecordMember),
    /// The file of the capture.
    File,
    /// The place in code that made the call.
    Initiator,
    /// The cassette: the recording of a test.
    Cassette,
    /// The consumer of a contract. Without other attributes, it is the caller.
    Consumer,
}

/// The key with which values of callers are hashed.
#[derive(Clone)]
pub struct CallerKey(Vec<u8>);

/// Whether values other than product tokens, files and places in code are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallerValues {
    /// They appear as keyed hashes.
    #[default]
    Hashed,
    /// They are shown.
    Shown,
}

/// How callers are identified.
#[derive(Debug, Clone)]
pub struct CallerOptions {
    /// The attributes that together identify a caller; none if callers are not wanted.
    pub attributes: Vec<CallerAttribute>,
    /// The key of their hashes.
    pub key: CallerKey,
    /// Whether values are shown.
    pub values: CallerValues,
    /// Callers to leave out: patterns of values.
    pub excluded: Vec<GlobMatcher>,
}

/// Identifies a caller: a keyed hash of its attributes.
pub(super) type CallerId = [u8; 16];

/// A caller as reports show it: the value of each attribute, or its hash.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct CallerName(pub(super) Arc<[CallerValue]>);

/// The value of one attribute as reports show it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum CallerValue {
    /// The call does not have the attribute, or only a value that identifies no one.
    Unidentified,
    /// The value.
    Shown(String),
    /// The keyed hash of the value.
    Hashed([u8; 8]),
}

/// The file that is read.
#[derive(Debug, Default)]
pub(super) struct CallerFile {
    pub name: Arc<str>,
    pub is_cassette: bool,
}

/// A caller of calls with the same values.
#[derive(Debug, Clone)]
pub(super) struct IdentifiedCaller {
    pub id: CallerId,
    pub name: CallerName,
    /// Whether a pattern leaves it out.
    pub is_excluded: bool,
}

/// The error in a text that should be an attribute.
const ATTRIBUTES: &str = "attributes are user-agent, header:NAME, member:POINTER, file, initiator, cassette and consumer";

impl CallerAttribute {
    /// Those without a parameter.
    const PLAIN: [Self; 5] = [
        Self::UserAgent,
        Self::File,
        Self::Initiator,
        Self::Cassette,
        Self::Consumer,
    ];

    /// Parses an attribute such as `header:X-Team`.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(plain) = Self::PLAIN.into_iter().find(|plain| plain.name() == text) {
            return Ok(plain);
        }
        match text.split_once(':') {
            Some(("header", name)) if !name.is_empty() => {
                Ok(Self::Header(name.to_ascii_lowercase()))
            }
            Some(("member", path)) if !path.is_empty() => {
                Ok(Self::Member(RecordMember::parse(path)?))
            }
            _ => Err(ATTRIBUTES.to_owned()),
        }
    }

    /// Its name on the command line.
    pub fn name(&self) -> String {
        match self {
            Self::UserAgent => "user-agent".to_owned(),
            Self::Header(name) => format!("header:{name}"),
            Self::Member(path) => format!("member:{path}"),
            Self::File => "file".to_owned(),
            Self::Initiator => "initiator".to_owned(),
            Self::Cassette => "cassette".to_owned(),
            Self::Consumer => "consumer".to_owned(),
        }
    }

    /// Returns whether its values are always shown.
    pub(super) fn is_shown(&self) -> bool {
        !matches!(self, Self::Header(_) | Self::Member(_))
    }

    /// Returns the value of a call for the attribute with this number: `Ok(None)` if the call does not have it.
    fn find(
        &self,
        exchange: &Exchange<'_>,
        file: &CallerFile,
        values: &mut RecordValues,
        number: usize,
    ) -> Result<Option<String>, UnusableValue> {
        match self {
            Self::UserAgent => {
                let value = match header_value(exchange, "user-agent")? {
                    Some(value) => Some(value),
                    None => values.find(exchange, &RecordMember::UserAgent, number)?,
                };
                value
                    .map(|value| product_tokens(&value).ok_or(UnusableValue))
                    .transpose()
            }
            Self::Header(name) => header_value(exchange, name),
            Self::Member(member) => match values.find(exchange, member, number)? {
                Some(value) => Ok(Some(value)),
                None => logged_value(exchange, member.to_string().trim_start_matches('/')),
            },
            Self::File => Ok(Some(file.name.to_string())),
            Self::Cassette => Ok(file.is_cassette.then(|| file.name.to_string())),
            Self::Consumer => usable(exchange.origin.consumer().unwrap_or_default()),
            Self::Initiator => {
                let origin = exchange.origin.find();
                let frame = origin.as_ref().and_then(|origin| origin.frames.first());
                Ok(frame.map(describe_place))
            }
        }
    }
}

fn header_value(exchange: &Exchange<'_>, name: &str) -> Result<Option<String>, UnusableValue> {
    let texts: Vec<Cow<'_, str>> = exchange
        .request
        .headers()
        .iter()
        .filter(|field| field.name == name)
        .flat_map(|field| field.value.texts())
        .collect();
    // A list of values is one value (RFC 9110, section 5.3).
    let value = usable(&texts.join(", "))?;
    value.map_or_else(|| logged_value(exchange, name), |value| Ok(Some(value)))
}

/// The value that a line or row of a log has under a name.
fn logged_value(exchange: &Exchange<'_>, name: &str) -> Result<Option<String>, UnusableValue> {
    let logged = exchange.logged.get();
    let found = logged.iter().find(|(logged, _)| logged == name);
    found.map_or(Ok(None), |(_, value)| usable(value))
}

fn describe_place(place: &CodeLocation) -> String {
    let [line, column] = [place.line, place.column].map(|number| {
        number
            .map(|number| format!(":{number}"))
            .unwrap_or_default()
    });
    let function = place
        .function
        .as_ref()
        .map(|name| format!(" ({name})"))
        .unwrap_or_default();
    format!("{}{line}{column}{function}", place.file)
}

impl CallerKey {
    /// The key for callers whose values are shown anyway, the same in all runs.
    pub const PUBLIC: Self = Self(Vec::new());

    /// Creates a key from secret bytes.
    pub fn new(secret: Vec<u8>) -> Self {
        Self(secret)
    }

    /// Identifies the key without revealing it; `None` for the public one.
    pub(super) fn id(&self) -> Option<String> {
        let hash = self.hash(&[b"identity of the key"]);
        (!self.0.is_empty()).then(|| hex(hash.iter().take(8)))
    }

    fn hash(&self, parts: &[&[u8]]) -> [u8; 32] {
        // HMAC takes keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return [0; 32];
        };
        for part in parts {
            // As wide as on every machine: hashes of different machines are compared.
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

impl fmt::Debug for CallerKey {
    /// A key is a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallerKey")
    }
}

/// The bytes of a hash in hexadecimal digits.
pub(super) fn hex<'b>(bytes: impl IntoIterator<Item = &'b u8>) -> String {
    let digits = bytes.into_iter().map(|byte| format!("{byte:02x}"));
    digits.collect()
}

/// The attributes that a scan has for these that the user names.
pub(super) fn attributes_or_consumer(named: &[CallerAttribute]) -> &[CallerAttribute] {
    if named.is_empty() {
        &[CallerAttribute::Consumer]
    } else {
        named
    }
}

impl CallerOptions {
    /// Returns whether values are hashed, so that the key has to be secret.
    pub fn needs_secret(attributes: &[CallerAttribute], values: CallerValues) -> bool {
        values == CallerValues::Hashed && attributes.iter().any(|attribute| !attribute.is_shown())
    }

    /// The attributes, or else the one that is known without being asked for.
    fn attributes(&self) -> &[CallerAttribute] {
        attributes_or_consumer(&self.attributes)
    }

    /// Finds the values of the attributes of a call, and whether one of them identifies no one.
    pub(super) fn find_values(
        &self,
        exchange: &Exchange<'_>,
        file: &CallerFile,
        values: &mut RecordValues,
    ) -> (Vec<Option<String>>, bool) {
        let mut is_unusable = false;
        let found = self
            .attributes()
            .iter()
            .enumerate()
            .map(|(number, attribute)| {
                attribute
                    .find(exchange, file, values, number)
                    .unwrap_or_else(|UnusableValue| {
                        is_unusable = true;
                        None
                    })
            });
        (found.collect(), is_unusable)
    }

    /// Identifies the caller with these values.
    pub(super) fn identify(&self, found: &[Option<String>]) -> IdentifiedCaller {
        let parts: Vec<&[u8]> = found
            .iter()
            .flat_map(|value| match value {
                Some(value) => [b"+".as_slice(), value.as_bytes()],
                None => [b"-".as_slice(), b""],
            })
            .collect();
        let hash = self.key.hash(&parts);
        let is_excluded = found.iter().any(|value| {
            let value = value.as_deref().unwrap_or(UNIDENTIFIED);
            self.excluded.iter().any(|glob| glob.is_match(value))
        });
        let name = self
            .attributes()
            .iter()
            .zip(found)
            .map(|(attribute, value)| match value {
                None => CallerValue::Unidentified,
                Some(value) if attribute.is_shown() || self.values == CallerValues::Shown => {
                    CallerValue::Shown(value.clone())
                }
                Some(value) => CallerValue::Hashed(self.hash_value(attribute, value)),
            });
        IdentifiedCaller {
            id: hash.first_chunk().copied().unwrap_or_default(),
            name: CallerName(name.collect()),
            is_excluded,
        }
    }

    /// Hashes one value, so that it has the same hash beside any other attributes.
    fn hash_value(&self, attribute: &CallerAttribute, value: &str) -> [u8; 8] {
        let hash = self
            .key
            .hash(&[attribute.name().as_bytes(), value.as_bytes()]);
        hash.first_chunk().copied().unwrap_or_default()
    }
}

/// The name of callers without the attribute.
const UNIDENTIFIED: &str = "unidentified";

impl fmt::Display for CallerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self
            .0
            .iter()
            .all(|value| *value == CallerValue::Unidentified)
        {
            return f.write_str(UNIDENTIFIED);
        }
        let mut separator = "";
        for value in self.0.iter() {
            write!(f, "{separator}{value}")?;
            separator = ", ";
        }
        Ok(())
    }
}

impl fmt::Display for CallerValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unidentified => f.write_str(UNIDENTIFIED),
            Self::Shown(value) => f.write_str(value),
            Self::Hashed(hash) => write!(f, "#{}", hex(hash)),
        }
    }
}

/// The longest product that is shown, in bytes; a user agent has few and short ones.
const MAX_PRODUCT_BYTES: usize = 64;

/// The number of products that are shown.
const MAX_PRODUCTS: usize = 8;

/// Returns the products of a user agent, separated by spaces, without comments; `None` if it does not begin with one. What follows
/// the first part that is neither a product nor a comment is left out.
fn product_tokens(value: &str) -> Option<String> {
    let mut rest = value.trim_matches([' ', '\t']);
    let mut products: Vec<&str> = Vec::new();
    while !rest.is_empty() && products.len() < MAX_PRODUCTS {
        let next = match comment_end(rest) {
            Some(end) => end,
            None => {
                let end = rest.find([' ', '\t', '(']).unwrap_or(rest.len());
                let product = rest.get(..end).unwrap_or_default();
                if !is_product(product) {
                    break;
                }
                products.push(product);
                end
            }
        };
        rest = rest
            .get(next..)
            .unwrap_or_default()
            .trim_start_matches([' ', '\t']);
    }
    (!products.is_empty()).then(|| products.join(" "))
}

/// Returns the length of the comment at the beginning of a text; `None` if there is none that ends.
fn comment_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if depth > 0 => is_escaped = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' if depth > 1 => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns whether a text is a token, or two tokens separated by a slash (RFC 9110, section 5.6.2).
fn is_product(text: &str) -> bool {
    let (name, version) = text.split_once('/').unwrap_or((text, "-"));
    text.len() <= MAX_PRODUCT_BYTES && is_token(name) && is_token(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_products_are_kept() {
        for (value, tokens) in [
            ("curl/8.5.0", Some("curl/8.5.0")),
            (
                "Mozilla/5.0 (X11; Linux (a\\)b)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1",
                Some("Mozilla/5.0 AppleWebKit/537.36 Chrome/1"),
            ),
            ("shop-app", Some("shop-app")),
            ("shop/1(x)billing/2", Some("shop/1 billing/2")),
            ("shop/1 token=secret other/2", Some("shop/1")),
            ("shop/1 (never ends", Some("shop/1")),
            ("someone@example.com", None),
            ("a/b/c", None),
            ("(only a comment)", None),
            ("\u{1b}[31mred", None),
            ("", None),
        ] {
            assert_eq!(product_tokens(value).as_deref(), tokens, "{value}");
        }
        assert_eq!(product_tokens(&"x".repeat(1_000_000)), None);
        assert_eq!(product_tokens(&"(".repeat(1_000_000)), None);
    }
}
