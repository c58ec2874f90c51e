//! Filters: which ones a rule may use, and whether a node passes one.
//!
//! `jsonpath-rust` reads filters. It could decide them too, but every node that it meets carries the way to it as text: in
//! a body with a long key or deep nesting, that is the square of the body. And it makes a regular expression anew for each.

use std::borrow::Cow;
use std::ops::ControlFlow;

use jsonpath_rust::parser::model::{
    self, Comparable, Comparison, FilterAtom, FnArg, JpQuery, Literal, Segment, Selector,
    SingularQuery, SingularQuerySegment, TestFunction,
};

use super::filter_regex::FilterRegex;
use super::slice::in_slice;
use super::value::Value;

/// A filter that has been checked.
#[derive(Debug, Clone)]
pub struct Filter {
    asks: model::Filter,
    expressions: Vec<FilterRegex>,
}

impl PartialEq for Filter {
    /// Expressions are made of what is asked.
    fn eq(&self, other: &Self) -> bool {
        self.asks == other.asks
    }
}

/// What a filter must not have. The writer's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterError {
    /// What it is.
    pub what: &'static str,
    /// Why not, or what to write instead.
    pub help: &'static str,
}

const NESTED: FilterError = FilterError {
    what: "a filter inside a filter",
    help: "ask for a member of the node itself: [?@.kind == 'old']",
};
const FROM_ROOT: FilterError = FilterError {
    what: "a filter that searches several nodes from the root",
    help: "it would be searched anew for every node; name the one node: $.kind",
};
const DESCENTS: FilterError = FilterError {
    what: "a filter with a query that has more than one `..`",
    help: "it would be searched anew at every level; name the steps",
};
const NO_STANDARD_FUNCTION: FilterError = FilterError {
    what: "a function that is not in RFC 9535",
    help: "its functions are length, count, value, match and search",
};
const NO_TEST: FilterError = FilterError {
    what: "a function's value as a test",
    help: "compare it with something: count(@.*) > 1",
};
const SEVERAL_VALUES: FilterError = FilterError {
    what: "a query for several nodes where one value is needed",
    help: "name the one node, or use value(…)",
};
const NO_QUERY: FilterError = FilterError {
    what: "anything but a query as the argument of count or value",
    help: "they take nodes: count(@.*)",
};
const LOGICAL_ARGUMENT: FilterError =
    FilterError { what: "a logical expression as an argument", help: "no function takes one" };
impl Filter {
    /// Checks a filter as the parser gives it.
    pub fn new(filter: &model::Filter) -> Result<Self, FilterError> {
        check(filter)?;
        let mut expressions = Vec::new();
        gather(filter, &mut expressions)?;
        Ok(Self { asks: filter.clone(), expressions })
    }

    /// Whether `node`, in the document `root`, passes.
    pub(super) fn holds(&self, node: &Value, root: &Value) -> bool {
        holds(&self.asks, FilterContext { node, root, expressions: &self.expressions })
    }
}

/// Where a filter is asked: the node, which is `@`, and the document around it, which is `$`; and by which expressions.
#[derive(Clone, Copy)]
struct FilterContext<'v> {
    node: &'v Value,
    root: &'v Value,
    expressions: &'v [FilterRegex],
}

fn holds(filter: &model::Filter, at: FilterContext<'_>) -> bool {
    match filter {
        model::Filter::Or(any) => any.iter().any(|filter| holds(filter, at)),
        model::Filter::And(all) => all.iter().all(|filter| holds(filter, at)),
        model::Filter::Atom(FilterAtom::Filter { expr, not }) => holds(expr, at) != *not,
        model::Filter::Atom(FilterAtom::Test { expr, not }) => is_met(expr, at) != *not,
        model::Filter::Atom(FilterAtom::Comparison(comparison)) => compare(comparison, at),
    }
}

fn is_met(expression: &model::Test, at: FilterContext<'_>) -> bool {
    match expression {
        model::Test::Function(function) => match &**function {
            TestFunction::Match(value, _) | TestFunction::Search(value, _) => {
                let expression = at.expressions.iter().find(|own| own.is_of(function));
                match (argument(value, at).as_deref(), expression) {
                    (Some(Value::String(text)), Some(expression)) => expression.fits(text),
                    _ => false,
                }
            }
            _ => false,
        },
        query => count(query, at, 1) > 0,
    }
}

fn compare(comparison: &Comparison, at: FilterContext<'_>) -> bool {
    let (left, right) = comparison.vals();
    let (left, right) = (operand(left, at), operand(right, at));
    let (left, right) = (left.as_deref(), right.as_deref());
    match comparison {
        Comparison::Eq(..) => left == right,
        Comparison::Ne(..) => left != right,
        Comparison::Lt(..) => less(left, right),
        Comparison::Lte(..) => less(left, right) || left == right,
        Comparison::Gt(..) => less(right, left),
        Comparison::Gte(..) => less(right, left) || left == right,
    }
}

/// Numbers and strings are ordered, each among themselves; nothing else is (RFC 9535, section 2.3.5.2.2).
fn less(left: Option<&Value>, right: Option<&Value>) -> bool {
    match (left, right) {
        (Some(Value::Number(left)), Some(Value::Number(right))) => left < right,
        (Some(Value::String(left)), Some(Value::String(right))) => left < right,
        _ => false,
    }
}

/// One side of a comparison; `None` is the special result `Nothing`.
fn operand<'v>(side: &Comparable, at: FilterContext<'v>) -> Option<Cow<'v, Value>> {
    match side {
        Comparable::Literal(literal) => Some(Cow::Owned(value(literal))),
        Comparable::Function(function) => returned(function, at),
        Comparable::SingularQuery(query) => {
            let (start, steps) = match query {
                SingularQuery::Current(steps) => (at.node, steps),
                SingularQuery::Root(steps) => (at.root, steps),
            };
            let step = |node: &'v Value, step: &SingularQuerySegment| match step {
                SingularQuerySegment::Index(index) => node.element(*index),
                SingularQuerySegment::Name(name) => node.get(name),
            };
            steps.iter().try_fold(start, step).map(Cow::Borrowed)
        }
    }
}

/// What a function that gives a value gives.
fn returned<'v>(function: &TestFunction, at: FilterContext<'v>) -> Option<Cow<'v, Value>> {
    let number = |count: usize| i64::try_from(count).ok().map(|count| Cow::Owned(number(count)));
    match function {
        TestFunction::Length(value) => number(argument(value, at)?.length()?),
        TestFunction::Count(FnArg::Test(query)) => number(count(query, at, usize::MAX)),
        TestFunction::Value(FnArg::Test(query)) => only(query, at).map(Cow::Borrowed),
        _ => None,
    }
}

/// An argument that is one value.
fn argument<'v>(argument: &FnArg, at: FilterContext<'v>) -> Option<Cow<'v, Value>> {
    match argument {
        FnArg::Literal(literal) => Some(Cow::Owned(value(literal))),
        FnArg::Test(test) => match &**test {
            model::Test::Function(function) => returned(function, at),
            query => only(query, at).map(Cow::Borrowed),
        },
        FnArg::Filter(_) => None,
    }
}

fn value(literal: &Literal) -> Value {
    match literal {
        Literal::Int(whole) => number(*whole),
        Literal::Float(real) => Value::Number(*real),
        Literal::String(text) => Value::String(text.clone()),
        Literal::Bool(truth) => Value::Bool(*truth),
        Literal::Null => Value::Null,
    }
}

#[allow(clippy::cast_precision_loss, reason = "the grammar has no whole numbers beyond 2^53")]
fn number(whole: i64) -> Value {
    Value::Number(whole as f64)
}

/// How many nodes a query selects, counted no further than to `enough`.
fn count(query: &model::Test, at: FilterContext<'_>, enough: usize) -> usize {
    let mut count = 0;
    let _ = each(query, at, &mut |_| {
        count += 1;
        if count < enough { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    count
}

/// The one node that a query selects, if it is one.
fn only<'v>(query: &model::Test, at: FilterContext<'v>) -> Option<&'v Value> {
    let mut found = None;
    let one = each(query, at, &mut |node| match found.replace(node) {
        None => ControlFlow::Continue(()),
        Some(_) => ControlFlow::Break(()),
    });
    found.filter(|_| one.is_continue())
}

/// Takes the nodes of a query one by one, and says whether to go on.
type NodeVisitor<'f, 'v> = &'f mut dyn FnMut(&'v Value) -> ControlFlow<()>;

/// Visits the nodes that a query selects, one as often as it is selected.
fn each<'v>(
    query: &model::Test,
    at: FilterContext<'v>,
    visit: NodeVisitor<'_, 'v>,
) -> ControlFlow<()> {
    match query {
        model::Test::RelQuery(segments) => follow(segments, at.node, visit),
        model::Test::AbsQuery(JpQuery { segments }) => follow(segments, at.root, visit),
        model::Test::Function(_) => ControlFlow::Continue(()),
    }
}

/// Recurses, no deeper than the tree and the query are.
fn follow<'v>(
    segments: &[Segment],
    node: &'v Value,
    visit: NodeVisitor<'_, 'v>,
) -> ControlFlow<()> {
    let Some((first, rest)) = segments.split_first() else { return visit(node) };
    let descends = matches!(first, Segment::Descendant(_));
    for selector in selectors(first) {
        match selector {
            Selector::Name(name) => {
                node.get(name)
                    .map_or(ControlFlow::Continue(()), |node| follow(rest, node, visit))?;
            }
            Selector::Index(index) => {
                let element = node.element(*index);
                element.map_or(ControlFlow::Continue(()), |node| follow(rest, node, visit))?;
            }
            Selector::Wildcard => {
                node.children().into_iter().try_for_each(|child| follow(rest, child, visit))?;
            }
            Selector::Slice(start, end, step) => {
                let Value::Array(elements) = node else { continue };
                let len = elements.len();
                for (index, element) in elements.iter().enumerate() {
                    if in_slice(index, len, *start, *end, step.unwrap_or(1)) {
                        follow(rest, element, visit)?;
                    }
                }
            }
            // FilterError when the filter was checked.
            Selector::Filter(_) => {}
        }
    }
    if descends {
        node.children().into_iter().try_for_each(|child| follow(segments, child, visit))?;
    }
    ControlFlow::Continue(())
}

/// The selectors of a segment, `..` or not.
fn selectors(segment: &Segment) -> &[Selector] {
    match segment {
        Segment::Descendant(segment) => selectors(segment),
        Segment::Selector(selector) => std::slice::from_ref(selector),
        Segment::Selectors(selectors) => selectors,
    }
}

fn check(filter: &model::Filter) -> Result<(), FilterError> {
    match filter {
        model::Filter::Or(filters) | model::Filter::And(filters) => {
            filters.iter().try_for_each(check)
        }
        model::Filter::Atom(FilterAtom::Filter { expr, .. }) => check(expr),
        model::Filter::Atom(FilterAtom::Test { expr, .. }) => match &**expr {
            model::Test::Function(function) => match &**function {
                TestFunction::Length(_) | TestFunction::Count(_) | TestFunction::Value(_) => {
                    Err(NO_TEST)
                }
                function => check_function(function),
            },
            query => check_query(query),
        },
        model::Filter::Atom(FilterAtom::Comparison(comparison)) => {
            let (left, right) = comparison.vals();
            [left, right].into_iter().try_for_each(|side| match side {
                Comparable::Function(function) => check_function(function),
                Comparable::Literal(_) | Comparable::SingularQuery(_) => Ok(()),
            })
        }
    }
}

fn check_function(function: &TestFunction) -> Result<(), FilterError> {
    match function {
        TestFunction::Length(value) => check_value(value),
        TestFunction::Count(nodes) | TestFunction::Value(nodes) => match nodes {
            FnArg::Test(test) if !matches!(**test, model::Test::Function(_)) => check_query(test),
            _ => Err(NO_QUERY),
        },
        TestFunction::Match(value, _) | TestFunction::Search(value, _) => check_value(value),
        TestFunction::Custom(..) => Err(NO_STANDARD_FUNCTION),
    }
}

/// Makes the regular expressions of a filter that has been checked.
fn gather(filter: &model::Filter, into: &mut Vec<FilterRegex>) -> Result<(), FilterError> {
    match filter {
        model::Filter::Or(filters) | model::Filter::And(filters) => {
            filters.iter().try_for_each(|filter| gather(filter, into))
        }
        model::Filter::Atom(FilterAtom::Filter { expr, .. }) => gather(expr, into),
        model::Filter::Atom(FilterAtom::Test { expr, .. }) => {
            let model::Test::Function(function) = &**expr else { return Ok(()) };
            gather_of(function, into)
        }
        model::Filter::Atom(FilterAtom::Comparison(comparison)) => {
            let (left, right) = comparison.vals();
            [left, right].into_iter().try_for_each(|side| match side {
                Comparable::Function(function) => gather_of(function, into),
                Comparable::Literal(_) | Comparable::SingularQuery(_) => Ok(()),
            })
        }
    }
}

fn gather_of(function: &TestFunction, into: &mut Vec<FilterRegex>) -> Result<(), FilterError> {
    if let Some(made) = FilterRegex::of(function) {
        into.push(made?);
    }
    Ok(())
}

/// Checks an argument that is to be one value (RFC 9535, section 2.4.3).
fn check_value(argument: &FnArg) -> Result<(), FilterError> {
    match argument {
        FnArg::Literal(_) => Ok(()),
        FnArg::Filter(_) => Err(LOGICAL_ARGUMENT),
        FnArg::Test(test) => match &**test {
            model::Test::Function(function) => match &**function {
                TestFunction::Match(..) | TestFunction::Search(..) => Err(LOGICAL_ARGUMENT),
                function => check_function(function),
            },
            model::Test::RelQuery(segments) | model::Test::AbsQuery(JpQuery { segments })
                if !is_singular(segments) =>
            {
                Err(SEVERAL_VALUES)
            }
            query => check_query(query),
        },
    }
}

fn check_query(query: &model::Test) -> Result<(), FilterError> {
    match query {
        model::Test::RelQuery(segments) if segments.iter().any(has_filter) => Err(NESTED),
        model::Test::AbsQuery(query) if query.segments.iter().any(has_filter) => Err(NESTED),
        model::Test::AbsQuery(query) if !is_singular(&query.segments) => Err(FROM_ROOT),
        model::Test::RelQuery(segments) if descents(segments) > 1 => Err(DESCENTS),
        model::Test::RelQuery(_) | model::Test::AbsQuery(_) => Ok(()),
        model::Test::Function(function) => check_function(function),
    }
}

fn has_filter(segment: &Segment) -> bool {
    selectors(segment).iter().any(|selector| matches!(selector, Selector::Filter(_)))
}

fn descents(segments: &[Segment]) -> usize {
    segments.iter().filter(|segment| matches!(segment, Segment::Descendant(_))).count()
}

/// Whether a query can select one node at most (RFC 9535, section 2.3.5.1).
fn is_singular(segments: &[Segment]) -> bool {
    let names_one = |segment: &Segment| {
        matches!(segment, Segment::Selector(Selector::Name(_) | Selector::Index(_)))
    };
    segments.iter().all(names_one)
}

#[cfg(test)]
mod tests {
    use jsonpath_rust::parser::parse_json_path;

    use super::super::filter_regex::{FROM_BODY, MISTAKEN};
    use super::*;

    fn filter(text: &str) -> Result<Filter, FilterError> {
        let query = parse_json_path(&format!("$[?{text}]")).unwrap();
        match &query.segments[0] {
            Segment::Selector(Selector::Filter(filter)) => Filter::new(filter),
            other => panic!("{text} is no filter: {other:?}"),
        }
    }

    fn passes(text: &str, node: &str, root: &str) -> bool {
        let load = |text| Value::load(text, 0, 9).unwrap();
        filter(text).unwrap().holds(&load(node), &load(root))
    }

    #[test]
    fn what_cannot_be_answered_rightly_is_refused() {
        for (text, refused) in [
            ("@[?@.a]", NESTED),
            ("@.a && !(@..[?@.b])", NESTED),
            ("count($..a) > 1", FROM_ROOT),
            ("@..a..b", DESCENTS),
            ("$.*", FROM_ROOT),
            ("in(@.a, $.b)", NO_STANDARD_FUNCTION),
            ("length(@)", NO_TEST),
            ("length(@.*) > 1", SEVERAL_VALUES),
            ("length(match(@.a, 'x')) > 1", LOGICAL_ARGUMENT),
            ("match(@.a, $.pattern)", FROM_BODY),
            ("match(@.a, '(')", MISTAKEN),
            ("search(@.a, 'a)(b')", MISTAKEN),
            ("search(@.a, 'a\\\\')", MISTAKEN),
            ("search(@.a, 1)", MISTAKEN),
            ("value(1) == 1", NO_QUERY),
        ] {
            assert_eq!(filter(text).map(|_| ()), Err(refused), "{text}");
        }
    }

    #[test]
    fn operators_bind_as_in_the_standard() {
        let node = r#"{"a":1,"b":"x"}"#;
        for (text, expected) in [
            ("@.a == 1 && @.b == 'x'", true),
            ("@.a == 2 || @.b == 'x' && @.a == 1", true),
            ("(@.a == 2 || @.b == 'x') && @.a == 2", false),
            ("!(@.a == 2 || @.b == 'y')", true),
            ("!@.c && !(!@.a)", true),
            ("match(@.b, '[a-z]') && !search(@.b, 'y')", true),
        ] {
            assert_eq!(passes(text, node, "{}"), expected, "{text}");
        }
    }

    #[test]
    fn a_filter_sees_the_whole_document() {
        assert!(passes("@.a == $.a", r#"{"a":1}"#, r#"{"a":1.0}"#));
        assert!(!passes("@.a == $.a", r#"{"a":1}"#, r#"{"a":2}"#));
        assert!(passes(
            "@ == $.list[-1]",
            r#"{"b":[1],"a":2}"#,
            r#"{"list":[0,{"a":2,"b":[1.0]}]}"#
        ));
    }

    #[test]
    fn no_nodes_count_as_none() {
        for node in ["1", "{}", "[]", r#"{"b":1}"#] {
            assert!(passes("count(@.a) == 0", node, "{}"), "{node}");
            assert!(passes("count(@..a) < 1 && 0 >= count(@.a)", node, "{}"), "{node}");
        }
        assert!(passes("count(@.*) == 2", "[1,2]", "{}"));
    }

    #[test]
    fn of_members_with_one_name_a_filter_sees_the_last() {
        let node = r#"{"a":1,"b":0,"a":2}"#;
        assert!(passes("@.a == 2 && length(@) == 2 && count(@.*) == 2", node, "{}"));
    }
}
