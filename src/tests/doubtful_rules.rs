//! Rules that can never match are mistakes, and rules that are probably wrong are warnings: each with its place and a remedy.

use crate::builtin::LIBRARY;
use sundown_lint::rules::{RuleFile, RuleTable};

/// The messages about one rule: warnings if the file can be used, or else mistakes.
fn messages(rules: &str) -> (bool, Vec<String>) {
    let text = format!("api = 'Shop'\n{rules}");
    let (can_be_used, mistakes) = match RuleFile::parse("test.toml", &text) {
        Ok(file) => (
            true,
            file.doubts.map_or_else(Vec::new, |doubts| doubts.mistakes),
        ),
        Err(error) => (false, error.mistakes),
    };
    let line = |mistake: &sundown_files::toml_file::Mistake| {
        let place = text.get(mistake.span.clone()).unwrap_or_default();
        let help = mistake.help.as_deref().unwrap_or_default();
        assert!(!help.is_empty(), "{}", mistake.message);
        format!("{place}: {} ({help})", mistake.message)
    };
    (can_be_used, mistakes.iter().map(line).collect())
}

fn rule(operation: &str, keys: &str) -> String {
    format!("[[rule]]\nid = 'r'\noperation = '{operation}'\n{keys}\n")
}

#[test]
fn variables_in_other_notations_are_mistakes() {
    for path in ["/a/:id", "/a/<id>", "/a/<int:id>/b"] {
        let (can_be_used, messages) = messages(&rule(&format!("GET {path}"), ""));
        assert!(!can_be_used, "{path}");
        assert!(
            messages.len() == 1 && messages[0].contains("`{id}`"),
            "{messages:?}"
        );
    }
    for (path, own) in [
        ("/a/:id:run", "`{id}:run`"),
        ("/a/:id.json", "`{id}.json`"),
        ("/a/:user-id", "`{user-id}`"),
    ] {
        let (can_be_used, messages) = messages(&rule(&format!("GET {path}"), ""));
        assert!(!can_be_used && messages[0].contains(own), "{messages:?}");
    }
    for path in ["/a/{id}:run", "/a:run", "/a/b:id", "/a/:"] {
        assert_eq!(
            messages(&rule(&format!("GET {path}"), "")),
            (true, vec![]),
            "{path}"
        );
    }
}

#[test]
fn versions_before_the_oldest_one_are_warnings() {
    for version in ["v0.0", "0"] {
        let (can_be_used, messages) = messages(&rule(
            "GET /a",
            &format!("field = 'a'\nbefore = '{version}'"),
        ));
        assert!(can_be_used, "{version}");
        assert!(
            messages.len() == 1 && messages[0].contains("no version is before"),
            "{messages:?}"
        );
    }
    for version in ["v0.1", "2024-02-29", "20240229", "3"] {
        let rule = rule("GET /a", &format!("field = 'a'\nbefore = '{version}'"));
        assert_eq!(messages(&rule), (true, vec![]), "{version}");
    }
}

#[test]
fn unknown_methods_are_warnings() {
    let (can_be_used, messages) = messages(&rule("GETT /a", ""));
    assert!(can_be_used);
    assert_eq!(
        messages,
        ["'GETT /a': `GETT` is not a registered method of HTTP (did you mean `GET`?)"]
    );
    for method in ["get", "PROPFIND", "*"] {
        assert_eq!(
            self::messages(&rule(&format!("{method} /a"), "")).1,
            [""; 0],
            "{method}"
        );
    }
}

#[test]
fn a_path_in_place_of_a_name_is_a_warning() {
    for field in ["order.total", "$.order.total", "items[*].total"] {
        let (can_be_used, messages) = messages(&rule("GET /a", &format!("field = '{field}'")));
        assert!(can_be_used, "{field}");
        assert!(
            messages.len() == 1 && messages[0].contains("field = \"total\""),
            "{field}: {messages:?}"
        );
    }
    let named = "field = 'service.name'\nat = [\"$..['service.name']\"]";
    assert_eq!(messages(&rule("GET /a", named)), (true, vec![]));
}

#[test]
fn dates_that_contradict_each_other_are_a_warning() {
    let dates = "introduced = 2027-01-02\nremoval = 2027-01-01";
    let (can_be_used, messages) = messages(&rule("GET /a", dates));
    assert!(can_be_used);
    assert!(
        messages[0].starts_with("2027-01-01: `removal` is before `introduced`"),
        "{messages:?}"
    );
    let value =
        "field = 'a'\nvalues = [{ value = 'x', introduced = 2027-01-02, removal = 2027-01-01 }]";
    assert_eq!(self::messages(&rule("GET /a", value)).1.len(), 1);
    let same = "introduced = 2027-01-01\nremoval = 2027-01-01";
    assert_eq!(self::messages(&rule("GET /a", same)), (true, vec![]));
}

#[test]
fn two_rules_about_one_element_with_different_dates_are_a_warning() {
    let two = |first: &str, second: &str| {
        format!(
            "[[rule]]\nid = 'a'\noperation = 'GET /a/{{x}}'\n{first}\n[[rule]]\nid = 'b'\noperation = 'GET /a/{{y}}'\n{second}\n"
        )
    };
    let field = "field = 'total'\nremoval = 2027-01-01";
    let (can_be_used, messages) = messages(&two(field, "field = 'total'\nremoval = 2027-01-02"));
    assert!(can_be_used);
    assert!(
        messages[0].starts_with("'b': `a` is about the same element"),
        "{messages:?}"
    );
    assert_eq!(self::messages(&two(field, "field = 'total'")).1.len(), 1);
    for other in [
        field.to_owned(),
        "field = 'totals'".to_owned(),
        "field = 'total'\nat = ['$.total']".to_owned(),
        "field = 'total'\nsides = ['request']".to_owned(),
        "field = 'total'\nvalue = 'x'".to_owned(),
        "field = 'total'\nwhen = { field = 'kind', value = 'x' }".to_owned(),
        "parameter = 'total'".to_owned(),
    ] {
        assert_eq!(
            self::messages(&two(field, &other)),
            (true, vec![]),
            "{other}"
        );
    }
}

#[test]
fn a_selector_that_is_excluded_as_a_whole_is_a_mistake() {
    let with = |opaque: &str, keys: &str| {
        messages(&format!(
            "opaque = [{opaque}]\n{}",
            rule("GET /a", &format!("field = 'total'\n{keys}"))
        ))
    };
    for (opaque, keys, excludes) in [
        ("", "except = ['$..total']", "except"),
        (
            "",
            "at = ['$.order.total']\nexcept = ['$.*.total']",
            "except",
        ),
        ("'$.meta'", "at = ['$.meta.total']", ""),
        (
            "'$..meta'",
            "at = ['$.meta.total', '$.meta.x.total']\nexcept = ['$..x.total']",
            "except",
        ),
        ("'$..*'", "at = ['$.*.total']", "opaque"),
    ] {
        let (can_be_used, messages) = with(opaque, keys);
        assert_eq!(can_be_used, excludes.is_empty(), "{keys}: {messages:?}");
        if !excludes.is_empty() {
            assert!(
                messages[0].contains(&format!("`{excludes}` excludes everything")),
                "{messages:?}"
            );
        }
    }
    for keys in [
        "except = ['$.total']",
        "except = ['$..live.total']",
        "at = ['$.items[*].total']\nexcept = ['$.items[0].total']",
        "at = ['$.*.total']\nexcept = ['$.live.total']",
        "at = [\"$['a','b'].total\"]\nexcept = ['$.a.total']",
        "at = [\"$[?@.x].total\"]\nexcept = ['$.a.total']",
    ] {
        assert_eq!(with("", keys), (true, vec![]), "{keys}");
    }
}

#[test]
fn hosts_with_a_scheme_are_mistakes() {
    let (can_be_used, messages) = messages(&format!(
        "hosts = ['https://api.test']\n{}",
        rule("GET /a", "")
    ));
    assert!(!can_be_used);
    assert!(messages[0].contains("neither a scheme"), "{messages:?}");
}

#[test]
fn built_in_tables_and_packs_have_no_warnings() {
    let tables = LIBRARY.deprecations.iter().chain(LIBRARY.contracts);
    let tables = tables.map(|table| table.text);
    let packs = LIBRARY.packs.iter().flat_map(|pack| pack.tables);
    for text in tables.chain(packs.copied()) {
        let file = RuleFile::parse("table", text).unwrap();
        assert!(file.doubts.is_none(), "{:?}", file.doubts);
        RuleTable::new(vec![file]).unwrap();
    }
}
