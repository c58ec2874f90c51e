//! Turns the results of a search into findings, check by check.

use std::collections::HashSet;
use std::sync::Arc;

use super::conditions::is_about;
use super::inspection::{DescribedCall, InspectionOptions, UserRole};
use super::location::KeyLocation;
use super::replacement::ReplacementStatus;
use super::search::{Declaration, DeclaredElement, ExampleUse, Reached, SearchResults};
use crate::findings::{
    AffectedOperation, Certainty, Check, Declared, ExchangePart, Finding, FindingKind, Occurrence,
    ReplacementState,
};
use crate::replacement::is_template_name;
use crate::rules::{Grade, Rule, RuleSet, Severity};
use sundown_exchange::Side;
use sundown_openapi::{Description, FileId, Marker, MarkerDate, NodeId};
use sundown_text_json::json::{Node, ValueKind};

/// The number of members of an object in an example, at most, in which the new name of one of them is searched.
const MAX_SEARCHED: usize = 1_000;

/// Makes the findings of one description.
pub(super) struct Inspector<'r> {
    pub description: &'r Description,
    pub set: &'r RuleSet,
    pub options: InspectionOptions<'r>,
    pub calls: &'r [DescribedCall],
    /// Takes each finding at once, so that memory holds no more findings than the report has room for.
    pub sink: &'r mut dyn FnMut(FileId, Finding) -> bool,
    /// The files in which the report has no more room.
    pub full: HashSet<FileId>,
}

/// A finding before it is graded.
#[derive(Clone)]
pub(super) struct PendingFinding<'t> {
    pub check: Check,
    pub rule: &'t Arc<Rule>,
    pub location: &'t KeyLocation,
    pub operations: Vec<AffectedOperation>,
    pub detail: Option<String>,
    pub subject: Option<String>,
    pub replacement: ReplacementState,
    pub certainty: Certainty,
}

impl<'t> PendingFinding<'t> {
    pub(super) fn new(check: Check, rule: &'t Arc<Rule>, location: &'t KeyLocation) -> Self {
        Self {
            check,
            rule,
            location,
            operations: Vec::new(),
            detail: None,
            subject: None,
            replacement: ReplacementState::Unknown,
            certainty: Certainty::Certain,
        }
    }

    /// The finding of another check about the same element.
    fn of(&self, check: Check, detail: Option<String>) -> Self {
        Self {
            check,
            detail,
            ..self.clone()
        }
    }
}

impl<'r> Inspector<'r> {
    /// Passes the finding to the sink, unless its check or its rule is off or does not concern the user.
    pub(super) fn report(&mut self, pending: PendingFinding<'_>) {
        let PendingFinding {
            check,
            rule,
            location,
            operations,
            detail,
            subject,
            replacement,
            certainty,
        } = pending;
        if !self.options.role.wants(check) || rule.grade == Grade::Off {
            return;
        }
        let grade = self.options.grades.of(check, &rule.id);
        if grade == Grade::Off {
            return;
        }
        let first = operations.first();
        let occurrence = Occurrence {
            operation: first.map_or_else(|| Arc::from(""), |first| Arc::clone(&first.operation)),
            part: first.map_or(ExchangePart::Operation, |first| first.part),
            pointer: Some(location.pointer.clone()),
            span: location.span,
            shown: location.shown.clone(),
            exchange: None,
            certainty: certainty.max(certainty_of(check, rule)),
        };
        let mut finding = Finding::new(rule, &self.options.lifecycle, occurrence);
        let declared = Declared {
            check,
            operations,
            detail,
            subject,
        };
        let severity = self.severity(check, grade, rule, &declared);
        finding.severity = finding.found.certainty.lower(severity);
        finding.kind = FindingKind::Declared(Box::new(declared));
        finding.replacement = replacement;
        if !(self.sink)(location.file, finding) {
            self.full.insert(location.file);
        }
    }

    fn severity(&self, check: Check, grade: Grade, rule: &Rule, declared: &Declared) -> Severity {
        let lifecycle = &self.options.lifecycle;
        // The cap on response findings only applies to checks that concern consumers, who cannot change responses.
        let graded = lifecycle.severity_of(rule, declared.side());
        let has_ended = rule
            .removal
            .is_some_and(|removal| lifecycle.days_left(removal) < 0);
        let works = !has_ended && !matches!(rule.grade, Grade::Always(_));
        match (check, grade) {
            (Check::Exposed | Check::Examples, Grade::Always(severity)) => {
                lifecycle.capped(severity, declared.side())
            }
            (_, Grade::Always(severity)) => severity,
            // The owner must declare an element as long as it works.
            (Check::Exposed, _) if self.options.role == UserRole::Owner && works => {
                graded.min(Severity::Warning)
            }
            (Check::Exposed, _) => graded,
            (Check::Examples, _) => graded.min(Severity::Warning),
            (Check::UnknownToTable, _) => Severity::Note,
            _ => Severity::Warning,
        }
    }

    /// Names the operations, grouped by part, in the description's order.
    pub(super) fn affected(&self, reached: &Reached) -> Vec<AffectedOperation> {
        reached
            .iter()
            .filter_map(|&(part, call)| {
                let operation = Arc::clone(&self.calls.get(call.index())?.name);
                Some(AffectedOperation { part, operation })
            })
            .collect()
    }

    /// Reports the elements of rules that are declared. Returns the addresses of the markers that belong to them.
    pub(super) fn report_definitions(&mut self, results: &SearchResults) -> HashSet<*const Marker> {
        let mut known = HashSet::new();
        let declared: HashSet<NodeId> = results.definitions.keys().map(|&(_, node)| node).collect();
        let set = self.set;
        for (&(number, node), definition) in &results.definitions {
            let Some(rule) = set.rule_at(number) else {
                continue;
            };
            let markers = self.markers_of(rule, node, definition.declaration);
            known.extend(markers.iter().map(|marker| std::ptr::from_ref(*marker)));
            let exposed = PendingFinding {
                operations: self.affected(&definition.reached),
                ..PendingFinding::new(Check::Exposed, rule, &definition.location)
            };
            self.report(exposed.clone());
            // A mark, or a list of required members, cannot state conditions.
            let has_conditions = !rule.when.is_empty();
            if !has_conditions {
                self.report_marking(&exposed, &markers);
            }
            self.report_replacement(&exposed, definition, &declared);
            if !has_conditions {
                self.report_required(&exposed, definition);
            }
        }
        known
    }

    /// Reports a missing marker, and a marker without a date or with another date than the rule's.
    fn report_marking(&mut self, exposed: &PendingFinding<'_>, markers: &[&Marker]) {
        let removal = markers
            .iter()
            .find_map(|marker| Some((*marker, marker.removal?)));
        match (markers.is_empty(), removal) {
            (true, _) => self.report(exposed.of(Check::Unmarked, None)),
            (false, None) => {
                let is_stated = markers.iter().any(|marker| marker.has_unreadable_end);
                let detail = is_stated.then(|| " that can be read".to_owned());
                self.report(exposed.of(Check::Undated, detail));
            }
            (false, Some((marker, removal))) if Some(removal.date) != exposed.rule.removal => {
                let ours = match exposed.rule.removal {
                    Some(date) => format!("the rules say {date}"),
                    None => "the rules have none".to_owned(),
                };
                let detail = format!("{}; {ours}", removal.date);
                let location = location_of_date(self.description, marker, removal);
                self.report(PendingFinding {
                    location: location.as_ref().unwrap_or(exposed.location),
                    ..exposed.of(Check::DateDiffers, Some(detail))
                });
            }
            _ => {}
        }
    }

    fn report_replacement(
        &mut self,
        exposed: &PendingFinding<'_>,
        definition: &DeclaredElement,
        declared: &HashSet<NodeId>,
    ) {
        let check = match definition.replacement {
            // It may be declared in the part that was left out.
            ReplacementStatus::Missing if self.description.is_cut() => return,
            ReplacementStatus::Missing => Check::ReplacementMissing,
            ReplacementStatus::Declared(Some(node)) if declared.contains(&node) => {
                Check::ReplacementDeprecated
            }
            ReplacementStatus::Deprecated => Check::ReplacementDeprecated,
            ReplacementStatus::NotJudged | ReplacementStatus::Declared(_) => return,
        };
        let replacement = exposed.rule.replacement.as_deref().unwrap_or_default();
        self.report(exposed.of(check, Some(format!("`{replacement}`"))));
    }

    /// Reports an element that requests must contain.
    fn report_required(&mut self, exposed: &PendingFinding<'_>, definition: &DeclaredElement) {
        let Some(location) = &definition.required else {
            return;
        };
        let mut pending = exposed.of(Check::StillRequired, None);
        pending
            .operations
            .retain(|one| one.part == ExchangePart::Message(Side::Request));
        self.report(PendingFinding {
            location,
            ..pending
        });
    }

    /// The markers of an element, as far as they are about what the rule is about.
    fn markers_of(&self, rule: &Rule, node: NodeId, declaration: Declaration) -> Vec<&'r Marker> {
        let description = self.description;
        let markers = match declaration {
            Declaration::Property(schema)
            | Declaration::Unnamed(schema)
            | Declaration::Value(schema) => Some(description.schema_markers(schema)),
            Declaration::Body(schema) => Some(description.body_markers(node, Some(schema))),
            Declaration::Parameter(id) => {
                let found = description.parameter(id);
                found.map(|found| description.parameter_markers(found))
            }
            // What an operation has marks it, whatever a rule is about.
            Declaration::Operation(id) => {
                let found = description.operation(id);
                return found.map_or_else(Vec::new, |found| description.operation_markers(found));
            }
        };
        let mut markers = markers.unwrap_or_default();
        markers.retain(|marker| is_about(marker, rule));
        markers
    }

    /// Reports the examples that use deprecated elements.
    pub(super) fn report_examples(&mut self, results: &SearchResults) {
        let set = self.set;
        for (&(number, node), found) in &results.examples {
            let ExampleUse {
                location,
                certainty,
                reached,
            } = found;
            let Some(rule) = set.rule_at(number) else {
                continue;
            };
            self.report(PendingFinding {
                operations: self.affected(reached),
                replacement: self.replacement_in_example(rule, node),
                certainty: *certainty,
                ..PendingFinding::new(Check::Examples, rule, location)
            });
        }
    }

    /// Whether the object of a member in an example has the new name of the member, too.
    fn replacement_in_example(&self, rule: &Rule, node: NodeId) -> ReplacementState {
        let Some(new) = rule.renamed() else {
            return ReplacementState::Unknown;
        };
        let member = self.description.value(node);
        let member = member.filter(|member| member.key() == rule.element.name());
        // Each of many members of an object asks for the others.
        let object = member
            .and_then(Node::parent)
            .filter(|object| object.children().len() <= MAX_SEARCHED);
        object.map_or(ReplacementState::Unknown, |object| {
            let mut names = object.children().filter_map(Node::key);
            match object.get(new).map(Node::kind) {
                None if names.any(is_template_name) => ReplacementState::Unknown,
                None => ReplacementState::Absent,
                Some(ValueKind::Null) => ReplacementState::Null,
                Some(_) => ReplacementState::Present,
            }
        })
    }
}

/// Whether a finding of a check is certain. A declaration does not decide the conditions of a rule; an example does.
fn certainty_of(check: Check, rule: &Rule) -> Certainty {
    match check {
        Check::Exposed if !rule.when.is_empty() => Certainty::Possible,
        _ => Certainty::Certain,
    }
}

/// The key under which a marker gives a date.
fn location_of_date(
    description: &Description,
    marker: &Marker,
    date: MarkerDate,
) -> Option<KeyLocation> {
    let (_, span) = marker
        .sources
        .iter()
        .find(|(source, _)| *source == date.source)?;
    let member = description
        .value(marker.holder)?
        .children()
        .find(|member| member.label() == *span)?;
    KeyLocation::of_node(description, NodeId::of(marker.holder.file, member))
}
