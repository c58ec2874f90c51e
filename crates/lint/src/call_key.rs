//! What of a written path can decide which rules are about a call: all calls alike in that have the same plan.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::unused_rules::UnusedRules;
use crate::rules::{RuleSet, is_version};
use sundown_exchange::{PatternSegment, SegmentTemplate};

/// The segments that paths of operations have.
#[derive(Debug)]
pub(super) struct CallKeys {
    /// The literal ones, in lower case: a call that differs only in that is a near miss.
    literals: HashSet<Box<[u8]>, FixedState>,
    /// Those with variables and other text.
    templates: Vec<SegmentTemplate>,
}

/// The length in bytes of the longest segment that is looked up. Longer ones are kept.
const LONGEST: usize = 64;

impl CallKeys {
    pub(super) fn of(table: &RuleSet) -> Self {
        let mut words = Self {
            literals: HashSet::default(),
            templates: Vec::new(),
        };
        for segment in table.path_segments() {
            match segment {
                PatternSegment::Literal(text) => {
                    let literal = text.to_ascii_lowercase().into_bytes();
                    words.literals.insert(literal.into());
                }
                PatternSegment::Partial(template) => words.templates.push(template.clone()),
                _ => {}
            }
        }
        words.templates.sort_unstable();
        words.templates.dedup();
        words
    }

    /// Appends the path of a URL to a key, with `*` in place of each segment that no operation and no unused rule has. Returns false
    /// if only parsing can say what the path is.
    pub(super) fn write(
        &self,
        url: &[u8],
        unused: Option<&dyn UnusedRules>,
        key: &mut Vec<u8>,
    ) -> bool {
        let end = url.iter().position(|byte| matches!(byte, b'?' | b'#'));
        let path = url.get(..end.unwrap_or(url.len())).unwrap_or_default();
        let Some(root) = root_of(path) else {
            return false;
        };
        let (authority, mut rest) = path.split_at(root);
        key.extend_from_slice(authority);
        while let Some(after) = after_slash(rest) {
            let end = after.iter().position(|byte| !is_plain(*byte));
            let (segment, others) = after.split_at(end.unwrap_or(after.len()));
            key.push(b'/');
            if segment.is_empty() || self.may_matter(segment, unused) {
                key.extend_from_slice(segment);
            } else {
                key.push(b'*');
            }
            rest = others;
        }
        rest.is_empty()
    }

    fn may_matter(&self, segment: &[u8], unused: Option<&dyn UnusedRules>) -> bool {
        let mut lower = [0; LONGEST];
        let Some(lower) = lower.get_mut(..segment.len()) else {
            return true;
        };
        lower.copy_from_slice(segment);
        lower.make_ascii_lowercase();
        let text = std::str::from_utf8(segment).unwrap_or_default();
        !segment
            .iter()
            .all(|byte| CLASSES.get(usize::from(*byte)) == Some(&Class::Name))
            || self.literals.contains(&*lower)
            || is_version(text)
            || self.templates.iter().any(|template| template.matches(text))
            || unused.is_some_and(|rules| rules.knows(text))
    }
}

/// The offset of the slash with which a path begins, after the host if there is one; `None` if it begins in another way.
fn root_of(url: &[u8]) -> Option<usize> {
    if let Some(after) = after_slash(url) {
        return after_slash(after).is_none().then_some(0);
    }
    // Before the colon is the scheme, or something that only parsing can read.
    let colon = url.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
    let after = url.get(colon..)?.strip_prefix(b":")?;
    let authority = after_slash(after_slash(after)?)?;
    let end = authority.iter().position(|byte| !is_plain(*byte))?;
    after_slash(authority.get(end..)?)?;
    Some(url.len() - authority.len() + end)
}

/// What follows a slash, which JSON may escape.
fn after_slash(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"\\").unwrap_or(text).strip_prefix(b"/")
}

/// What a byte of a segment may be a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A name, which means itself wherever URLs are written.
    Name,
    /// Other text that means itself there.
    Plain,
    Other,
}

/// The class of each byte (RFC 3986, section 3.3). A `*` is another one, as keys have it.
static CLASSES: [Class; 256] = {
    let plain = b".~!$&'()+,=:@";
    let mut classes = [Class::Other; 256];
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            classes[byte as usize] = Class::Name;
        }
        byte += 1;
    }
    let mut at = 0;
    while at < plain.len() {
        classes[plain[at] as usize] = Class::Plain;
        at += 1;
    }
    classes
};

fn is_plain(byte: u8) -> bool {
    CLASSES.get(usize::from(byte)) != Some(&Class::Other)
}
