//! Decides by the raw bytes of a body that no rule can match.

use super::ancestors::{AncestorMatcher, Ancestors};
use super::endings::Endings;
use super::field::{Field, is_plain, plain_names};
use super::search::{Search, SearchScratch, Verdict};
use crate::rule_choice::RulesByValue;
use memchr::memmem::find_iter;
use std::collections::{BTreeMap, HashMap};
use sundown_exchange::{Body, Encoding, may_be_json_patch, may_be_other_notation};
use sundown_openapi::PropertyParents;
use sundown_selector::automaton::{Pattern, PatternRole, SelectorSegment, Walk};
use sundown_text_json::json::key_context::{self, QuoteLevel};
use sundown_text_json::json::{self, KeyEnds};
use sundown_text_json::text::Span;

/// Searches the bodies of one side of an operation.
#[derive(Debug)]
pub(crate) struct Prefilter {
    names: Endings,
    /// In the order of the names.
    fields: Vec<Field>,
    search: Search,
}

/// Memory for a search.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    key_ends: KeyEnds,
    ancestors: Ancestors,
    search: SearchScratch,
}

impl Prefilter {
    /// Compiles what the patterns that are uses need; `None` if no search can rule anything out.
    ///
    /// `described` are further uses by their names, with the parents that a schema graph knows. `values` are the rules by the
    /// names of fields of which only some values are uses.
    pub(crate) fn new<'n>(
        patterns: &'n [Pattern],
        described: impl Iterator<Item = (&'n str, PropertyParents<'n>)>,
        mut values: HashMap<&str, RulesByValue>,
    ) -> Option<Self> {
        let described: Vec<_> = described.collect();
        let mut fields = collect_fields(patterns, &described)?;
        if !described.is_empty() && !Search::is_worthwhile(&fields) {
            let anywhere: Vec<_> = described
                .iter()
                .map(|(name, _)| (*name, PropertyParents::Any))
                .collect();
            fields = collect_fields(patterns, &anywhere)?;
        }
        for field in &mut fields {
            field.values = values.remove(field.name());
        }
        let names = Endings::new(fields.iter().map(Field::name));
        let search = Search::new(&fields);
        Some(Self {
            names,
            fields,
            search,
        })
    }

    /// Decides that no rule can match anything in a body. `false` decides nothing.
    pub(crate) fn try_rule_out(
        &mut self,
        body: &Body<'_>,
        walk: &mut Walk,
        scratch: &mut Scratch,
    ) -> bool {
        let (level, text) = match body.encoding {
            Encoding::Plain => (QuoteLevel::Document, body.raw()),
            Encoding::JsonString => (QuoteLevel::String, key_context::content(body.raw())),
            Encoding::Base64JsonString | Encoding::Decoded => return false,
        };
        // Whether a body is cut takes a look at all of it.
        !body.has_bare_names
            && (body.is_delimited && key_context::is_enclosed(text)
                || is_one_container(text, level))
            && !may_be_other_notation(text, level.quote().as_bytes())
            && !may_be_json_patch(text, level.quote().as_bytes())
            && self.is_without_use(text, level, walk, scratch)
            && !body.may_be_cut()
    }

    /// Decides the same of a decoded body.
    pub(crate) fn try_rule_out_text(
        &mut self,
        text: &[u8],
        walk: &mut Walk,
        scratch: &mut Scratch,
    ) -> bool {
        is_one_container(text, QuoteLevel::Document)
            && !may_be_other_notation(text, b"\"")
            && self.is_without_use(text, QuoteLevel::Document, walk, scratch)
    }

    /// Whether nothing in the content of a body, one container, can match.
    fn is_without_use(
        &mut self,
        text: &[u8],
        level: QuoteLevel,
        walk: &mut Walk,
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch {
            key_ends,
            ancestors,
            search,
        } = scratch;
        let mut matcher =
            AncestorMatcher::new(text, level, walk, ancestors).with_values_of(&self.fields);
        let may_match = match self.search.look(&self.fields, search, &mut matcher) {
            Verdict::Nothing => false,
            Verdict::MayMatch => true,
            Verdict::Open => {
                hides_names(text) || {
                    key_ends.read(text, level);
                    let names = self.keys(text, key_ends.offsets(), level);
                    self.search
                        .may_match(&self.fields, names, search, &mut matcher)
                }
            }
        };
        // The brackets around a key decide only in a text that is one value: after a fault, another may begin on a new line.
        !(may_match || matcher.has_refused() && key_context::may_begin_on_a_line(text, level))
    }

    /// The keys with the names of fields, without quotes, each with the number of its field. `ends` are the quotes after which a
    /// key may end.
    fn keys(
        &self,
        text: &[u8],
        ends: impl Iterator<Item = usize>,
        level: QuoteLevel,
    ) -> impl Iterator<Item = (usize, Span)> {
        let backslash = level.quote().len() - 1;
        ends.filter_map(move |quote| {
            let end = quote.checked_sub(backslash)?;
            let (start, number) = self.names.find(text, end)?;
            key_context::is_key(text, start, end, level).then_some((number, Span::new(start, end)))
        })
    }
}

/// The fields in the order of their names; `None` if a use may have a name that cannot be searched for.
pub(super) fn collect_fields(
    patterns: &[Pattern],
    described: &[(&str, PropertyParents<'_>)],
) -> Option<Vec<Field>> {
    let mut fields: BTreeMap<&str, Field> = BTreeMap::new();
    for (name, parents) in described {
        if !is_plain(name) {
            return None;
        }
        fields.entry(name).or_default().add_parents(parents);
    }
    for pattern in patterns
        .iter()
        .filter(|one| matches!(one.role, PatternRole::Use { .. }))
    {
        for name in last_names(&pattern.segments)? {
            fields.entry(name).or_default().add(&pattern.segments);
        }
    }
    Some(
        fields
            .into_iter()
            .map(|(name, field)| Field {
                name: name.as_bytes().into(),
                ..field
            })
            .collect(),
    )
}

/// Whether a text is one array or object by its brackets: the rest of one that is cut off may hold a use.
pub(super) fn is_one_container(text: &[u8], level: QuoteLevel) -> bool {
    key_context::is_enclosed(text) && json::is_one_container(text, level)
}

/// Whether a text has an escape that may encode a character of a name.
pub(super) fn hides_names(text: &[u8]) -> bool {
    find_iter(text, key_context::ESCAPE).any(|at| key_context::hides_names(text, at + 1))
}

/// The names in which a pattern ends; `None` if it may end in any name, or in one that cannot be searched for.
pub(super) fn last_names(segments: &[SelectorSegment]) -> Option<Vec<&str>> {
    plain_names(segments.last()?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use sundown_selector::Selector;
    use sundown_selector::automaton::{Automaton, StateId};
    use sundown_text_json::json::{Document, Node};

    const SELECTORS: [&str; 10] = [
        "$..viewerInfo.role",
        "$..values[*].isNegated",
        "$..values[*].role",
        "$.role",
        "$.answer.boardId",
        "$..documents",
        "$..viewerInfo['role','boardId']",
        "$.*.inner.boardId",
        "$..items.*.isNegated",
        "$.answer.inner.boardId",
    ];

    /// Objects and lists of the names that selectors have, and of others like them; some keys are spelled with escapes.
    fn body() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "1",
            "null",
            r#""role""#,
            r#""\"role\":""#,
            r#""x \\""#,
            r#""viewerInfo\": {\"role\": 1}""#,
            r#""\u003cb\u003e""#,
            r#""\u0041""#,
            r#""{[\"""#,
            r#"{"inner":{"boardId":1}}"#,
            r#"{"inner":{"board\u0049d":1}}"#,
        ]);
        let key = prop::sample::select(vec![
            "role",
            "viewerInfo",
            "values",
            "isNegated",
            "answer",
            "boardId",
            "documents",
            "inner",
            "items",
            "roles",
            "viewer",
            "rol",
            r"rol\u0065",
            r"board\u0049d",
            r"viewer\u0049nfo",
            r"a\/b",
        ]);
        let colon = prop::sample::select(vec![":", " :", ": ", "\t:\n "]);
        let value = leaf.prop_map(str::to_owned).prop_recursive(5, 24, 5, move |inner| {
            let members = prop::collection::vec((key.clone(), colon.clone(), inner.clone()), 0..5);
            prop_oneof![
                1 => prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
                2 => members.prop_map(|members| {
                    let members: Vec<_> =
                        members.iter().map(|(key, colon, value)| format!("\"{key}\"{colon}{value}")).collect();
                    format!("{{{}}}", members.join(", "))
                }),
            ]
        });
        value.prop_map(|value| {
            if value.starts_with(['{', '[']) {
                value
            } else {
                format!("[{value}]")
            }
        })
    }

    /// A text to insert into a body, and its place: one that breaks the body, or splits it into several lines.
    fn damage() -> impl Strategy<Value = Option<(prop::sample::Index, &'static str)>> {
        let lines = ["\n{\"role\":1}\n", "x\"\n[1", "\n"];
        let rubbish = [&["{", "}", "\"", ",", ":", "] {", "\\", "x"][..], &lines].concat();
        prop::option::of((any::<prop::sample::Index>(), prop::sample::select(rubbish)))
    }

    /// Whether some key in the value is accepted, one by one.
    fn holds_use(node: Node<'_>, state: StateId, walk: &mut Walk) -> bool {
        node.children().enumerate().any(|(index, child)| {
            let reached = match child.key() {
                Some(key) => walk.step_key(state, key.as_bytes()),
                None => walk.step_index(state, index),
            };
            child.key().is_some() && !walk.accepts(reached).is_empty()
                || holds_use(child, reached, walk)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_holds_a_use_is_never_ruled_out(
            selectors in prop::collection::vec(prop::sample::select(SELECTORS.to_vec()), 1..5),
            bodies in prop::collection::vec((body(), any::<bool>()), 40),
        ) {
            let role = PatternRole::Use { owner: 0, scope: 0 };
            let patterns: Vec<_> =
                selectors.iter().map(|text| Selector::parse(text).unwrap().pattern(role)).collect();
            let mut filter = Prefilter::new(&patterns, std::iter::empty(), HashMap::new()).unwrap();
            let mut walk = Walk::new(Arc::new(Automaton::new(patterns)));
            let mut scratch = Scratch::default();
            for (text, is_in_string) in &bodies {
                let tree = Document::parse_json(text, 99).unwrap();
                let start = walk.start();
                let holds_use = holds_use(tree.root(), start, &mut walk);
                let (record, encoding) = if *is_in_string {
                    (serde_json::to_string(text).unwrap(), Encoding::JsonString)
                } else {
                    (text.clone(), Encoding::Plain)
                };
                let body = Body::new(record.as_bytes(), Span::new(0, record.len()), encoding);
                let is_out = filter.try_rule_out(&body, &mut walk, &mut scratch);
                prop_assert!(!(is_out && holds_use), "{selectors:?} in {record}");
                // A body without escapes is ruled out if it has no use. A list of strings may stand for bytes.
                let may_be_bytes = text.starts_with("[\"");
                if !holds_use && !may_be_bytes && !text.contains(r"\u") && !text.contains(r"\/") {
                    prop_assert!(is_out, "{selectors:?} in {record}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// Broken bodies, too: the decision must not depend on earlier bodies.
        #[test]
        fn a_body_is_ruled_out_whatever_has_been_searched_before(
            selectors in prop::collection::vec(prop::sample::select(SELECTORS.to_vec()), 1..5),
            bodies in prop::collection::vec((body(), any::<bool>(), damage(), 0usize..3), 40),
        ) {
            let role = PatternRole::Use { owner: 0, scope: 0 };
            let patterns = || -> Vec<_> {
                selectors.iter().map(|text| Selector::parse(text).unwrap().pattern(role)).collect()
            };
            let filter = || Prefilter::new(&patterns(), std::iter::empty(), HashMap::new()).unwrap();
            let mut walk = Walk::new(Arc::new(Automaton::new(patterns())));
            let mut scratch = Scratch::default();
            let mut trained = filter();
            for (mut text, is_in_string, damage, more) in bodies {
                text.push_str(&r#" {"role":1,"viewerInfo":{"role":2}}"#[..[0, 11, 35][more].min(35)]);
                if let Some((index, rubbish)) = damage {
                    let mut at = index.index(text.len() - 1) + 1;
                    while !text.is_char_boundary(at) {
                        at -= 1;
                    }
                    text.insert_str(at, rubbish);
                }
                let (record, encoding) = if is_in_string {
                    (serde_json::to_string(&text).unwrap(), Encoding::JsonString)
                } else {
                    (text, Encoding::Plain)
                };
                let body = Body::new(record.as_bytes(), Span::new(0, record.len()), encoding);
                let by_trained = trained.try_rule_out(&body, &mut walk, &mut scratch);
                let by_fresh = filter().try_rule_out(&body, &mut walk, &mut scratch);
                prop_assert_eq!(by_trained, by_fresh, "{:?} in {}", selectors, record);
            }
        }
    }

    #[test]
    fn any_number_of_fields_rules_out_what_has_none_of_them() {
        for count in [1, 64, 65, 300] {
            let role = PatternRole::Use { owner: 0, scope: 0 };
            let selector = |number| Selector::parse(&format!("$..field{number}x")).unwrap();
            let patterns: Vec<_> = (0..count)
                .map(|number| selector(number).pattern(role))
                .collect();
            let mut filter = Prefilter::new(&patterns, std::iter::empty(), HashMap::new()).unwrap();
            let mut walk = Walk::new(Arc::new(Automaton::new(patterns)));
            let mut try_rule_out = |text: &str| {
                let body = Body::new(text.as_bytes(), Span::new(0, text.len()), Encoding::Plain);
                filter.try_rule_out(&body, &mut walk, &mut Scratch::default())
            };
            assert!(
                try_rule_out(r#"{"field":1,"other":["field0x"]}"#),
                "{count}"
            );
            assert!(
                !try_rule_out(&format!(r#"{{"a":{{"field{}x":1}}}}"#, count - 1)),
                "{count}"
            );
        }
    }
}
