//! Tries the fixes of rules on the examples of the rules.

use std::sync::Arc;

use chrono::NaiveDate;

use super::byte_edit::EditRefusal;
use super::file_fixer::{FileFixer, FixLevel};
use crate::body_operation::BodyOperation;
use crate::check_options::CheckOptions;
use crate::config::Settings;
use sundown_captures::{Format, InputFile, PathOrigin};
use sundown_files::FileName;
use sundown_lint::InnerElements;
use sundown_lint::rules::{Rule, RuleSet};

/// Applies the fix of each rule about a field to the example of the rule, and returns the rules whose fix leaves the example with a
/// finding, each with the reason.
pub fn find_faulty_fixes(set: &RuleSet) -> Vec<(Arc<Rule>, EditRefusal)> {
    let with_fix = set
        .rules()
        .iter()
        .filter(|rule| rule.fix.is_some() && rule.element.field_name().is_some() && !rule.is_off());
    let faults = with_fix.filter_map(|rule| Some((Arc::clone(rule), find_fault(rule, set)?)));
    faults.collect()
}

/// Why a fix leaves the example of its rule with a finding; `None` if it does not, or if the example is no use.
fn find_fault(rule: &Arc<Rule>, set: &RuleSet) -> Option<EditRefusal> {
    let text = rule.example().before.into_bytes();
    rule.places.iter().find_map(|place| {
        let named = BodyOperation {
            operation: place.operation.clone(),
            sides: place.sides,
        };
        let options = CheckOptions {
            named: Some(named),
            fold: false,
            inner: InnerElements::Separate,
            ..CheckOptions::new(Settings::of(Vec::new()), set, NaiveDate::MIN)
        };
        let file = InputFile {
            path: None,
            name: FileName::verbatim("example.json"),
            origin: PathOrigin::Named,
        };
        let mut fixer = FileFixer {
            options: &options,
            level: FixLevel::Unsafe,
            file: &file,
            format: Format::Body,
            left: Vec::new(),
        };
        let (uses, ..) = fixer.lint(&text)?;
        let is_use = uses
            .iter()
            .any(|located| located.finding.rule.id == rule.id);
        fixer.fix_text(&text, &uses);
        fixer
            .left
            .into_iter()
            .find(|left| is_use && left.edit.rule.id == rule.id)
            .map(|left| left.refusal)
    })
}
