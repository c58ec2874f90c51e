//! Allowances: what they apply to, until when, and the remarks on expired and unused ones.

use insta::assert_snapshot;
use serde_json::Value;
use sundown_captures::Gauge;
use sundown_files::Names;
use sundown_lint::findings::RemarkKind;
use sundown_lint::findings::suppression::{Completeness, RunScope, Suppression, SuppressionStatus};
use sundown_lint::rules::{RuleFile, RuleTable};
use sundown_report::{OutputFormat, OutputTarget, RenderOptions, Report, Verbosity};
use sundown_run::config::{Config, Settings};
use sundown_run::{CheckOptions, Gate, OutputRights, Status, check, check_each, render};

use super::support::{Files, date};

const RULES: &str = "api = 'Shop'\n\
    [[rule]]\nid = 'old'\noperation = 'POST /v1/orders'\nfield = 'old'\nremoval = 2026-12-15\n\
    [[rule]]\nid = 'older'\noperation = 'POST /v1/orders'\nfield = 'older'\n\
    [[rule]]\nid = 'box'\noperation = 'POST /v1/orders'\nfield = 'box'\n";

const TRAFFIC: &str = r#"{"method":"POST","url":"/v1/orders","body":{"items":[{"old":1},{"old":2}],"old":3}}
{"method":"POST","url":"/v1/orders","body":{"older":1}}
"#;

/// A project with this configuration.
struct Project {
    files: Files,
    table: RuleTable,
    suppression: Suppression,
}

impl Project {
    fn new(config: &str) -> Self {
        Self::of(
            config,
            Files::new()
                .with("a.ndjson", TRAFFIC)
                .with("sub/b.ndjson", TRAFFIC),
        )
    }

    fn of(config: &str, files: Files) -> Self {
        let table = RuleTable::new(vec![RuleFile::parse("shop", RULES).unwrap()]).unwrap();
        let allows = Config::parse("sundown.toml", config).unwrap().allows;
        let suppression = Suppression::default().with_allowances("sundown.toml", config, &allows);
        Self {
            files,
            table,
            suppression,
        }
    }

    fn options(&self, day: &str, paths: &[&str]) -> CheckOptions<'_> {
        let root = self.files.path("");
        let paths = paths.iter().map(|path| root.join(path)).collect();
        CheckOptions {
            names: Names::new(Some(&root)),
            suppression: self.suppression.clone(),
            ..CheckOptions::new(Settings::of(paths), &self.table, date(day))
        }
    }

    fn run(&self, day: &str) -> Report {
        check(
            &self.options(day, &[""]),
            &mut std::io::empty(),
            &Gauge::default(),
        )
    }

    fn remarks_on(&self, day: &str) -> Vec<(RemarkKind, usize)> {
        let remarks = self.run(day).remarks;
        remarks
            .iter()
            .map(|remark| (remark.kind, remark.line.unwrap()))
            .collect()
    }
}

fn allow(keys: &str) -> String {
    format!("[[allow]]\n{keys}\nreason = 'as agreed'\n")
}

/// The numbers of open and of allowed findings.
fn counts(config: &str) -> (usize, usize) {
    let report = Project::new(config).run("2026-11-20");
    assert_eq!(report.suppressed.len(), report.summary.allowed);
    (report.findings.len(), report.summary.allowed)
}

#[test]
fn an_allowance_applies_to_what_it_names() {
    // Each of the two files has `old` in a list, `old` next to it, and `older`.
    assert_eq!(counts(""), (6, 0));
    for (target, allowed) in [
        ("rule = 'old'", 4),
        ("rule = ['old', 'older']", 6),
        ("rule = 'box'", 0),
        ("files = 'sub'", 3),
        ("files = '/a.ndjson'", 3),
        ("files = '*.har'", 0),
        ("operation = 'POST /v1/orders'", 6),
        ("operation = '* /v1/**'", 6),
        ("operation = 'GET /v1/orders'", 0),
        ("pointer = '/old'", 2),
        ("pointer = '/items/*/old'", 2),
        ("pointer = '/items/1/old'", 2),
        ("pointer = '/**/old'", 4),
        ("rule = 'old'\nfiles = 'sub'\npointer = '/old'", 1),
        ("rule = 'older'\npointer = '/old'", 0),
    ] {
        let config = allow(&format!("{target}\nuntil = 2026-12-01"));
        assert_eq!(counts(&config), (6 - allowed, allowed), "{target}");
    }
}

#[test]
fn it_applies_through_its_last_day() {
    let project = Project::new(&allow("rule = 'older'\nuntil = 2026-11-20"));
    let standing = |day: &str| {
        let report = project.run(day);
        let all = report.findings.iter().chain(&report.suppressed);
        let mut of = all.filter(|placed| placed.finding.rule.id == "older");
        of.next().unwrap().status.clone()
    };
    assert!(matches!(
        standing("2026-11-19"),
        SuppressionStatus::Allowed(_)
    ));
    assert!(matches!(
        standing("2026-11-20"),
        SuppressionStatus::Allowed(_)
    ));
    let SuppressionStatus::Expired(grant) = standing("2026-11-21") else {
        panic!("it has ended")
    };
    assert_eq!(
        (&*grant.file, grant.line, grant.reason.as_str()),
        ("sundown.toml", 1, "as agreed")
    );
    assert_eq!(grant.end.day(), Some(date("2026-11-20")));
}

#[test]
fn it_does_not_outlive_the_element_unless_forced() {
    let until = "rule = 'old'\nuntil = 2026-12-31";
    let open = |config: &str, day: &str| Project::new(config).run(day).findings.len() - 2;
    assert_eq!(open(&allow(until), "2026-12-15"), 0, "the last day of both");
    assert_eq!(open(&allow(until), "2026-12-16"), 4);
    let forced = allow(&format!("{until}\nforce = true"));
    assert_eq!(
        (open(&forced, "2026-12-16"), open(&forced, "2027-01-01")),
        (0, 4)
    );
    let project = Project::new(&allow(until));
    assert_eq!(
        project.remarks_on("2026-11-20"),
        [(RemarkKind::LateDate, 1)]
    );
    assert_eq!(Project::new(&forced).remarks_on("2026-11-20"), []);
    let report = project.run("2026-12-16");
    let ended = report.findings[0].status.expiry_note().unwrap();
    assert!(
        ended.contains("with the removal, after 2026-12-15 instead of 2026-12-31"),
        "{ended}"
    );
}

#[test]
fn an_invalid_date_counts_as_past_and_is_reported() {
    for until in ["2026-02-30", "'2026-13-01'", "'next year'"] {
        let project = Project::new(&allow(&format!("rule = 'older'\nuntil = {until}")));
        assert_eq!(
            project.remarks_on("2026-11-20"),
            [(RemarkKind::UnreadableDate, 1)]
        );
        let report = project.run("2026-11-20");
        assert_eq!((report.findings.len(), report.summary.allowed), (6, 0));
        let bare = until.trim_matches('\'');
        let ended: Vec<_> = report
            .findings
            .iter()
            .filter_map(|f| f.status.expiry_note())
            .collect();
        assert_eq!(ended.len(), 2);
        assert!(
            ended[0].contains(&format!("\"{bare}\" is not a date")),
            "{ended:?}"
        );
    }
}

#[test]
fn the_allowance_that_ends_last_applies() {
    let config = allow("rule = 'older'\nuntil = 2026-11-01")
        + &allow("files = 'a.ndjson'\nuntil = 2026-11-30")
        + &allow("pointer = '/older'\nuntil = 'never'");
    let report = Project::new(&config).run("2026-11-20");
    assert_eq!(report.summary.allowed, 3);
    let ended: Vec<_> = report
        .findings
        .iter()
        .filter_map(|f| f.status.expiry_note())
        .collect();
    assert_eq!(ended.len(), 1);
    assert!(
        ended[0].contains("sundown.toml:1) ended after 2026-11-01"),
        "{ended:?}"
    );
}

#[test]
fn an_allowance_without_findings_is_reported_if_everything_was_checked() {
    let config =
        allow("rule = 'box'\nuntil = 2026-12-01") + &allow("rule = 'old'\nuntil = 2026-12-01");
    let project = Project::new(&config);
    assert_eq!(
        project.remarks_on("2026-11-20"),
        [(RemarkKind::UnusedAllowance, 1)]
    );
    let mut part = project.options("2026-11-20", &["sub"]);
    part.scope = RunScope {
        files: Completeness::Partial,
        ..RunScope::default()
    };
    let run = |options: &CheckOptions<'_>, gauge: &Gauge| {
        check(options, &mut std::io::empty(), gauge).remarks
    };
    assert_eq!(run(&part, &Gauge::default()), []);
    let broken_off = Gauge::default();
    broken_off
        .stop
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(run(&project.options("2026-11-20", &[""]), &broken_off), []);
}

#[test]
fn a_file_that_could_not_be_read_keeps_its_allowances() {
    let config = allow("rule = 'box'\nfiles = 'sub'\nuntil = 2026-12-01")
        + &allow("rule = 'box'\nfiles = 'a.ndjson'\nuntil = 2026-12-01")
        + &allow("rule = 'box'\nuntil = 2026-12-01");
    let cut = TRAFFIC.trim_end().trim_end_matches('}');
    let files = Files::new()
        .with("a.ndjson", TRAFFIC)
        .with("sub/b.ndjson", cut);
    let reported = Project::of(&config, files).remarks_on("2026-11-20");
    assert_eq!(
        reported,
        [(RemarkKind::UnusedAllowance, 6)],
        "only what is about the whole file"
    );
}

#[test]
fn an_unknown_rule_is_reported_with_a_suggestion() {
    let project = Project::new(&allow(
        "rule = ['olderr', 'older', 'unmarked/old', 'exposed']\nuntil = 2026-12-01",
    ));
    let remarks = project.run("2026-11-20").remarks;
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert_eq!(remarks[0].kind, RemarkKind::UnknownRule);
    assert!(
        remarks[0]
            .sentence()
            .contains("no rule `olderr`, the nearest is `older`"),
        "{remarks:?}"
    );
    let mut fewer_rules = project.options("2026-11-20", &[""]);
    fewer_rules.scope.rules = Completeness::Partial;
    let report = check(&fewer_rules, &mut std::io::empty(), &Gauge::default());
    assert_eq!(report.remarks, []);
}

#[test]
fn an_element_inside_another_keeps_its_allowance_in_use() {
    let nested = r#"{"method":"POST","url":"/v1/orders","body":{"box":{"older":1}}}"#;
    let config = allow("rule = 'older'\nuntil = 2026-12-01");
    let project = Project::of(&config, Files::new().with("a.ndjson", nested));
    assert_eq!(project.remarks_on("2026-11-20"), []);
    assert_eq!(
        project.run("2026-11-20").findings.len(),
        1,
        "the outer one is not allowed"
    );
}

#[test]
fn an_element_inside_an_allowed_one_is_not_allowed() {
    let nested = r#"{"method":"POST","url":"/v1/orders","body":{"box":{"x":1}}}
{"method":"POST","url":"/v1/orders","body":{"box":{"a":[{"older":1}]}}}"#;
    let open = |config: &str, fold: bool| -> Vec<(String, usize, usize, usize)> {
        let project = Project::of(config, Files::new().with("a.ndjson", nested));
        let options = CheckOptions {
            fold,
            ..project.options("2026-11-20", &[""])
        };
        let mut open = Vec::new();
        let mut note = |placed: &sundown_report::LocatedFinding| {
            if placed.status.is_counted() {
                let (from, to) = (placed.location, placed.end);
                open.push((
                    placed.finding.rule.id.clone(),
                    from.line,
                    from.column,
                    to.column,
                ));
            }
        };
        let (mut stdin, gauge) = (std::io::empty(), Gauge::default());
        let report = if fold {
            check(&options, &mut stdin, &gauge)
        } else {
            check_each(&options, &mut stdin, &gauge, &mut note)
        };
        report.findings.iter().for_each(note);
        assert_eq!(report.summary.errors + report.summary.warnings, open.len());
        open
    };
    let allowed = allow("rule = 'box'\nuntil = 2026-12-01");
    let both = allow("rule = ['box', 'older']\nuntil = 2026-12-01");
    for fold in [true, false] {
        assert_eq!(
            open(&allowed, fold),
            [("older".to_owned(), 2, 58, 65)],
            "{fold}"
        );
        assert_eq!(open(&both, fold), []);
    }
}

#[test]
fn only_findings_that_count_fail_the_run() {
    let gate = Gate {
        fail_on: Some(sundown_lint::rules::Severity::Note),
        strict: false,
    };
    let status = |day: &str| {
        let project = Project::new(&allow("files = '**'\nuntil = 2026-11-30"));
        let options = project.options(day, &[""]);
        gate.status(&check(&options, &mut std::io::empty(), &Gauge::default()))
    };
    assert_eq!(
        (status("2026-11-30"), status("2026-12-01")),
        (Status::Clean, Status::Findings)
    );
}

#[test]
fn every_occurrence_is_suppressed_without_folding() {
    let project = Project::new(&allow("pointer = '/items/*/old'\nuntil = 2026-12-01"));
    let mut options = project.options("2026-11-20", &["a.ndjson"]);
    options.fold = false;
    let mut seen = Vec::new();
    let mut each = |placed: &sundown_report::LocatedFinding| seen.push(placed.status.is_counted());
    let report = check_each(
        &options,
        &mut std::io::empty(),
        &Gauge::default(),
        &mut each,
    );
    assert_eq!(report.summary.allowed, 2);
    assert_eq!(seen, [false, false, true, true]);
}

/// The report that a page embeds, as text; any other text as it is.
fn embedded(page: &str) -> &str {
    let parts = page.split_once("id=\"report\">");
    parts.map_or(page, |(_, rest)| rest.split_once("</script>").unwrap().0)
}

/// A reason that would be a command, markup or an escape, if something let it.
const HOSTILE: &str = "x\n::error::y %0A ##[group] <script> [a](b) | {id} \u{1b}[31m \u{202e}z";

fn written(report: &Report, format: OutputFormat, verbosity: Verbosity, files: &Files) -> String {
    let mut out = Vec::new();
    let file = files.path("out");
    let rendering = OutputTarget {
        format,
        file: Some(file.clone()),
    };
    let options = RenderOptions {
        verbosity,
        ..RenderOptions::default()
    };
    render(
        report,
        &[rendering],
        options,
        &OutputRights::default(),
        &mut out,
    )
    .unwrap();
    let root = format!("{}/", files.path("").display());
    std::fs::read_to_string(file)
        .unwrap()
        .replace(root.replace("//", "/").as_str(), "")
}

fn hostile() -> (Project, Report) {
    let config = format!(
        "[[allow]]\nrule = 'older'\nreason = {reason}\nuntil = 2026-11-01\n\
         [[allow]]\nrule = 'old'\nfiles = 'sub'\nreason = {reason}\nuntil = 2027-01-01\n",
        reason = Value::from(HOSTILE)
            .to_string()
            .replace("\\u001b", "\\u001B")
    );
    let project = Project::new(&config);
    let report = project.run("2026-11-20");
    assert_eq!((report.findings.len(), report.summary.allowed), (4, 2));
    (project, report)
}

#[test]
fn every_format_reports_an_expired_allowance_and_its_reason() {
    let (project, report) = hostile();
    for &format in OutputFormat::ALL {
        let text = written(&report, format, Verbosity::Verbose, &project.files);
        let text = embedded(&text);
        let name = format.name();
        assert!(text.contains("2026-11-01"), "{name}: {text}");
        assert!(text.contains("script"), "{name}: {text}");
        assert!(!text.contains("##["), "{name}: {text}");
        assert!(
            !text.contains('\u{1b}') && !text.contains('\u{202e}'),
            "{name}: {text}"
        );
        let is_markup = matches!(
            name,
            "junit" | "checkstyle" | "markdown" | "rdjsonl" | "html"
        );
        assert!(!is_markup || !text.contains("<script>"), "{name}: {text}");
        assert!(
            !text
                .lines()
                .any(|line| line.trim_start().starts_with("::error::")),
            "{name}"
        );
    }
}

#[test]
fn for_people() {
    let (project, report) = hostile();
    let text = |verbosity| written(&report, OutputFormat::HUMAN, verbosity, &project.files);
    assert_snapshot!("suppression_for_people", text(Verbosity::Normal));
    let quiet = text(Verbosity::Quiet);
    assert!(!quiet.contains("Allowances and baseline"), "{quiet}");
    let verbose = text(Verbosity::Verbose);
    let at = verbose.find("Allowed:").unwrap();
    assert_snapshot!("suppression_listed", verbose[at..]);
}

#[test]
fn for_machines() {
    let (project, report) = hostile();
    let json = written(
        &report,
        "json".parse().unwrap(),
        Verbosity::Normal,
        &project.files,
    );
    let json: Value = serde_json::from_str(&json).unwrap();
    let reason = HOSTILE.split_whitespace().collect::<Vec<_>>().join(" ");
    let ended: Vec<&Value> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["rule"] == "older")
        .collect();
    let expected = serde_json::json!({
        "file": "sundown.toml", "line": 1, "reason": reason, "until": "2026-11-01", "ended": true
    });
    assert_eq!(
        ended.iter().map(|f| &f["allowance"]).collect::<Vec<_>>(),
        [&expected; 2]
    );
    let suppressed = json["suppressed"].as_array().unwrap();
    assert_eq!(suppressed.len(), 2);
    for finding in suppressed {
        assert_eq!(finding["suppressed_by"], "allowance");
        assert_eq!(finding["allowance"]["ended"], false);
        assert_eq!(finding["allowance"]["until"], "2026-12-15", "the removal");
    }
    assert_eq!(json["summary"]["allowed"], 2);
    assert_eq!(json["remarks"][0]["kind"], "late-date");
    let lines = written(
        &report,
        OutputFormat::NDJSON,
        Verbosity::Normal,
        &project.files,
    );
    let lines: Vec<Value> = lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let count = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!(
        (count("finding"), count("suppressed"), count("remark")),
        (4, 2, 1)
    );
    let sarif = written(
        &report,
        "sarif".parse().unwrap(),
        Verbosity::Normal,
        &project.files,
    );
    let run: Value = serde_json::from_str(&sarif).unwrap();
    let run = &run["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 4);
    assert_eq!(run["properties"]["summary"]["allowed"], 2);
    let notifications = &run["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(notifications[0]["descriptor"]["id"], "late-date");
}

#[test]
fn a_description_is_allowed_by_check_and_by_all_of_its_operations() {
    let openapi = r##"{"openapi":"3.0.3","info":{"title":"x","version":"1"},
"paths":{"/v1/orders":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/O"}}}},"responses":{}}},
"/v1/carts":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/O"}}}},"responses":{}}}},
"components":{"schemas":{"O":{"type":"object","properties":{"older":{"type":"string"}}}}}}"##;
    let rules = "api = 'Shop'\n[[rule]]\nid = 'older'\noperation = 'POST /v1/orders'\nfield = 'older'\n\
        also = [{ operation = 'POST /v1/carts', at = ['$..older'] }]\n";
    let codes = |config: &str| -> Vec<String> {
        let files = Files::new().with("openapi.json", openapi);
        let mut project = Project::of(config, files);
        project.table = RuleTable::new(vec![RuleFile::parse("shop", rules).unwrap()]).unwrap();
        let report = project.run("2026-11-20");
        report
            .findings
            .iter()
            .map(|placed| placed.finding.code().into_owned())
            .collect()
    };
    let all = codes("");
    assert!(
        all.contains(&"exposed/older".to_owned()) && all.contains(&"unmarked/older".to_owned())
    );
    let without = |code: &str| {
        all.iter()
            .filter(|known| *known != code)
            .cloned()
            .collect::<Vec<_>>()
    };
    let until = "until = 2026-12-01";
    assert_eq!(
        codes(&allow(&format!("rule = 'unmarked'\n{until}"))),
        without("unmarked/older")
    );
    assert_eq!(
        codes(&allow(&format!("rule = 'unmarked/older'\n{until}"))),
        without("unmarked/older")
    );
    assert_eq!(
        codes(&allow(&format!("rule = 'older'\n{until}"))),
        Vec::<String>::new()
    );
    assert_eq!(
        codes(&allow(&format!("operation = 'POST /v1/orders'\n{until}"))),
        all,
        "one of two"
    );
    assert_eq!(
        codes(&allow(&format!("operation = 'POST /v1/*'\n{until}"))),
        Vec::<String>::new()
    );
}

#[test]
fn paths_are_those_of_the_project() {
    let config = allow("files = '/sub/b.ndjson'\nuntil = 2026-12-01");
    let project = Project::new(&config);
    let mut options = project.options("2026-11-20", &[]);
    options.settings.paths = vec![project.files.path("sub/../sub/b.ndjson")];
    let report = check(&options, &mut std::io::empty(), &Gauge::default());
    assert_eq!((report.findings.len(), report.summary.allowed), (0, 3));
}
