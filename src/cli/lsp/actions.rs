//! What can be done about the findings in a range: make the edit of a rule, allow a finding for some time, read about its rule.

use std::collections::BTreeSet;
use std::path::MAIN_SEPARATOR;

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use super::document::{Documents, OpenDocument, Range, TextIndex, is_configuration};
use super::project::{Project, Workspace};
use sundown_files::full_path;
use sundown_lint::InnerElements;
use sundown_report::{LocatedFinding, uri};
use sundown_run::config::Config;
use sundown_run::{AppliedEdit, ByteEdit, CheckOptions, FixLevel, TextFix, TextUses};

/// The kind of all edits of a document that keep the meaning.
pub(super) const FIX_ALL: &str = "source.fixAll.sundown";

/// The command that shows the page of a rule. Its arguments are the document and the id.
pub(super) const EXPLAIN: &str = "sundown.explain";

/// How many findings of a range get actions. Their edits are checked together before they are offered.
const MAX_ACTIONS: usize = 8;

/// For how long a finding is allowed.
const ALLOWED: Days = Days::new(30);

/// A document and its check.
struct ActionScope<'s> {
    document: &'s OpenDocument,
    index: &'s TextIndex,
    project: &'s Project,
    uses: &'s TextUses<'s, 's>,
}

/// Lists the actions for a range of a document, of the kinds in `only`, or without any, those about the findings in the range. `None`
/// if the document is not checked.
pub(super) fn list_actions(
    workspace: &mut Workspace<'_>,
    documents: &Documents,
    document: &OpenDocument,
    range: Range,
    only: &Value,
) -> Option<Vec<Value>> {
    let OpenDocument { path, index, .. } = document;
    let index = index.as_ref().filter(|_| !document.is_table())?;
    let project = workspace.project(path).ok()?;
    let options = CheckOptions {
        // An element inside of another has an edit of its own.
        inner: InnerElements::Separate,
        ..project.options(path, workspace.access).ok()?
    };
    let scope = ActionScope {
        document,
        index,
        project: &project,
        uses: &TextUses::find(&options, index.text.as_bytes())?,
    };
    let mut actions = Vec::new();
    if only.is_null() || includes(only, "quickfix") {
        let span = index.span(range);
        let found = scope.uses.findings().filter(|located| {
            let found = located.finding.found.span;
            found.start <= span.end && span.start <= found.end
        });
        let mut known = BTreeSet::new();
        // A body that is checked as a request and as a response has each use twice.
        let found: Vec<_> = found
            .filter(|located| known.insert((located.location, located.finding.code())))
            .take(MAX_ACTIONS)
            .collect();
        let plan = scope.uses.fix(FixLevel::Unsafe, |other| {
            known.contains(&(other.location, other.finding.code()))
        });
        for located in found {
            actions.extend(scope.fix(located, &plan));
            actions.extend(scope.allow(located, documents));
            actions.push(scope.explain(located));
        }
    }
    if includes(only, FIX_ALL) {
        let fix = scope.uses.fix(FixLevel::Safe, |_| true);
        let title = "sundown: make all edits that keep the meaning";
        if !fix.edits.is_empty() {
            actions.push(scope.edit(title, FIX_ALL, &fix.edits));
        }
    }
    Some(actions)
}

/// Whether a kind is in a list, or one that includes it.
fn includes(kinds: &Value, kind: &str) -> bool {
    let wanted = kinds.as_array().into_iter().flatten();
    wanted
        .filter_map(Value::as_str)
        .any(|wanted| format!("{kind}.").starts_with(&format!("{wanted}.")))
}

impl ActionScope<'_> {
    /// The edit of one use in a plan, or why it is not made: in its title, too, which editors show that offer nothing disabled.
    fn fix(&self, located: &LocatedFinding, plan: &TextFix) -> Option<Value> {
        let made = match plan.of(located)? {
            Ok(made) => made,
            Err(left) => {
                let reason = left.refusal.to_string();
                let mut action = self.explain(located);
                action["title"] =
                    format!("sundown: cannot {}: {reason}", left.edit.phrase()).into();
                action["disabled"]["reason"] = reason.into();
                return Some(action);
            }
        };
        let is_safe = made.0.fix.safe;
        let doubt = if is_safe {
            ""
        } else {
            " (may change the meaning)"
        };
        // A new name that is deprecated, too, was followed to the last one.
        let title = format!("sundown: {}{doubt}", made.0.phrase());
        let mut action = self.edit(&title, "quickfix", std::slice::from_ref(made));
        action["isPreferred"] = is_safe.into();
        Some(action)
    }

    fn edit(&self, title: &str, kind: &str, edits: &[(AppliedEdit, ByteEdit)]) -> Value {
        let edits: Value = edits
            .iter()
            .map(|(_, change)| {
                json!({"range": self.index.range(change.start, change.end), "newText": change.new})
            })
            .collect();
        json!({"title": title, "kind": kind, "edit": {"changes": {&self.document.uri: edits}}})
    }

    /// Allows a finding in this file for some time, or until its element ends: adds a table to the end of the configuration.
    fn allow(&self, located: &LocatedFinding, documents: &Documents) -> Option<Value> {
        let Config { path, text, .. } = &self.project.config;
        let path = path.as_ref()?;
        let path = full_path(path).filter(|path| is_configuration(path))?;
        let ends = located.finding.rule.removal.unwrap_or(NaiveDate::MAX);
        let today = self.project.day;
        let until = today.checked_add_days(ALLOWED)?.min(ends);
        let (code, file) = (located.finding.code(), &located.rooted);
        // Other characters would have to be escaped, in globs and in TOML.
        let mut written = file.chars().chain(code.chars());
        let is_plain = written.all(|c| c.is_alphanumeric() || " ._-/".contains(c));
        if until < today || !is_plain {
            return None;
        }
        let open = documents.values().find(|document| document.path == path);
        let open_index = open.and_then(|document| document.index.as_ref());
        let old = open_index.map_or(text, |index| &index.text);
        let table = format!(
            "\n\n[[allow]]\nrule = \"{code}\"\nfiles = \"{file}\"\nreason = \"TODO\"\nuntil = {until}\n"
        );
        // A configuration with mistakes, or one that writes its allowances in another way, is left to people.
        Config::parse("sundown.toml", &format!("{old}{table}")).ok()?;
        let index = TextIndex::new(old.clone());
        let edit = json!({"range": index.range(old.len(), old.len()), "newText": table});
        let name = path.to_str()?.replace(MAIN_SEPARATOR, "/");
        let target = open.map_or_else(|| uri::of_file(&name), |open| open.uri.clone());
        let title =
            format!("sundown: allow `{code}` in this file until {until} (state the reason)");
        Some(json!({"title": title, "kind": "quickfix", "edit": {"changes": {target: [edit]}}}))
    }

    /// Shows the page of a finding's rule.
    fn explain(&self, located: &LocatedFinding) -> Value {
        let code = located.finding.code();
        let title = format!("sundown: explain `{code}`");
        let command =
            json!({"title": title, "command": EXPLAIN, "arguments": [self.document.uri, code]});
        json!({"title": title, "kind": "quickfix", "command": command})
    }
}
