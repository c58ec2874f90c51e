//! Operations of the user's own rules that no call reached: their path may be misspelled.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::table::RuleTable;
use sundown_exchange::{PatternSegment, Target};
use sundown_text_json::text::did_you_mean;

/// An operation that rules name and no call reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncalledOperation {
    /// The operation, as the rules write it.
    pub operation: String,
    /// The number of their file.
    pub file: usize,
    /// The ids of its rules.
    pub rules: BTreeSet<String>,
    /// Whether calls without a rule differ from it in one word of the path.
    pub is_almost_called: bool,
}

impl RuleTable {
    /// The operations that the user's rules name, by rules file, without those of packs and built-in rules, of which most users
    /// call few.
    pub fn own_operations(&self) -> impl Iterator<Item = UncalledOperation> {
        let of_files = self.operations().iter().flat_map(|operation| {
            let files = operation.files.iter();
            files.map(move |&file| (operation, file))
        });
        of_files.filter_map(|(operation, file)| {
            let is_own = self.origin(file).is_users();
            let places = operation.places.iter();
            let own = places.filter(|place| is_own && self.file_of(place.rule) == file);
            let rules = own.filter_map(|place| self.rules().get(place.rule));
            let rules: BTreeSet<_> = rules
                .filter(|rule| !rule.is_off())
                .map(|rule| rule.id.clone())
                .collect();
            let operation = operation.pattern.to_string();
            (!rules.is_empty()).then_some(UncalledOperation {
                operation,
                file,
                rules,
                is_almost_called: false,
            })
        })
    }

    /// The operations that the user's rules name, by rules file, whose path differs from that of a call in one word that is similar.
    pub(crate) fn almost_called(
        &self,
        target: &Target<'_>,
    ) -> impl Iterator<Item = (usize, usize)> {
        let operations = self.operations().iter().enumerate();
        let similar = operations
            .filter(|(_, one)| differs_in_a_word(&one.pattern.segments, &target.segments));
        similar.flat_map(|(number, operation)| {
            let files = operation.files.iter().copied();
            let own = files.filter(|&file| {
                self.origin(file).is_users() && self.is_served_by(file, target.host.as_ref())
            });
            own.map(move |file| (number, file))
        })
    }
}

/// Whether a path has the segments of a template but for one, which is similar.
fn differs_in_a_word(template: &[PatternSegment], path: &[Cow<'_, str>]) -> bool {
    let mut differing = template.iter().zip(path).filter(|(own, called)| match own {
        PatternSegment::Variable | PatternSegment::AnyOne => false,
        PatternSegment::Literal(text) => **text != ***called,
        _ => true,
    });
    let (first, second) = (differing.next(), differing.next());
    let Some((PatternSegment::Literal(own), called)) = first.filter(|_| second.is_none()) else {
        return false;
    };
    template.len() == path.len() && did_you_mean(own, [&**called]).is_some()
}
