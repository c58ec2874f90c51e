//! The paths of operations as templates of calls: with the segments of variables that may hold slashes.

use std::fmt::Write as _;

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::{DescribedOperation, Description, OperationRole, ParameterLocation};

/// The most templates of one path, and of one variable.
const MAX_TEMPLATES: usize = 64;

/// The namespace of Microsoft Graph, after a slash.
const NAMESPACE: &str = "/microsoft.graph.";

impl Description {
    /// The templates of an operation's path. A variable whose pattern has slashes has a template of its own:
    /// `/v1/{name=shops/*}`. There is none if a fragment of the path names no header field with its value.
    pub fn path_templates(&self, operation: &DescribedOperation) -> Vec<String> {
        let mut templates = vec![String::new()];
        let mut rest = operation.path.as_str();
        let mut is_after_variable = false;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, after)) = after.split_once('}') else {
                break;
            };
            rest = after;
            add_text(&mut templates, before);
            // RFC 6570: a query or a fragment that a call may have.
            if inside.starts_with(['?', '&', '#']) {
                continue;
            }
            let is_adjacent = is_after_variable && before.is_empty();
            is_after_variable = true;
            // Two variables without text between them are one text.
            if !is_adjacent {
                let variants = self.variants(operation, inside);
                templates = templates
                    .iter()
                    .flat_map(|template| variants.iter().map(move |one| format!("{template}{one}")))
                    .take(MAX_TEMPLATES)
                    .collect();
            }
        }
        add_text(&mut templates, rest);
        // Calls may leave out the namespace of functions and actions (OData 4.01, section 4.5).
        let qualified = templates.iter().filter(|one| one.contains(NAMESPACE));
        let plain: Vec<_> = qualified.map(|one| one.replace(NAMESPACE, "/")).collect();
        templates.extend(plain);
        templates
            .iter()
            .filter_map(|template| self.without_open_query(operation, template))
            .collect()
    }

    /// The forms in which a variable is written: with its own template, or with its name alone.
    fn variants(&self, operation: &DescribedOperation, variable: &str) -> Vec<String> {
        let name: String = variable.split_whitespace().collect();
        let bare = name.trim_start_matches(['*', '+']).trim_end_matches('+');
        // `{proxy+}` and `{*path}` are the forms of gateways and web frameworks.
        if bare.len() < name.len() {
            return vec![format!("{{+{bare}}}")];
        }
        let mut parameters = operation
            .parameters
            .iter()
            .filter_map(|&id| self.parameter(id));
        let pattern = parameters
            .find(|one| one.location == ParameterLocation::Path && one.name == variable)
            .and_then(|parameter| parameter.pattern.as_deref());
        let templates = pattern.map(value_templates).unwrap_or_default();
        if templates.is_empty() {
            return vec![format!("{{{name}}}")];
        }
        let encoded = templates
            .iter()
            .filter(|template| template.contains('/'))
            .map(|template| template.replace('/', "%2F").replace("**", "*"));
        let all = templates.iter().cloned().chain(encoded);
        all.map(|template| format!("{{{name}={template}}}"))
            .collect()
    }

    /// A template without the parameters that may have any value, unless they distinguish it from another operation.
    fn without_open_query(&self, operation: &DescribedOperation, template: &str) -> Option<String> {
        let (whole, fragment) = template.split_once('#').unwrap_or((template, ""));
        if fragment
            .split('&')
            .any(|field| !field.is_empty() && !field.contains('='))
        {
            return None;
        }
        let Some((path, query)) = whole.split_once('?') else {
            return Some(template.to_owned());
        };
        let own = without_query(&operation.path);
        let is_distinguished = self.operations().iter().any(|other| {
            other.role == OperationRole::Served
                && other.node != operation.node
                && other.method == operation.method
                && without_query(&other.path) == own
        });
        let pairs: Vec<&str> = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .filter(|pair| {
                let value = pair.split_once('=').map_or("", |(_, value)| value);
                is_distinguished || !value.contains('{')
            })
            .collect();
        let mark = if pairs.is_empty() { "" } else { "?" };
        let pairs = pairs.join("&");
        let hash = if fragment.is_empty() { "" } else { "#" };
        Some(format!("{path}{mark}{pairs}{hash}{fragment}"))
    }
}

/// A path without its query and fragment.
fn without_query(path: &str) -> Option<&str> {
    path.split(['?', '#']).next()
}

fn add_text(templates: &mut [String], text: &str) {
    let text = text.replace(char::is_whitespace, "%20");
    for template in templates {
        template.push_str(&text);
    }
}

/// The values that a pattern allows, as templates with `*` and `**`; none if it allows no slash, or is not understood.
fn value_templates(pattern: &str) -> Vec<String> {
    let names_slash = pattern.replace("[^/]", "").contains('/');
    let mut templates = regex_syntax::parse(pattern)
        .ok()
        .and_then(|hir| alternatives(&hir, names_slash))
        .unwrap_or_default();
    if !templates.iter().any(|template| may_have_slash(template)) {
        return Vec::new();
    }
    templates.sort();
    templates.dedup();
    templates
}

/// The texts that an expression matches, as templates; `None` if they are too many.
fn alternatives(hir: &Hir, names_slash: bool) -> Option<Vec<String>> {
    let found = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(text) => {
            vec![escaped(std::str::from_utf8(&text.0).ok()?)]
        }
        HirKind::Class(_) => vec!["*".to_owned()],
        HirKind::Capture(inside) => alternatives(&inside.sub, names_slash)?,
        HirKind::Alternation(all) => {
            let all: Option<Vec<_>> = all
                .iter()
                .map(|one| alternatives(one, names_slash))
                .collect();
            all?.concat()
        }
        HirKind::Concat(all) => {
            let mut whole = vec![String::new()];
            for one in all {
                let next = alternatives(one, names_slash)?;
                let joined = whole
                    .iter()
                    .flat_map(|begin| next.iter().map(move |end| joined(begin, end)));
                whole = joined.take(MAX_TEMPLATES + 1).collect();
            }
            whole
        }
        HirKind::Repetition(repeated) => {
            if let HirKind::Class(class) = repeated.sub.kind() {
                // A dot with a maximum limits the length of what has no slash.
                let is_any = has(class, '\0') && repeated.max.is_none();
                let may_have_slash = has(class, '/') && (names_slash || is_any);
                let part = if may_have_slash { "**" } else { "*" };
                return Some(vec![part.to_owned()]);
            }
            let inside = alternatives(&repeated.sub, names_slash)?;
            match (repeated.min, repeated.max) {
                (1, Some(1)) => inside,
                (0, Some(1)) => [vec![String::new()], inside].concat(),
                _ if !inside.iter().any(|one| may_have_slash(one)) => {
                    vec!["*".to_owned()]
                }
                _ => vec!["**".to_owned()],
            }
        }
    };
    (found.len() <= MAX_TEMPLATES).then_some(found)
}

fn may_have_slash(template: &str) -> bool {
    template.contains('/') || template.contains("**")
}

fn has(class: &Class, character: char) -> bool {
    match class {
        Class::Unicode(class) => class
            .iter()
            .any(|range| (range.start()..=range.end()).contains(&character)),
        Class::Bytes(_) => false,
    }
}

/// Joins templates. Parts of any text that follow each other are one.
fn joined(begin: &str, end: &str) -> String {
    let head = begin.trim_end_matches('*');
    let tail = end.trim_start_matches('*');
    let stars = (begin.len() - head.len()).max(end.len() - tail.len());
    format!("{head}{}{tail}", "*".repeat(stars))
}

/// Writes a text as a template that matches nothing else.
fn escaped(text: &str) -> String {
    let mut template = String::new();
    for character in text.chars() {
        match character {
            '%' | '*' | '{' | '}' | '?' | '#' | ' ' => {
                let _ = write!(template, "%{:02X}", u32::from(character));
            }
            _ => template.push(character),
        }
    }
    template
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_with_slashes_is_a_template() {
        for (pattern, templates) in [
            ("shops/[^/]+/orders/[^/]+", &["shops/*/orders/*"][..]),
            ("^shops/[^/]+$", &["shops/*"]),
            (r"^(?:shops|stores)\/\w+$", &["shops/*", "stores/*"]),
            ("^a(/b)?/[a-z]{1,3}-[0-9]+$", &["a/*-*", "a/b/*-*"]),
            (".+", &["**"]),
            ("^projects/.+$", &["projects/**"]),
            ("^[a-z]+(/[a-z]+)*$", &["**"]),
            ("^[A-Za-z0-9/_-]+$", &["**"]),
            ("^[^/]+$", &[]),
            ("^[a-z0-9-]+$", &[]),
            ("^.{1,64}$", &[]),
            (r"^\S+$", &["**"]),
            ("^(?!a/)b$", &[]),
        ] {
            assert_eq!(value_templates(pattern), templates, "{pattern}");
        }
    }
}
