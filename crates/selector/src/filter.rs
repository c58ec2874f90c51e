//! The filters that a rule may use, and their evaluation at a node.
//!
//! `jsonpath-rust` parses filters. It could evaluate them too, but every node that it visits carries its path as text: in
//! a body with a long key or deep nesting, that takes time quadratic in the size of the body. It also compiles a regular
//! expression again for each node.

use std::ops::ControlFlow;

use jsonpath_rust::parser::model::{
    self, Comparable, Comparison, FilterAtom, FnArg, JpQuery, Literal, Segment, Selector,
    SingularQuery, SingularQuerySegment, TestFunction,
};

use super::filter_document::{FilterDocument, FilterScalar};
use super::filter_error::FilterError;
use super::filter_regex::{FilterRegex, MAX_REGEXES};
use super::slice::in_slice;
use sundown_text_json::json::{Node, ValueKind};

/// A filter that has been checked.
#[derive(Debug, Clone)]
pub struct Filter {
    expression: model::Filter,
    regexes: Vec<FilterRegex>,
}

impl PartialEq for Filter {
    /// The regular expressions follow from the expression.
    fn eq(&self, other: &Self) -> bool {
        self.expression == other.expression
    }
}

const NESTED: FilterError = FilterError {
    what: "a filter inside a filter",
    help: "test a member of the node itself: [?@.kind == 'old']",
};
const FROM_ROOT: FilterError = FilterError {
    what: "a filter that searches several nodes from the root",
    help: "the search would run again for every node; name the one node: $.kind",
};
const DESCENTS: FilterError = FilterError {
    what: "a filter with a query that has more than one `..`",
    help: "the search would run again at every level; name the steps",
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
const LOGICAL_ARGUMENT: FilterError = FilterError {
    what: "a logical expression as an argument",
    help: "no function takes one",
};

const TOO_MANY_REGEXES: FilterError = FilterError {
    what: "a filter with more than 16 regular expressions",
    help: "join those of one place with `|`",
};

impl Filter {
    /// Checks a filter that the parser has read.
    pub fn new(filter: &model::Filter) -> Result<Self, FilterError> {
        let mut regexes = Vec::new();
        check(filter, &mut regexes)?;
        Ok(Self {
            expression: filter.clone(),
            regexes,
        })
    }

    /// The number of its regular expressions.
    pub(super) fn regexes(&self) -> usize {
        self.regexes.len()
    }

    /// Whether `node`, a value of `document`, passes.
    pub(super) fn holds<'d>(&self, node: Node<'d>, document: &FilterDocument<'d>) -> bool {
        holds(
            &self.expression,
            FilterContext {
                node,
                document,
                regexes: &self.regexes,
            },
        )
    }
}

/// The context in which a filter is evaluated: the node (`@`) and its document, whose root is `$`.
#[derive(Clone, Copy)]
struct FilterContext<'v> {
    node: Node<'v>,
    document: &'v FilterDocument<'v>,
    regexes: &'v [FilterRegex],
}

/// A value that a filter compares: a node, or a value that the filter itself contains or computes.
#[derive(Clone, Copy)]
enum Operand<'v> {
    Node(Node<'v>),
    FilterScalar(FilterScalar<'v>),
}

#[allow(
    clippy::cast_precision_loss,
    reason = "neither the grammar nor a document has integers beyond 2^53"
)]
impl<'v> Operand<'v> {
    fn of_literal(literal: &'v Literal) -> Self {
        Self::FilterScalar(match literal {
            Literal::Int(whole) => FilterScalar::Number(*whole as f64),
            Literal::Float(real) => FilterScalar::Number(*real),
            Literal::String(text) => FilterScalar::String(text),
            Literal::Bool(truth) => FilterScalar::Bool(*truth),
            Literal::Null => FilterScalar::Null,
        })
    }

    fn of_count(count: usize) -> Self {
        Self::FilterScalar(FilterScalar::Number(count as f64))
    }

    /// The value, unless it is an array or object.
    fn scalar(self, document: &FilterDocument<'v>) -> Option<FilterScalar<'v>> {
        match self {
            Self::Node(node) => document.scalar(node),
            Self::FilterScalar(scalar) => Some(scalar),
        }
    }

    fn is_equal(self, other: Self, document: &FilterDocument<'v>) -> bool {
        match (self, other) {
            (Self::Node(a), Self::Node(b)) => document.are_equal(a, b),
            _ => match (self.scalar(document), other.scalar(document)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// Whether it is less. Only two numbers or two strings have an order (RFC 9535, section 2.3.5.2.2).
    fn is_less(self, other: Self, document: &FilterDocument<'v>) -> bool {
        match (self.scalar(document), other.scalar(document)) {
            (Some(FilterScalar::Number(a)), Some(FilterScalar::Number(b))) => a < b,
            (Some(FilterScalar::String(a)), Some(FilterScalar::String(b))) => a < b,
            _ => false,
        }
    }
}

fn holds(filter: &model::Filter, at: FilterContext<'_>) -> bool {
    match filter {
        model::Filter::Or(any) => any.iter().any(|filter| holds(filter, at)),
        model::Filter::And(all) => all.iter().all(|filter| holds(filter, at)),
        model::Filter::Atom(FilterAtom::Filter { expr, not }) => holds(expr, at) != *not,
        model::Filter::Atom(FilterAtom::Test { expr, not }) => passes_test(expr, at) != *not,
        model::Filter::Atom(FilterAtom::Comparison(comparison)) => compare(comparison, at),
    }
}

fn passes_test(test: &model::Test, at: FilterContext<'_>) -> bool {
    match test {
        model::Test::Function(function) => match &**function {
            TestFunction::Match(value, _) | TestFunction::Search(value, _) => {
                let regex = at.regexes.iter().find(|regex| regex.is_of(function));
                let subject = argument(value, at).and_then(|value| value.scalar(at.document));
                match (subject, regex) {
                    (Some(FilterScalar::String(content)), Some(regex)) => regex.is_match(content),
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
    let are_equal = || match (left, right) {
        (Some(a), Some(b)) => a.is_equal(b, at.document),
        // `Nothing` equals only itself, and has no order.
        (a, b) => a.is_none() && b.is_none(),
    };
    let is_less = |a: Option<Operand<'_>>, b: Option<Operand<'_>>| match (a, b) {
        (Some(a), Some(b)) => a.is_less(b, at.document),
        _ => false,
    };
    match comparison {
        Comparison::Eq(..) => are_equal(),
        Comparison::Ne(..) => !are_equal(),
        Comparison::Lt(..) => is_less(left, right),
        Comparison::Lte(..) => is_less(left, right) || are_equal(),
        Comparison::Gt(..) => is_less(right, left),
        Comparison::Gte(..) => is_less(right, left) || are_equal(),
    }
}

/// One side of a comparison; `None` is the special result `Nothing`.
fn operand<'v>(side: &'v Comparable, at: FilterContext<'v>) -> Option<Operand<'v>> {
    match side {
        Comparable::Literal(literal) => Some(Operand::of_literal(literal)),
        Comparable::Function(function) => function_result(function, at),
        Comparable::SingularQuery(query) => {
            let (start, steps) = match query {
                SingularQuery::Current(steps) => (at.node, steps),
                SingularQuery::Root(steps) => (at.document.root(), steps),
            };
            steps
                .iter()
                .try_fold(start, |node, step| match step {
                    SingularQuerySegment::Index(index) => at.document.element(node, *index),
                    SingularQuerySegment::Name(name) => at.document.member(node, name),
                })
                .map(Operand::Node)
        }
    }
}

/// The result of a function that returns a value.
fn function_result<'v>(function: &'v TestFunction, at: FilterContext<'v>) -> Option<Operand<'v>> {
    match function {
        TestFunction::Length(value) => {
            let length = match argument(value, at)? {
                Operand::Node(node) => at.document.length(node),
                Operand::FilterScalar(FilterScalar::String(text)) => Some(text.chars().count()),
                Operand::FilterScalar(_) => None,
            };
            length.map(Operand::of_count)
        }
        TestFunction::Count(FnArg::Test(query)) => {
            Some(Operand::of_count(count(query, at, usize::MAX)))
        }
        TestFunction::Value(FnArg::Test(query)) => single_node(query, at).map(Operand::Node),
        _ => None,
    }
}

/// An argument that is one value.
fn argument<'v>(argument: &'v FnArg, at: FilterContext<'v>) -> Option<Operand<'v>> {
    match argument {
        FnArg::Literal(literal) => Some(Operand::of_literal(literal)),
        FnArg::Test(test) => match &**test {
            model::Test::Function(function) => function_result(function, at),
            query => single_node(query, at).map(Operand::Node),
        },
        FnArg::Filter(_) => None,
    }
}

/// Counts the nodes that a query selects, up to `limit`.
fn count(query: &model::Test, at: FilterContext<'_>, limit: usize) -> usize {
    let mut count = 0;
    let _ = visit_selected(query, at, &mut |_| {
        count += 1;
        if count < limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    count
}

/// The node that a query selects, if it selects exactly one.
fn single_node<'v>(query: &model::Test, at: FilterContext<'v>) -> Option<Node<'v>> {
    let mut found = None;
    let flow = visit_selected(query, at, &mut |node| match found.replace(node) {
        None => ControlFlow::Continue(()),
        Some(_) => ControlFlow::Break(()),
    });
    found.filter(|_| flow.is_continue())
}

/// Receives the nodes of a query one by one, and decides whether the search continues.
type NodeVisitor<'f, 'v> = &'f mut dyn FnMut(Node<'v>) -> ControlFlow<()>;

/// Visits the nodes that a query selects, each as often as it is selected.
fn visit_selected<'v>(
    query: &model::Test,
    at: FilterContext<'v>,
    visit: NodeVisitor<'_, 'v>,
) -> ControlFlow<()> {
    match query {
        model::Test::RelQuery(segments) => follow(segments, at.node, at.document, visit),
        model::Test::AbsQuery(JpQuery { segments }) => {
            follow(segments, at.document.root(), at.document, visit)
        }
        model::Test::Function(_) => ControlFlow::Continue(()),
    }
}

/// Visits the nodes that segments select from `node`. Recurses no deeper than the document and the query.
fn follow<'v>(
    segments: &[Segment],
    node: Node<'v>,
    document: &FilterDocument<'v>,
    visit: NodeVisitor<'_, 'v>,
) -> ControlFlow<()> {
    let Some((first, rest)) = segments.split_first() else {
        return visit(node);
    };
    let descends = matches!(first, Segment::Descendant(_));
    for selector in selectors(first) {
        match selector {
            Selector::Name(name) => {
                if let Some(member) = document.member(node, name) {
                    follow(rest, member, document, visit)?;
                }
            }
            Selector::Index(index) => {
                if let Some(child) = document.element(node, *index) {
                    follow(rest, child, document, visit)?;
                }
            }
            Selector::Wildcard => {
                for child in document.children(node) {
                    follow(rest, child, document, visit)?;
                }
            }
            Selector::Slice(start, end, step) => {
                if node.kind() != ValueKind::Array {
                    continue;
                }
                let len = node.children().len();
                for (index, element) in node.children().enumerate() {
                    if in_slice(index, len, *start, *end, step.unwrap_or(1)) {
                        follow(rest, element, document, visit)?;
                    }
                }
            }
            // The check of the filter rejects it.
            Selector::Filter(_) => {}
        }
    }
    if descends {
        for child in document.children(node) {
            follow(segments, child, document, visit)?;
        }
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

/// Checks a filter, and compiles its regular expressions.
fn check(filter: &model::Filter, regexes: &mut Vec<FilterRegex>) -> Result<(), FilterError> {
    match filter {
        model::Filter::Or(filters) | model::Filter::And(filters) => {
            filters.iter().try_for_each(|filter| check(filter, regexes))
        }
        model::Filter::Atom(FilterAtom::Filter { expr, .. }) => check(expr, regexes),
        model::Filter::Atom(FilterAtom::Test { expr, .. }) => match &**expr {
            model::Test::Function(function) => match &**function {
                TestFunction::Length(_) | TestFunction::Count(_) | TestFunction::Value(_) => {
                    Err(NO_TEST)
                }
                function => check_function(function, regexes),
            },
            query => check_query(query),
        },
        model::Filter::Atom(FilterAtom::Comparison(comparison)) => {
            let (left, right) = comparison.vals();
            [left, right].into_iter().try_for_each(|side| match side {
                Comparable::Function(function) => check_function(function, regexes),
                Comparable::Literal(_) | Comparable::SingularQuery(_) => Ok(()),
            })
        }
    }
}

fn check_function(
    function: &TestFunction,
    regexes: &mut Vec<FilterRegex>,
) -> Result<(), FilterError> {
    match function {
        TestFunction::Length(value) => check_value(value, regexes),
        TestFunction::Count(nodes) | TestFunction::Value(nodes) => match nodes {
            FnArg::Test(test) if !matches!(**test, model::Test::Function(_)) => check_query(test),
            _ => Err(NO_QUERY),
        },
        TestFunction::Match(value, pattern) | TestFunction::Search(value, pattern) => {
            check_value(value, regexes)?;
            regexes.push(FilterRegex::new(function, pattern)?);
            if regexes.len() > MAX_REGEXES {
                return Err(TOO_MANY_REGEXES);
            }
            Ok(())
        }
        TestFunction::Custom(..) => Err(NO_STANDARD_FUNCTION),
    }
}

/// Checks an argument that is to be one value (RFC 9535, section 2.4.3).
fn check_value(argument: &FnArg, regexes: &mut Vec<FilterRegex>) -> Result<(), FilterError> {
    match argument {
        FnArg::Literal(_) => Ok(()),
        FnArg::Filter(_) => Err(LOGICAL_ARGUMENT),
        FnArg::Test(test) => match &**test {
            model::Test::Function(function) => match &**function {
                TestFunction::Match(..) | TestFunction::Search(..) => Err(LOGICAL_ARGUMENT),
                function => check_function(function, regexes),
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
    let (model::Test::RelQuery(segments) | model::Test::AbsQuery(JpQuery { segments })) = query
    else {
        return Ok(());
    };
    if segments.iter().any(has_filter) {
        Err(NESTED)
    } else if matches!(query, model::Test::AbsQuery(_)) && !is_singular(segments) {
        Err(FROM_ROOT)
    } else if descents(segments) > 1 {
        Err(DESCENTS)
    } else {
        Ok(())
    }
}

fn has_filter(segment: &Segment) -> bool {
    selectors(segment)
        .iter()
        .any(|selector| matches!(selector, Selector::Filter(_)))
}

fn descents(segments: &[Segment]) -> usize {
    segments
        .iter()
        .filter(|segment| matches!(segment, Segment::Descendant(_)))
        .count()
}

/// Whether a query selects at most one node (RFC 9535, section 2.3.5.1).
fn is_singular(segments: &[Segment]) -> bool {
    segments.iter().all(|segment| {
        matches!(
            segment,
            Segment::Selector(Selector::Name(_) | Selector::Index(_))
        )
    })
}

#[cfg(test)]
mod tests {
    use jsonpath_rust::parser::parse_json_path;

    use super::super::filter_regex::{FROM_BODY, MISTAKEN};
    use super::*;
    use sundown_text_json::json::Document;

    fn filter(text: &str) -> Result<Filter, FilterError> {
        let query = parse_json_path(&format!("$[?{text}]")).unwrap();
        match &query.segments[0] {
            Segment::Selector(Selector::Filter(filter)) => Filter::new(filter),
            other => panic!("{text} is no filter: {other:?}"),
        }
    }

    fn passes(tested: &str, node: &str, root: &str) -> bool {
        // The node is one more member of the root.
        let members = root.strip_prefix('{').unwrap();
        let comma = if members == "}" { "" } else { "," };
        let text = format!(r#"{{"@":{node}{comma}{members}"#);
        let document = Document::parse_first_value(&text, 9).unwrap();
        let node = document.root().get("@").unwrap();
        filter(tested)
            .unwrap()
            .holds(node, &FilterDocument::new(&document))
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
            assert!(
                passes("count(@..a) < 1 && 0 >= count(@.a)", node, "{}"),
                "{node}"
            );
        }
        assert!(passes("count(@.*) == 2", "[1,2]", "{}"));
    }

    #[test]
    fn of_members_with_one_name_a_filter_sees_the_last() {
        let node = r#"{"a":1,"b":0,"a":2}"#;
        assert!(passes(
            "@.a == 2 && length(@) == 2 && count(@.*) == 2",
            node,
            "{}"
        ));
    }
}
