//! Deprecations that traffic announces: turns the signals of a response and the rules of its operation into findings.
//! The operations of Kubernetes are named as patterns: with the names of the API, and without those of namespaces and objects.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::context::Context;
use super::path_words::{is_common, precedes_value};
use super::{LintSink, Values};
use crate::findings::{
    Announced, Certainty, Check, CheckGrades, ExcerptParts, ExchangePart, Finding, FindingKind,
    Occurrence, RuleAgreement,
};
use crate::rules::{
    Element, Grade, MatchedOperations, Rule, RuleSet, Severity, Sides, Version, schema_graphs,
};
use sundown_exchange::{
    Call, ElementKind, HeaderField, Method, PatternSegment, Reason, Relation, Removal, Side,
    Signal, SignalElement, SignalField, SignalKind, Skip, is_api_version, unread_announcement,
};
use sundown_openapi::DeprecationWarning;
use sundown_text_json::text::{Span, join};

/// Finds announcements, and remembers the rules of operations.
#[derive(Debug, Default)]
pub(super) struct Announcements {
    grades: CheckGrades,
    /// Whether announcements are not reported.
    pub is_off: bool,
    by_operations: HashMap<MatchedOperations, Arc<[RuleSides]>>,
}

/// The number of a rule of an operation, and the sides to which it applies.
type RuleSides = (usize, Sides);

/// Replaces a name that is missing or does not look like a name.
const UNNAMED: &str = "(unnamed)";

/// One announcement.
#[derive(Debug, Clone)]
struct TrafficAnnouncement {
    element: SignalElement,
    by: Vec<SignalField>,
    /// The most specific header field.
    field: SignalField,
    /// Its position.
    span: Span,
    /// Whether it is about the version of the API that answered: a rule states the end of that version on the announced day.
    is_about_version: bool,
    certainty: Certainty,
}

impl Announcements {
    pub(super) fn graded(grades: CheckGrades) -> Self {
        let is_off = grades.are_off(Check::AnnouncedInTraffic);
        Self {
            grades,
            is_off,
            by_operations: HashMap::new(),
        }
    }

    /// Reports what the response of an exchange announces. Returns the findings about what a rule states, or may state in a
    /// finding of its own, which then has theirs as a line.
    pub(super) fn check(
        &mut self,
        context: Context<'_, '_>,
        sink: &mut dyn LintSink,
    ) -> Vec<Finding> {
        let mut known_to_rules = Vec::new();
        let Context { set, exchange, .. } = context;
        if self.is_off {
            return known_to_rules;
        }
        for field in exchange.response.headers() {
            if let Some(name) = unread_announcement(&field.name) {
                let skip = Skip {
                    bytes: 0,
                    ..Skip::at(Reason::UnreadAnnouncement, field.span)
                };
                sink.skip(skip.because(name));
            }
        }
        let signals = exchange.response.signals();
        if signals.is_empty() {
            return known_to_rules;
        }
        let call = &exchange.call;
        let resolved = set.resolve_call(call);
        let is_audited = signals
            .iter()
            .any(|signal| signal.field == SignalField::AuditAnnotation);
        let operation = template(set, &resolved)
            .or_else(|| resource_operation(call).filter(|_| is_audited))
            .unwrap_or_else(|| masked_operation(call, &[set]));
        let known = self.known(set, resolved);
        let version = version_field(exchange.response.headers());
        for operation_announcement in announcements(signals) {
            let of_version = version
                .and_then(|name| operation_announcement.of_version(name))
                .map(|it| (it.standing(set, &known), it))
                .filter(|(standing, _)| standing.rule().is_some());
            let (standing, announcement) = match operation_announcement.standing(set, &known) {
                RuleAgreement::Known(rule) => (RuleAgreement::Known(rule), operation_announcement),
                standing => of_version.unwrap_or((standing, operation_announcement)),
            };
            let about = standing
                .rule()
                .unwrap_or_else(|| Check::AnnouncedInTraffic.id());
            let grade = self.grades.of(Check::AnnouncedInTraffic, about);
            if grade != Grade::Off {
                let may_be_known = match standing {
                    RuleAgreement::Known(_) => true,
                    RuleAgreement::Unknown => announcement.element.kind == ElementKind::Endpoint,
                    RuleAgreement::Differs(..) => false,
                };
                let operation = if announcement.is_about_version {
                    let host = call.target().host.as_ref();
                    let host = host.and_then(|host| {
                        let mut hosts = set.file(set.rule(about)?.file).hosts.iter();
                        hosts.find(|pattern| pattern.matches(host))
                    });
                    host.map_or("* /**".into(), |host| format!("* {host}/**").into())
                } else {
                    Arc::clone(&operation)
                };
                let finding = announcement.finding(context, operation, standing, grade);
                if may_be_known {
                    known_to_rules.push(finding);
                } else {
                    sink.finding(finding);
                }
            }
        }
        known_to_rules
    }

    fn known(&mut self, set: &RuleSet, resolved: MatchedOperations) -> Arc<[RuleSides]> {
        let rules = self
            .by_operations
            .entry(resolved)
            .or_insert_with_key(|resolved| rules_of(set, resolved).into());
        Arc::clone(rules)
    }
}

/// The rules of the operations, including those that are switched off.
fn rules_of(set: &RuleSet, resolved: &MatchedOperations) -> Vec<RuleSides> {
    let mut known: Vec<RuleSides> = set
        .all_matched_places(resolved)
        .map(|found| (found.rule, found.place.sides))
        .collect();
    for side in Side::BOTH {
        // These graphs only show which rules they reach.
        schema_graphs(set, &[resolved], side, |property, _| {
            known.push((property.rule, Sides::Only(side)));
            None
        });
    }
    known
}

/// The operation as the rules name it.
pub(super) fn template(set: &RuleSet, resolved: &MatchedOperations) -> Option<Arc<str>> {
    let first = set.operations().get(*resolved.templates.first()?)?;
    Some(Arc::from(first.pattern.to_string()))
}

/// The maximum number of segments of a path that are shown.
const MAX_SEGMENTS: usize = 16;

/// Describes an unknown operation by a pattern without anything that may be a value. Captured paths contain names, numbers and
/// tokens, and nothing declares which of their segments are fixed. Versions, words that are common in paths, and segments that
/// occur in paths of the rules or of their descriptions are shown.
pub(super) fn masked_operation(call: &Call<'_>, sets: &[&RuleSet]) -> Arc<str> {
    let mut text = call
        .method
        .as_ref()
        .filter(|method| method.is_registered())
        .map_or("*", Method::as_str)
        .to_owned();
    text.push(' ');
    let mut may_be_value = false;
    for segment in call.target().segments.iter().take(MAX_SEGMENTS) {
        let is_word = !may_be_value
            && (is_api_version(segment)
                || is_common(segment)
                || sets.iter().any(|set| is_known(segment, set)));
        text.push('/');
        text.push_str(if is_word { segment } else { "*" });
        // The segment after the name of a collection is mostly an identifier: `users/ann`.
        may_be_value = is_word && precedes_value(segment);
    }
    match call.target().segments.len() {
        0 => text.push('/'),
        segments if segments > MAX_SEGMENTS => text.push_str("/**"),
        _ => {}
    }
    text.into()
}

/// Whether the path of some rule has this segment.
fn is_known(segment: &str, set: &RuleSet) -> bool {
    set.operations().iter().any(|operation| {
        operation
            .pattern
            .segments
            .iter()
            .any(|part| matches!(part, PatternSegment::Literal(text) if text == segment))
    })
}

/// The name of the field of a response that says which version of the whole API answered, by its date.
fn version_field<'f>(fields: &'f [HeaderField<'_>]) -> Option<&'f str> {
    fields
        .iter()
        .filter(|field| {
            ["api-version", "version-selected", "x-ms-version"]
                .iter()
                .any(|name| field.name.contains(name))
        })
        .find(|field| {
            let texts = field.value.texts();
            let version = texts.first().and_then(|text| Version::parse(text.trim()));
            version.is_some_and(|version| version.date().is_some())
        })
        .map(|field| &*field.name)
}

/// Combines the signals of one response into announcements: one for each element, and one for the operation.
fn announcements(signals: &[Signal]) -> Vec<TrafficAnnouncement> {
    let (mut all, mut parts, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for signal in signals {
        let announcement = TrafficAnnouncement::of(signal);
        match &signal.kind {
            SignalKind::Element(element) if !seen.insert(element) => {}
            SignalKind::Element(_) => all.push(announcement),
            _ if announcement.element.kind == ElementKind::Part => parts.push(announcement),
            _ => whole.push(announcement),
        }
    }
    if let Some(whole) = combined(&whole) {
        // Header fields about the operation that add nothing to those about elements belong to the elements.
        let date = whole.element.removal.date();
        let mut known = all.iter_mut();
        match known.find(|own| date.is_none_or(|date| own.element.removal.date() == Some(date))) {
            Some(known) => {
                known.by.extend(whole.by);
                known.element.since = known.element.since.or(whole.element.since);
            }
            None => all.push(whole),
        }
    }
    all.extend(combined(&parts));
    all
}

/// Combines what header fields announce of the operation, or of a part of it.
fn combined(about: &[TrafficAnnouncement]) -> Option<TrafficAnnouncement> {
    let ends = about
        .iter()
        .filter(|own| own.element.removal != Removal::Unknown);
    // The first readable date counts, before those in texts.
    let end = ends.min_by_key(|own| {
        let is_text = own.field == SignalField::Warning;
        (own.element.removal.date().is_none(), is_text)
    });
    let first = end.or(about.first())?;
    let mut by = Vec::new();
    for own in about {
        super::rule_choice::push_new(&mut by, own.field);
    }
    // A version has a successor whether it ends or not (RFC 5829, section 3.4).
    let is_successor = by == [SignalField::Link(Relation::Successor)];
    let is_possible = is_successor || first.element.kind == ElementKind::Part;
    Some(TrafficAnnouncement {
        element: SignalElement {
            since: about.iter().find_map(|own| own.element.since),
            release: about.iter().find_map(|own| own.element.release.clone()),
            ..first.element.clone()
        },
        by,
        certainty: if is_possible {
            Certainty::Possible
        } else {
            Certainty::Certain
        },
        ..first.clone()
    })
}

/// Whether each call of the rule's operation is a finding.
fn finds_each_call(rule: &Rule) -> bool {
    !rule.is_off() && rule.when.is_empty()
}

impl TrafficAnnouncement {
    /// What one signal announces.
    fn of(signal: &Signal) -> Self {
        let mut element = SignalElement {
            kind: ElementKind::Endpoint,
            ..SignalElement::default()
        };
        match &signal.kind {
            SignalKind::Element(own) => element = own.clone(),
            SignalKind::Deprecated(since) => element.since = *since,
            SignalKind::Sunset(removal) => element.removal = *removal,
            SignalKind::RemovedIn(release) => element.release = Some(release.clone()),
            SignalKind::Hint => {}
            SignalKind::Warning(text) => {
                let warning = DeprecationWarning::of(text);
                if warning.is_about_part {
                    element.kind = ElementKind::Part;
                }
                element.since = warning.introduced;
                element.removal = warning.removal.map_or(Removal::Unknown, Removal::On);
            }
        }
        Self {
            element,
            by: vec![signal.field],
            field: signal.field,
            span: signal.span,
            is_about_version: false,
            certainty: Certainty::Certain,
        }
    }

    /// The announcement of the operation's end, read as one about the version that a header field of the response names.
    fn of_version(&self, field: &str) -> Option<Self> {
        let is_dated = self.element.removal.date().is_some();
        (self.element.kind == ElementKind::Endpoint && is_dated).then(|| Self {
            element: SignalElement {
                kind: ElementKind::Header,
                name: Some(field.to_owned()),
                side: Some(Side::Response),
                ..self.element.clone()
            },
            is_about_version: true,
            ..self.clone()
        })
    }

    /// Compares the announcement with the rules. Of several rules, one that agrees counts, and among those, one that finds the call.
    fn standing(&self, set: &RuleSet, known: &[RuleSides]) -> RuleAgreement {
        // A request names the version that a response announces.
        let side = self.element.side.filter(|_| !self.is_about_version);
        let rules = known
            .iter()
            .filter(|(_, sides)| side.is_none_or(|side| sides.contains(side)));
        let named = self.named();
        let mut agreeing = None;
        let mut differing = None;
        for rule in rules.filter_map(|(rule, _)| set.rule_at(*rule)) {
            if !self.is_about(rule, &named) {
                continue;
            }
            if !self.element.removal.agrees_with(rule.removal) {
                if self.is_about_version {
                    continue;
                }
                differing
                    .get_or_insert_with(|| RuleAgreement::Differs(rule.id.clone(), rule.removal));
                continue;
            }
            let known = RuleAgreement::Known(rule.id.clone());
            if finds_each_call(rule) {
                return known;
            }
            agreeing.get_or_insert(known);
        }
        agreeing.or(differing).unwrap_or(RuleAgreement::Unknown)
    }

    /// Whether the element of a rule is the announced one, which a rule would name so.
    fn is_about(&self, rule: &Rule, named: &Element) -> bool {
        let SignalElement {
            kind, name, value, ..
        } = &self.element;
        match kind {
            _ if self.is_about_version => rule.is_about_version(),
            ElementKind::Part => false,
            ElementKind::Value => {
                let own = rule.element.value.as_ref();
                let field = rule.element.field_name();
                own.is_some_and(|own| own.exact() == value.as_deref())
                    && field.is_some_and(|field| name.as_ref().is_none_or(|name| name == field))
            }
            _ => rule.element == *named,
        }
    }

    /// The announced element as a rule would name it.
    fn named(&self) -> Element {
        let texts = [&self.element.name, &self.element.value];
        let [name, value] = texts.map(|text| text.as_deref().unwrap_or(UNNAMED).to_owned());
        match self.element.kind {
            ElementKind::Endpoint | ElementKind::Part => Element::ENDPOINT,
            ElementKind::Parameter => Element::parameter(name),
            ElementKind::Header => Element::header(name),
            ElementKind::Field => Element::field(name),
            ElementKind::Value => Element::field(name).with_value(Some(value)),
        }
    }

    /// Distinguishes the announcement from others of the operation, independent of the rules.
    fn key(&self) -> String {
        let SignalElement {
            kind,
            name,
            value,
            schema,
            ..
        } = &self.element;
        match kind {
            ElementKind::Endpoint => return String::new(),
            ElementKind::Part => return Announced::PART.to_owned(),
            _ => {}
        }
        let name = join([name, value].into_iter().flatten(), "=");
        let name = Some(&*name).filter(|name| !name.is_empty());
        let parts = [Some(self.named().kind()), name, schema.as_deref()];
        join(parts.into_iter().flatten(), " ")
    }

    /// Creates the finding with a rule made for it: with the announced date, and with the replacement of the known rule.
    fn finding(
        mut self,
        context: Context<'_, '_>,
        operation: Arc<str>,
        standing: RuleAgreement,
        grade: Grade,
    ) -> Finding {
        let known = standing.rule().and_then(|id| context.set.rule(id));
        // That of a rule which agrees, otherwise the announced one.
        let removal = match standing {
            RuleAgreement::Known(_) => known.and_then(|rule| rule.removal),
            RuleAgreement::Differs(..) | RuleAgreement::Unknown => self.element.removal.last_day(),
        };
        // It distinguishes findings also where their values are not shown.
        let key_of_finding = self.key();
        if context.values == Values::Hidden {
            self.element.value = None;
        }
        let id = Check::AnnouncedInTraffic.id().to_owned();
        let element = known
            .filter(|_| !self.is_about_version)
            .map_or_else(|| self.named(), |rule| rule.element.clone());
        let is_ahead = self
            .element
            .since
            .is_some_and(|since| since > context.lifecycle.as_of);
        let facts = known.map_or_else(Rule::default, |rule| Rule::clone(rule));
        let rule = Arc::new(Rule {
            replacement: facts.replacement,
            note: facts.note,
            introduced: self.element.since,
            removal,
            has_unreadable_end: removal.is_none() && self.element.removal == Removal::Unreadable,
            docs: facts.docs,
            sources: facts.sources,
            grade: if grade == Grade::ByDays && removal.is_none() && is_ahead {
                Grade::Always(Severity::Note)
            } else {
                grade
            },
            after_removal: facts.after_removal,
            ..Rule::new(id, element)
        });
        let part = match (self.element.kind, self.element.side) {
            (ElementKind::Endpoint | ElementKind::Part, _) | (_, None) => ExchangePart::Operation,
            (_, Some(side)) => ExchangePart::Message(side),
        };
        let key = Some(self.field.header().to_owned());
        let found = Occurrence {
            operation,
            part,
            pointer: None,
            span: self.span,
            shown: ExcerptParts {
                key,
                ..ExcerptParts::default()
            },
            exchange: context.exchange_ref(),
            certainty: self.certainty,
        };
        let announced = Announced {
            by: self.by,
            key: key_of_finding,
            schema: self.element.schema,
            since: self.element.since,
            removal: self.element.removal,
            release: self.element.release,
            standing,
        };
        let finding = Finding::new(&rule, context.lifecycle, found);
        Finding {
            kind: FindingKind::Announced(Box::new(announced)),
            ..finding
        }
    }
}

/// The longest name of a group, a resource or a subresource (RFC 1123).
const MAX_NAME_BYTES: usize = 253;

/// Returns the operation of a call to the API of a Kubernetes cluster, such as
/// `GET /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale`; `None` if the path has another form.
fn resource_operation(call: &Call<'_>) -> Option<Arc<str>> {
    let segments = call.target().segments.iter();
    let segments: Vec<&str> = segments.map(|segment| &**segment).collect();
    let method = call.method.as_ref().filter(|method| method.is_registered());
    let method = method.map_or("*", Method::as_str);
    let (prefix, rest) = match segments.as_slice() {
        ["api", rest @ ..] => ("api".to_owned(), rest),
        ["apis", group, rest @ ..] if is_name(group, b".-") => (format!("apis/{group}"), rest),
        _ => return None,
    };
    let [version, rest @ ..] = rest else {
        return None;
    };
    let (watch, rest) = match rest {
        ["watch", rest @ ..] => ("/watch", rest),
        _ => ("", rest),
    };
    let (namespace, rest) = match rest {
        ["namespaces", _, after @ ..] if !after.is_empty() => ("/namespaces/{namespace}", after),
        _ => ("", rest),
    };
    let [resource, rest @ ..] = rest else {
        return None;
    };
    let name = match rest {
        [] => String::new(),
        [_] => "/{name}".to_owned(),
        [_, part] if is_name(part, b"") => format!("/{{name}}/{part}"),
        // What follows a subresource (`pods/x/proxy/…`) belongs to another service.
        [_, part, ..] if is_name(part, b"") => format!("/{{name}}/{part}/**"),
        _ => "/{name}/**".to_owned(),
    };
    let text = format!("{method} /{prefix}/{version}{watch}{namespace}/{resource}{name}");
    (is_api_version(version) && is_name(resource, b"")).then(|| text.into())
}

fn is_name(text: &str, others: &[u8]) -> bool {
    (1..=MAX_NAME_BYTES).contains(&text.len())
        && text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || others.contains(&byte)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleFile;
    use sundown_exchange::Target;

    #[test]
    fn a_path_that_no_rule_knows_shows_versions_and_words_only() {
        let rules = "api = 'x'\n[[rule]]\nid = 'r'\nalso = [{ operation = 'GET /rest/api/v1/users/{id}/orders' }]\n";
        let set = RuleSet::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
        for (url, shown) in [
            ("https://h/rest/api/v1/zebra?x=1", "GET /rest/api/v1/*"),
            ("https://h/rest/api/v1/chat?x=1", "GET /rest/api/v1/chat"),
            ("/sessions/ann", "GET /sessions/*"),
            ("/employee/report/export", "GET /employee/*/export"),
            ("/tenant/wallet/x/invite/order", "GET /tenant/*/*/invite/*"),
            (
                "/company/acme/bulkUpload/7/report-ann",
                "GET /company/*/bulkUpload/*/*",
            ),
            ("/users/ann/orders/latest", "GET /users/*/orders/*"),
            ("/users/orders/x", "GET /users/*/*"),
            ("/api/v12/bulk-index_all/7", "GET /api/v12/*/*"),
            ("/ann/mary-ann/v1000", "GET /*/*/*"),
            ("/t/3f2504e0-4f89-11d3/x", "GET /*/*/*"),
            ("/a@b.test/%1b[31m/{{base}}/:id/Bearer", "GET /*/*/*/*/*"),
            ("/", "GET /"),
            (&"/api".repeat(20), &format!("GET {}/**", "/api".repeat(16))),
        ] {
            let call = Call::new(Method::parse("GET"), Target::parse(url), None);
            assert_eq!(&*masked_operation(&call, &[&set]), shown, "{url}");
        }
    }

    #[test]
    fn names_of_the_api_are_shown_and_those_of_objects_are_not() {
        for (url, shown) in [
            (
                "/apis/batch/v1beta1/cronjobs?limit=500",
                Some("/apis/batch/v1beta1/cronjobs"),
            ),
            (
                "https://h/apis/policy/v1beta1/namespaces/acme/poddisruptionbudgets/ann/status",
                Some(
                    "/apis/policy/v1beta1/namespaces/{namespace}/poddisruptionbudgets/{name}/status",
                ),
            ),
            (
                "/api/v1/componentstatuses/x",
                Some("/api/v1/componentstatuses/{name}"),
            ),
            ("/api/v1/namespaces/acme", Some("/api/v1/namespaces/{name}")),
            (
                "/apis/networking.k8s.io/v1/watch/namespaces/acme/ingresses",
                Some("/apis/networking.k8s.io/v1/watch/namespaces/{namespace}/ingresses"),
            ),
            (
                "/api/v1/namespaces/a/pods/b/proxy/secret/x",
                Some("/api/v1/namespaces/{namespace}/pods/{name}/proxy/**"),
            ),
            ("/api/v1", None),
            ("/apis/batch/v1beta1", None),
            ("/apis/batch/vacation/cronjobs", None),
            ("/apis/Ann@x/v1/cronjobs", None),
            ("/healthz", None),
            ("/", None),
        ] {
            let call = Call::new(Method::parse("GET"), Target::parse(url), None);
            let expected = shown.map(|shown| format!("GET {shown}"));
            assert_eq!(
                resource_operation(&call).as_deref(),
                expected.as_deref(),
                "{url}"
            );
        }
    }
}
