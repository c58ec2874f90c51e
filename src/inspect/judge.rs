//! From what was found in a description to findings, check by check.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::calls::DescribedCall;
use super::marks::{self, KnownMarkers};
use super::replacement::ReplacementStatus;
use super::search::{Declaration, DeclaredElement, ExampleUse, SearchResults};
use super::spot::KeyLocation;
use super::{InspectionSink, UserRole};
use crate::findings::{
    AffectedOperation, Certainty, Check, CheckGrades, Declared, ExchangePart, Finding, Occurrence,
};
use crate::openapi::{Description, FileId, Marker, NodeId, Presence};
use crate::rules::{Grade, Lifecycle, Rule, RuleTable, Severity};
use crate::traffic::Side;

/// Makes the findings of one description.
pub(super) struct Inspector<'r> {
    pub(super) description: &'r Description,
    pub(super) table: &'r RuleTable,
    pub(super) lifecycle: Lifecycle,
    role: UserRole,
    grades: &'r CheckGrades,
    pub(super) calls: &'r [DescribedCall],
    /// Takes each, so that there are never more of them than find room.
    sink: &'r mut InspectionSink<'r>,
    /// The files in which no more find room.
    pub(super) full: HashSet<FileId>,
}

/// Something to be reported.
pub(super) struct PendingFinding<'t> {
    pub(super) check: Check,
    pub(super) rule: &'t Arc<Rule>,
    pub(super) spot: &'t KeyLocation,
    pub(super) operations: Vec<AffectedOperation>,
    pub(super) detail: Option<String>,
    pub(super) subject: Option<String>,
}

impl<'r> Inspector<'r> {
    pub(super) fn new(
        description: &'r Description,
        table: &'r RuleTable,
        lifecycle: Lifecycle,
        (role, grades): (UserRole, &'r CheckGrades),
        calls: &'r [DescribedCall],
        sink: &'r mut InspectionSink<'r>,
    ) -> Self {
        Self { description, table, lifecycle, role, grades, calls, sink, full: HashSet::new() }
    }

    /// Reports, if it concerns the user.
    pub(super) fn tell(&mut self, told: PendingFinding<'_>) {
        let PendingFinding { check, rule, spot, operations, detail, subject } = told;
        if !self.role.wants(check) || rule.grade == Grade::Off {
            return;
        }
        let grade = self.grades.of(check, &rule.id);
        if grade == Grade::Off {
            return;
        }
        let first = operations.first();
        let found = Occurrence {
            operation: first.map_or_else(|| Arc::from(""), |first| Arc::clone(&first.operation)),
            part: first.map_or(ExchangePart::Operation, |first| first.part),
            pointer: Some(spot.pointer.clone()),
            span: spot.span,
            shown: spot.shown.clone(),
            exchange: None,
            certainty: Certainty::Certain,
        };
        let mut finding = Finding::new(rule, &self.lifecycle, found);
        let declared = Declared { check, operations, detail, subject };
        finding.severity = self.severity(check, grade, rule, &declared);
        finding.declared = Some(Box::new(declared));
        if !(self.sink)(spot.file, finding) {
            self.full.insert(spot.file);
        }
    }

    fn severity(&self, check: Check, grade: Grade, rule: &Rule, declared: &Declared) -> Severity {
        // The cap for responses is for who cannot help what is in them.
        let graded = || self.lifecycle.severity_of(rule, declared.side());
        match (check, grade) {
            (Check::Exposed | Check::Examples, Grade::Always(severity)) => {
                self.lifecycle.capped(severity, declared.side())
            }
            (_, Grade::Always(severity)) => severity,
            (Check::Exposed, _) => graded(),
            (Check::Examples, _) => graded().min(Severity::Warning),
            (Check::UnknownToTable, _) => Severity::Note,
            _ => Severity::Warning,
        }
    }

    /// The operations by their numbers, those of one part together, in the description's order.
    pub(super) fn affected(
        &self,
        reached: &BTreeSet<(ExchangePart, usize)>,
    ) -> Vec<AffectedOperation> {
        let operation = |&(part, call): &(ExchangePart, usize)| {
            let operation = Arc::clone(&self.calls.get(call)?.name);
            Some(AffectedOperation { part, operation })
        };
        reached.iter().filter_map(operation).collect()
    }

    /// All that is declared; gives the marks that belong to it.
    pub(super) fn definitions(&mut self, found: &SearchResults) -> KnownMarkers {
        let mut marks = KnownMarkers::default();
        let declared: HashSet<NodeId> = found.definitions.keys().map(|&(_, place)| place).collect();
        let table = self.table;
        for (&(number, _), definition) in &found.definitions {
            let Some(rule) = table.rules().get(number) else { continue };
            self.definition(rule, definition, &declared, &mut marks);
        }
        marks
    }

    fn definition(
        &mut self,
        rule: &Arc<Rule>,
        definition: &DeclaredElement,
        declared: &HashSet<NodeId>,
        marks: &mut KnownMarkers,
    ) {
        let operations = self.affected(&definition.reached);
        let at = |check, spot, detail| PendingFinding {
            check,
            rule,
            spot,
            operations: operations.clone(),
            detail,
            subject: None,
        };
        self.tell(at(Check::Exposed, &definition.spot, None));
        let markers = self.markers(rule, definition);
        marks.add(&markers);
        let removal = markers.iter().find_map(|marker| Some((*marker, marker.removal?)));
        match (markers.is_empty(), removal) {
            (true, _) => self.tell(at(Check::Unmarked, &definition.spot, None)),
            (false, None) => self.tell(at(Check::Undated, &definition.spot, None)),
            (false, Some((marker, dated))) if Some(dated.date) != rule.removal => {
                let ours =
                    rule.removal.map_or_else(|| "none".to_owned(), |removal| removal.to_string());
                let detail = format!("{}, by the rules {ours}", dated.date);
                let dated = marks::date_spot(self.description, marker, dated);
                let spot = dated.unwrap_or_else(|| definition.spot.clone());
                self.tell(PendingFinding {
                    spot: &spot,
                    ..at(Check::DateDiffers, &definition.spot, Some(detail))
                });
            }
            _ => {}
        }
        match &definition.replacement {
            ReplacementStatus::NotJudged => {}
            ReplacementStatus::Missing(_) if self.description.is_cut() => {}
            ReplacementStatus::Missing(name) => {
                self.tell(at(Check::ReplacementMissing, &definition.spot, Some(name.clone())));
            }
            ReplacementStatus::Declared(name, Some(place)) if declared.contains(place) => {
                self.tell(at(Check::ReplacementDeprecated, &definition.spot, Some(name.clone())));
            }
            ReplacementStatus::Deprecated(name) => {
                self.tell(at(Check::ReplacementDeprecated, &definition.spot, Some(name.clone())));
            }
            ReplacementStatus::Declared(..) => {}
        }
        if let Some(spot) = self.required(definition) {
            let mut requests = operations.clone();
            requests.retain(|affected| affected.part == ExchangePart::Message(Side::Request));
            let told = at(Check::StillRequired, &definition.spot, None);
            self.tell(PendingFinding { operations: requests, spot: &spot, ..told });
        }
    }

    fn required(&self, definition: &DeclaredElement) -> Option<KeyLocation> {
        let Declaration::Parameter(id) = definition.what else {
            return definition.required.clone();
        };
        let parameter = self.description.parameter(id)?;
        let is_sent = definition
            .reached
            .iter()
            .any(|(part, _)| *part == ExchangePart::Message(Side::Request));
        if parameter.presence != Presence::Required || !is_sent {
            return None;
        }
        let required = self.description.value(parameter.place)?.get("required")?;
        KeyLocation::of(
            self.description,
            NodeId { file: parameter.place.file, value: required.id() },
        )
    }

    /// What the description says about the deprecation of an element.
    fn markers(&self, rule: &Rule, definition: &DeclaredElement) -> Vec<&'r Marker> {
        let description = self.description;
        match definition.what {
            Declaration::Property(schema) => {
                let mut markers = description.schema_markers(schema);
                markers.retain(|marker| marks::is_about(marker, rule));
                markers
            }
            Declaration::Parameter(id) => description
                .parameter(id)
                .map(|it| description.parameter_markers(it))
                .unwrap_or_default(),
            Declaration::Operation(call) => {
                let call = self.calls.get(call);
                let operation = call.and_then(|call| description.operation(call.id));
                let markers = operation.map(|operation| description.operation_markers(operation));
                markers.into_iter().flatten().collect()
            }
        }
    }

    /// Examples that use what is deprecated.
    pub(super) fn samples(&mut self, found: &SearchResults) {
        let table = self.table;
        for (&(number, _), ExampleUse { spot, reached }) in &found.samples {
            let Some(rule) = table.rules().get(number) else { continue };
            let operations = self.affected(reached);
            let (detail, subject) = (None, None);
            self.tell(PendingFinding {
                check: Check::Examples,
                rule,
                spot,
                operations,
                detail,
                subject,
            });
        }
    }
}
