//! The book's reference is generated from the program's own tables: checks, reasons, formats, configuration keys. The pages are in
//! `docs/reference`, and those of the built-in tables beside them in `rules`. A page that differs from the tables is an error.
//!
//! `UPDATE_BOOK=1 cargo test --lib book` writes them again.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::support::{builtin, repository, text};
use crate::builtin::LIBRARY;
use sundown_captures::{Format, Piece, log_shapes};
use sundown_exchange::{Reason, SkipKind};
use sundown_lint::findings::Check;
use sundown_lint::rules::{Rule, RuleSet};
use sundown_run::config::{ConfigKey, KeyType, SETTINGS, TABLES};
use sundown_run::{MessagePlaces, RequirementPage, RuleLocations, RulePage};
use sundown_text_json::text::markdown::{code, code_cell, plain, prose};

/// The folders of the pages. All Markdown in them is generated.
const FOLDERS: [&str; 2] = ["docs/reference", "rules"];

/// The titles of the pages of the built-in tables.
const TITLES: [(&str, &str); 5] = [
    ("client-api", "Rules of the Client API"),
    ("indexing-api", "Rules of the Indexing API"),
    ("beyond-reference", "Rules beyond the published list"),
    ("client-contract", "The contract of the Client API"),
    ("indexing-contract", "The contract of the Indexing API"),
];

/// All pages, by their paths.
fn pages() -> BTreeMap<String, String> {
    let table = builtin();
    let of_rules = LIBRARY
        .deprecations
        .iter()
        .map(|own| (format!("rules/{}.md", own.name), rules(own.name, &table)));
    let of_contract = LIBRARY.contracts.iter().map(|own| {
        let table = RuleSet::new(vec![own.load().unwrap()]).unwrap();
        (
            format!("rules/{}.md", own.name),
            requirements(own.name, &table),
        )
    });
    let others = [
        ("checks.md", checks()),
        ("not-checked.md", not_checked()),
        ("configuration.md", configuration()),
        ("formats.md", formats()),
        ("log-shapes.md", log_shapes_page()),
    ];
    let others = others.map(|(name, page)| (format!("docs/reference/{name}"), page));
    of_rules
        .into_iter()
        .chain(of_contract)
        .chain(others)
        .collect()
}

fn opening(title: &str, source: &str) -> String {
    format!(
        "<!-- Generated from {source} by `UPDATE_BOOK=1 cargo test --lib book`. -->\n\n# {title}\n\n"
    )
}

/// The title of the page of a table.
fn title(name: &str) -> &str {
    let entry = TITLES.iter().find(|(table, _)| *table == name);
    entry.map_or(name, |(_, title)| title)
}

/// The page of one built-in table.
fn rules(name: &str, table: &RuleSet) -> String {
    let rules = table.rules().iter();
    let rules: Vec<_> = rules
        .filter(|rule| table.file(rule.file).name == name)
        .collect();
    let api = &table.file(rules[0].file).api;
    let mut page = opening(title(name), &format!("`rules/{name}.toml`"));
    let _ = write!(
        page,
        "Rules about the {}; `--without-table {name}` leaves them out of a run. `sundown explain ID` shows the same for a \
         rule, and how many days are left.\n\n| rule | element | announced for | works through |\n|---|---|---|---|\n",
        plain(api)
    );
    for rule in &rules {
        let element = rule
            .element
            .name()
            .map_or("whole endpoint".to_owned(), code_cell);
        let announced = rule
            .announced
            .as_ref()
            .map(|operation| code_cell(&operation.to_string()));
        let removal = rule.removal.map(|date| date.to_string());
        let _ = writeln!(
            page,
            "| [{id}](#{id}) | {element} | {} | {} |",
            announced.unwrap_or_default(),
            removal.unwrap_or_default(),
            id = rule.id
        );
    }
    for own in rules {
        assert!(
            table.users_of_properties(own).is_empty(),
            "the reference pages cannot describe schemas"
        );
        rule(&own.id, &RulePage::new(table, own, until), &mut page);
    }
    page
}

/// Describes the last day of an element, independent of the current day.
fn until(rule: &Rule) -> String {
    let through = |date| format!("works through {date} (to the end of that day in UTC)");
    rule.removal
        .map_or_else(|| "no date announced".to_owned(), through)
}

fn rule(id: &str, page: &RulePage, text: &mut String) {
    let _ = write!(text, "\n## {id}\n\n");
    for (name, fact) in &page.facts {
        let fact = match *name {
            "Use instead" | "Rename to" if !fact.contains(' ') => code(fact),
            "Read more" => format!("<{fact}>"),
            _ => prose(fact),
        };
        let _ = writeln!(text, "- **{name}**: {fact}");
    }
    let (before, after) = (code(&page.example.before), code(&page.example.after));
    let _ = writeln!(
        text,
        "- **Before**: {before}\n- **After**: {after}\n\nLocations:\n"
    );
    for group in &page.locations {
        let _ = writeln!(text, "- {}", location(group));
    }
    for exception in &page.exceptions {
        let _ = writeln!(text, "- never {}", code(exception));
    }
}

fn location(group: &RuleLocations) -> String {
    let operations = codes(&group.operations);
    let announced = if group.is_announced {
        " (announced)"
    } else {
        ""
    };
    let place =
        |place: &MessagePlaces| format!("{} in the {}", codes(&place.selectors), place.sides);
    let places: Vec<_> = group.places.iter().map(place).collect();
    let places = if places.is_empty() {
        String::new()
    } else {
        format!(": {}", places.join("; "))
    };
    format!("{operations}{announced}{places}")
}

fn codes(texts: &[impl AsRef<str>]) -> String {
    texts
        .iter()
        .map(|text| code(text.as_ref()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The page of one built-in table of requirements.
fn requirements(name: &str, table: &RuleSet) -> String {
    let required = table.requirements().unwrap();
    let mut page = opening(title(name), &format!("`rules/{name}.toml`"));
    let _ = writeln!(
        page,
        "What the reference of the {} states beyond deprecations, as far as traffic shows it. `sundown check --contract` checks \
         it; `--without-table {name}` leaves this table out. `sundown explain ID` shows the same for one requirement. [Writing \
         rules](../docs/rules.md#requirements) says what a capture must have for it.",
        plain(&table.file(0).api)
    );
    let own = required.rules().iter();
    let own = own
        .filter(|rule| required.file(rule.file).name == name)
        .map(|rule| RequirementPage::new(required, rule).unwrap());
    for requirement in own {
        let RequirementPage {
            id,
            facts,
            violates,
            fits,
        } = requirement;
        let _ = write!(page, "\n## {id}\n\n");
        for (name, fact) in facts {
            let _ = writeln!(page, "- **{name}**: {}", prose(&fact));
        }
        let _ = writeln!(page, "- **Violates**: {}", code(&violates));
        let _ = writeln!(page, "- **Fits**: {}", code(&fits));
    }
    page
}

/// The checks other than uses of rules.
fn checks() -> String {
    let mut text = opening("Checks", "`crates/lint/src/findings/check.rs`");
    text.push_str(
        "The checks of an OpenAPI description that is [passed to `sundown check`](../descriptions.md), and last the checks of \
         traffic that [announces deprecations](../formats.md#deprecations-that-traffic-announces) or violates \
         [requirements](../rules.md#requirements), and that of [source code](../result.md#mentioned-in-source). `sundown explain NAME` \
         prints one of these sections.\n",
    );
    for check in Check::ALL {
        let page = check.page();
        let _ = write!(text, "\n## {}\n\n", check.id());
        for (name, fact) in [
            ("What", page.what),
            ("Why", page.why),
            ("Severity", page.severity),
            ("Reported to", page.who),
            ("What to do", page.remedy),
            ("Mind", page.limits),
        ] {
            let _ = writeln!(text, "- **{name}**: {}", prose(&fact));
        }
    }
    text
}

/// The input formats, with a table for each family.
fn formats() -> String {
    let mut text = opening("Formats of files", "`crates/captures/src`");
    text.push_str(
        "What is read of each format, and what is not. `sundown formats` prints the same, and how each is recognised. [Input \
         formats](../formats.md) says how to check such files.\n",
    );
    let mut family = None;
    for spec in Format::by_family().into_iter().map(Format::spec) {
        if family.replace(spec.family) != Some(spec.family) {
            let _ = write!(
                text,
                "\n## {}\n\n| format | what is read | limits |\n|---|---|---|\n",
                spec.family.heading()
            );
        }
        let reads = match spec.reads {
            "" => spec.title.to_owned(),
            reads => format!("{}: {reads}", spec.title),
        };
        let _ = writeln!(text, "| `{}` | {reads} | {} |", spec.name, spec.limits);
    }
    text
}

/// The positions of the parts of an exchange in the records of known logs.
fn log_shapes_page() -> String {
    let mut text = opening("Log record layouts", "`crates/captures/shapes`");
    text.push_str(
        "The members of a record that hold the parts of an exchange, for [logs in JSON](../formats.md#logs). A record has the \
         first layout of which it has the method and the URL, and also one of the members that identify the layout, if there are \
         any. If a part has several names, the first that is present applies. A dot is a nested member, a dot in a name, or \
         both; attributes may be an object, or a list of `key` and `value`. A part that a layout does not name is read from the \
         names that most other layouts use.\n",
    );
    for shape in log_shapes() {
        let _ = write!(text, "\n## {}\n\n", plain(&shape.title));
        let mut signs: Vec<_> = shape.when.iter().map(|(name, _)| &**name).collect();
        signs.dedup();
        if !signs.is_empty() {
            let _ = write!(text, "Identified by one of {}.\n\n", codes(&signs));
        }
        if !shape.formats.is_empty() {
            text.push_str("Lines in one of these formats:\n\n");
            for format in &shape.formats {
                let _ = writeln!(text, "- `{format}`");
            }
            continue;
        }
        text.push_str("| part | names |\n|---|---|\n");
        let pieces = Piece::ALL.iter();
        let pieces = pieces.map(|piece| (piece.title(), shape.names(*piece)));
        for (piece, names) in [("records", &*shape.records)].into_iter().chain(pieces) {
            let names: Vec<_> = names.iter().map(|name| &**name).collect();
            if !names.is_empty() {
                let _ = writeln!(text, "| {piece} | {} |", codes(&names));
            }
        }
    }
    text
}

/// Why something was not checked.
fn not_checked() -> String {
    let mut text = opening("What was not checked", "`crates/exchange/src/skip.rs`");
    text.push_str(
        "Everything that is not checked is counted and reported with one of these reasons. Machine formats have the reason's \
         name under `reason`, and its kind under `kind`.\n",
    );
    let kinds = [
        (
            SkipKind::Failed,
            "Failed",
            "Input that should have been checked and could not be. With `--strict`, each of these makes the exit code 2.",
        ),
        (
            SkipKind::Unrelated,
            "Unrelated",
            "Input that has nothing to check, which is normal.",
        ),
    ];
    for (kind, title, meaning) in kinds {
        let _ = write!(
            text,
            "\n## {title}\n\n{meaning}\n\n| reason | what it was | what to do |\n|---|---|---|\n"
        );
        for reason in Reason::all().filter(|reason| reason.kind() == kind) {
            let (name, what, help) = (code_cell(reason.name()), reason.text(), reason.help());
            let _ = writeln!(text, "| {name} | {} | {} |", prose(what), prose(help));
        }
    }
    text
}

/// The keys of a configuration.
fn configuration() -> String {
    let mut text = opening(
        "Configuration keys",
        "`crates/run/src/config/settings.toml`",
    );
    text.push_str(
        "Every key that a configuration may have. [Configuration](../configuration.md) says where the file is, \
         and `sundown schema config` prints its JSON Schema for editors. Any other \
         key is a mistake; the message names the closest key, or all keys. Top-level keys come before the first table.\n",
    );
    let settings: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
    keys(&settings, "", &mut text);
    keys(&TABLES, "", &mut text);
    text
}

/// The section of each of these keys; `path` is their table.
fn keys(keys: &[ConfigKey], path: &str, text: &mut String) {
    for key in keys {
        let name = format!("{path}{}", key.name);
        let level = if path.is_empty() { "##" } else { "###" };
        let default = key
            .default
            .map_or_else(|| "none; it is required".to_owned(), value);
        let _ = write!(
            text,
            "\n{level} {}\n\n{}\n\n- type: {}\n- default: {default}\n",
            code(&name),
            key.doc,
            type_words(key.key_type)
        );
        match key.key_type {
            KeyType::Tables(inner) => {
                let _ = write!(text, "\n```toml\n{}```\n", example(key));
                self::keys(inner, &format!("{name}."), text);
            }
            _ if path.is_empty() => {
                let _ = write!(text, "\n```toml\n{}```\n", example(key));
            }
            // The example alone is not a configuration: it may need other keys of its table.
            _ => {
                let _ = writeln!(
                    text,
                    "- for example {}",
                    code(&format!("{} = {}", key.name, key.example))
                );
            }
        }
    }
}

/// Formats a default as code if it is TOML, else as prose.
fn value(default: &str) -> String {
    let is_toml = format!("x = {default}").parse::<toml::Table>().is_ok();
    if is_toml {
        code(default)
    } else {
        prose(default)
    }
}

fn type_words(key_type: KeyType) -> String {
    let strings = |names: &[&str]| {
        codes(
            &names
                .iter()
                .map(|name| format!("\"{name}\""))
                .collect::<Vec<_>>(),
        )
    };
    match key_type {
        KeyType::Text | KeyType::Path => "a string".to_owned(),
        KeyType::Texts | KeyType::Paths | KeyType::Outputs => "a list of strings".to_owned(),
        KeyType::OneOrMore => "a string or a list of strings".to_owned(),
        KeyType::OneOf(names) => format!("one of {}", strings(names)),
        KeyType::Levels | KeyType::Factor | KeyType::Days => "a whole number".to_owned(),
        KeyType::Boolean => "`true` or `false`".to_owned(),
        KeyType::Date => "a date".to_owned(),
        KeyType::Named(names) => format!("a table of names, each with one of {}", strings(names)),
        KeyType::Tables(_) => "a list of tables with the keys below".to_owned(),
    }
}

/// An example file section with the key.
fn example(key: &ConfigKey) -> String {
    match key.key_type {
        KeyType::Tables(inner) => {
            let inner: String = inner.iter().map(example).collect();
            format!("[[{}]]\n{inner}", key.name)
        }
        KeyType::Named(_) => format!("[{}]\nchat-citations = {}\n", key.name, key.example),
        _ => format!("{} = {}\n", key.name, key.example),
    }
}

#[test]
fn the_reference_pages_are_up_to_date() {
    let pages = pages();
    if std::env::var_os("UPDATE_BOOK").is_some() {
        for (path, page) in &pages {
            std::fs::write(repository(path), page).unwrap();
        }
    }
    for (path, page) in &pages {
        assert!(
            text(path) == *page,
            "{path} is out of date: UPDATE_BOOK=1 cargo test --lib book"
        );
    }
    let entries = FOLDERS.map(|folder| std::fs::read_dir(repository(folder)).unwrap());
    for entry in entries.into_iter().flatten() {
        let path = entry.unwrap().path();
        let is_page = path.extension().is_some_and(|ending| ending == "md");
        let name = path.strip_prefix(repository("")).unwrap();
        let name = name.to_str().unwrap().replace('\\', "/");
        assert!(
            !is_page || pages.contains_key(&name),
            "{name} has no source: delete it"
        );
    }
}

#[test]
fn markup_from_rule_tables_is_escaped() {
    let rule = "api = '<b>'\n[[rule]]\nid = 'x'\noperation = 'POST /x'\nfield = 'a`|b'\nnote = '[x](y) <i> | _z_'\nreplacement = '**x** y'\nremoval = 2027-01-15\n";
    let file = sundown_lint::rules::RuleFile::parse("test", rule).unwrap();
    let page = rules("test", &RuleSet::new(vec![file]).unwrap());
    for escaped in [
        "Rules about the \\<b\\>;",
        "| ``a`\\|b`` |",
        "\\[x\\](y) \\<i\\> \\| \\_z\\_",
        "\\*\\*x\\*\\* y",
    ] {
        assert!(page.contains(escaped), "{escaped}\n{page}");
    }
    assert!(page.contains("works through 2027-01-15 (to the end of that day in UTC)"));
}
