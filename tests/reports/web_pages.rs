//! The reports that are web pages: each is one file that loads nothing, and no text of an input is markup in it.
//!
//! `scripts/validate-page.sh` opens them in a browser; these tests cover what can be seen in the text.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use insta::assert_snapshot;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::reports;
use crate::support::{Desk, text};
use crate::usage;

/// The elements without an end tag.
const VOID: [&str; 4] = ["meta", "link", "br", "input"];

/// A start tag of a page.
struct Tag<'p> {
    name: &'p str,
    attributes: Vec<(&'p str, &'p str)>,
}

/// Reads the tags of a page, and holds that each is complete and is closed.
fn tags(page: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut open = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').unwrap();
        rest = after;
        assert!(!tag.contains('<'), "a tag in a tag: {tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim_end()));
            continue;
        }
        let is_closed = tag.ends_with('/');
        let tag = parse_tag(tag.trim_end_matches('/'));
        if ["style", "script"].contains(&tag.name) {
            rest = &rest[rest.find("</").unwrap()..];
        }
        if !is_closed && !VOID.contains(&tag.name) {
            open.push(tag.name);
        }
        tags.push(tag);
    }
    assert!(open.is_empty(), "{open:?}");
    tags
}

fn parse_tag(tag: &str) -> Tag<'_> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    while !rest.trim().is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let value = after
            .strip_prefix("=\"")
            .and_then(|after| after.split_once('"'));
        attributes.push((name, value.map_or("", |(value, _)| value)));
        rest = value.map_or(after, |(_, after)| after).trim_start();
    }
    Tag { name, attributes }
}

/// The style and the script of every page.
const STYLE: &str = include_str!("../../crates/report/src/html/page.css");
const SCRIPT: &str = include_str!("../../crates/report/src/html/page.js");

/// The page without its style and its script, which are files of the repository.
pub(crate) fn without_assets(page: &str) -> String {
    let hash = |content: &str| STANDARD.encode(Sha256::digest(content));
    page.replace(&format!("<style>{STYLE}</style>"), "[style]")
        .replace(&format!("<script>{SCRIPT}</script>"), "[script]")
        .replace(&hash(STYLE), "[hash]")
        .replace(&hash(SCRIPT), "[hash]")
        .replace(env!("CARGO_PKG_VERSION"), "[version]")
}

fn usage_page(arguments: &[&str]) -> String {
    usage::usage(
        &usage::desk(),
        &[&["log.ndjson", "--format", "html"], arguments].concat(),
    )
    .stdout
}

fn check_page() -> String {
    let arguments = ["check", ".", "--rules", "things.toml", "--format", "html"];
    reports::desk().run(&arguments).stdout
}

/// A user agent, and names of keys, that would be markup.
const MARKUP: &str =
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"' onload=alert(1) \u{202e}\u{0}";

fn hostile_usage_page() -> String {
    let log = json!({
        "time": "2026-11-01T00:00:00Z", "method": "POST", "url": "/v1/orders",
        "request": {"headers": {"User-Agent": format!("a/{MARKUP}"), "X-Team": MARKUP}, "body": {"legacyId": 1}},
        "service": {"name": MARKUP},
    });
    let rules = r#"
        api = "<b>x</b>"
        [[rule]]
        id = "legacy-id"
        operation = "POST /v1/orders"
        field = "legacyId"
        replacement = "<img src=x>"
        [[rule]]
        id = "field"
        operation = "POST /v1/orders"
        field = "</td><script>alert(1)</script>"
    "#;
    let desk = Desk::new().with("rules.toml", rules).with(
        "<img src=x>.ndjson",
        format!("{log}\n{{\"method\": \"POST\", \"url\": \"/v1/orders\", \"body\": {{"),
    );
    let by = [
        "--by",
        "user-agent",
        "--by",
        "header:x-team",
        "--by",
        "file",
        "--by",
        "member:service.name",
    ];
    let arguments = [
        &[".", "--format", "html", "--show-callers", "--called-only"],
        &by[..],
    ]
    .concat();
    usage::usage(&desk, &arguments).stdout
}

fn pages() -> [String; 4] {
    [
        check_page(),
        usage_page(&["--by", "user-agent"]),
        usage_page(&[]),
        hostile_usage_page(),
    ]
}

#[test]
fn the_usage_of_a_log_as_a_page() {
    assert_snapshot!(
        "usage_page",
        without_assets(&usage_page(&["--by", "user-agent"]))
    );
}

#[test]
fn a_page_loads_nothing_and_runs_its_own_script_only() {
    for page in pages() {
        let tags = tags(&page);
        for Tag { name, attributes } in &tags {
            for (attribute, value) in attributes {
                assert!(
                    !attribute.starts_with("on") && *attribute != "style",
                    "{name} {attribute}"
                );
                let is_local = value.starts_with('#') || *value == "data:,";
                let is_link = *name == "a" && value.starts_with("https://");
                assert!(
                    !["href", "src", "action"].contains(attribute) || is_local || is_link,
                    "{name} {value}"
                );
            }
        }
        let count = |name: &str| tags.iter().filter(|tag| tag.name == name).count();
        assert_eq!(
            (
                count("style"),
                count("script"),
                count("img"),
                count("iframe")
            ),
            (1, 1, 0, 0)
        );
        let hash = |content: &str| STANDARD.encode(Sha256::digest(content));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        assert!(page.contains(&format!(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
        )));
    }
}

#[test]
fn every_link_leads_to_one_place() {
    for page in pages() {
        let tags = tags(&page);
        let values = |wanted: &'static str| {
            let attributes = tags.iter().flat_map(|tag| &tag.attributes);
            attributes
                .filter(move |(name, _)| *name == wanted)
                .map(|(_, value)| *value)
        };
        let ids: Vec<_> = values("id").collect();
        let known: HashSet<_> = ids.iter().copied().collect();
        assert_eq!(ids.len(), known.len(), "an id is not unique");
        let links: Vec<_> = values("href")
            .filter_map(|href| href.strip_prefix('#'))
            .collect();
        assert!(links.len() > 5);
        for link in links {
            assert!(known.contains(link), "no place has the id {link}");
        }
    }
}

#[test]
fn names_from_inputs_are_text() {
    let page = hostile_usage_page();
    tags(&page);
    let content = without_assets(&page);
    for markup in ["<script>alert", "<img", "<b>", "\u{202e}", "\u{0}"] {
        assert!(!content.contains(markup), "{markup}: {content}");
    }
    for text in [
        "&lt;script&gt;alert(1)",
        "&lt;img src=x&gt;.ndjson",
        "\\u{202e}",
        "could not be",
    ] {
        assert!(content.to_lowercase().contains(text), "{text}: {content}");
    }
}

#[test]
fn anchors_do_not_change_with_the_report() {
    let one = usage_page(&["--by", "user-agent"]);
    let other = usage_page(&[
        "--by",
        "user-agent",
        "--rule",
        "legacy-id",
        "--since",
        "2026-10-01",
    ]);
    let anchor = |page: &str, kind: &str, name: &str| {
        let before = page.split_once(&format!("\">{name}")).unwrap().0;
        let anchor = before.rsplit_once('#').unwrap().1.to_owned();
        assert!(anchor.starts_with(kind), "{anchor}");
        anchor
    };
    for (kind, name) in [("c-", "billing/1</a>"), ("e-", "<code>legacy-id</code>")] {
        assert_eq!(anchor(&one, kind, name), anchor(&other, kind, name));
    }
}

#[test]
fn the_page_says_how_to_identify_callers() {
    let page = usage_page(&[]);
    assert!(
        page.contains("Callers were not counted.") && page.contains("<code>--by user-agent</code>")
    );
    assert!(!usage_page(&["--by", "file"]).contains("Callers were not counted."));
}

/// Each of them uses each of the fields once.
fn many(callers: usize, fields: usize) -> String {
    let names: Vec<_> = (0..fields).map(|index| format!("f{index}")).collect();
    let rule = |name: &String| {
        format!("[[rule]]\nid = '{name}'\noperation = 'POST /x'\nfield = '{name}'\n")
    };
    let rules = "api = 'x'\n".to_owned() + &names.iter().map(rule).collect::<String>();
    let body: serde_json::Map<_, _> = names.iter().map(|name| (name.clone(), json!(1))).collect();
    let call = |caller: usize| {
        let headers = json!({"User-Agent": format!("caller-{caller}/1")});
        json!({"method": "POST", "url": "/x", "request": {"headers": headers, "body": body}})
            .to_string()
            + "\n"
    };
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("a.ndjson", (0..callers).map(call).collect::<String>());
    usage::usage(
        &desk,
        &["a.ndjson", "--by", "user-agent", "--format", "html"],
    )
    .stdout
}

#[test]
fn a_page_about_many_uses_has_each_of_them_once() {
    // 74 rows for each of 134 callers, and the other uses as numbers.
    let (callers, fields) = (134, 200);
    let page = many(callers, fields);
    let rows = page.matches("<tr><th scope=\"row\"><a href=\"#e-").count();
    let rest: usize = (page.split("<p>The number of each element").skip(1))
        .map(|rest| {
            rest.split_once("</details>")
                .unwrap()
                .0
                .matches(":1\n")
                .count()
        })
        .sum();
    assert_eq!(rows + rest, callers * fields);
    assert!(rows <= 10_000 && rest > 0, "{rows} rows, {rest} numbers");
    tags(&page);
}

#[test]
fn the_documentation_shows_a_page() {
    assert!(text("docs/usage.md").contains("--format html"));
}
