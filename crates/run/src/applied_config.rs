//! What a configuration says about the rules of a run.

use std::cell::OnceCell;
use std::ops::Range;

use super::body_operation::{BodyFiles, BodyOperation, OperationNameError, resolve_operation_name};
use crate::config::{Api, Config};
use sundown_files::toml_file::{FileMistakes, Mistake, WithSpan};
use sundown_lint::findings::suppression::Completeness;
use sundown_lint::findings::{Check, CheckGrades};
use sundown_lint::rules::{AddressError, RuleLibrary, RuleOptions, RuleSet};
use sundown_text_json::text::{Block, Locations, escape_unsafe, most_similar, quote_list};

/// What the tables of a configuration say about rules: their severities, and the hosts and base paths of their APIs.
pub fn rule_options(config: &Config) -> RuleOptions {
    let grades = config.severity.iter();
    let allowed = config.allows.iter().flat_map(|allow| &allow.rules);
    RuleOptions {
        addresses: config.apis.iter().map(|api| api.reach.clone()).collect(),
        grades: grades
            .map(|(id, grade)| (id.clone(), grade.value))
            .collect(),
        named_versions: allowed.cloned().collect(),
        targets: config.settings.target_version.clone(),
        ..RuleOptions::default()
    }
}

/// Compares a configuration with the rules, which it has been applied to. Resolves what it says about bodies and checks, and returns
/// warnings for the user, one per line.
///
/// The error has every mistake: names that no rule, API or operation has. If `rules` says that the run has only a part of the
/// rules, such a name may be that of a missing rule, and is ignored; so is one of a table in `library` that is left out.
pub fn resolve_config(
    config: &mut Config,
    set: &RuleSet,
    rules: Completeness,
    library: RuleLibrary,
) -> Result<Vec<String>, FileMistakes> {
    let left_out = OmittedRules {
        rules,
        library,
        tables: OnceCell::new(),
    };
    let mut mistakes = Vec::new();
    for api in &config.apis {
        let error = match set.files_at(&api.reach) {
            Err(AddressError::NoApi(_)) if left_out.has_api(api) => None,
            result => result.err(),
        };
        mistakes.extend(error.map(|error| reach_mistake(api, error)));
    }
    let grades = check_grades(config, set, &left_out, &mut mistakes);
    let mut named = Vec::new();
    let mut warnings = Vec::new();
    for payload in &config.payloads {
        let WithSpan { value, span } = &payload.operation;
        let operation = match resolve_operation_name(value, set) {
            Ok(operation) => operation,
            Err(OperationNameError {
                message,
                help,
                operation: Some(operation),
            }) => {
                warnings.push((span.start, format!("{message}; {help}")));
                *operation
            }
            // A name alone refers to the rules; a method and a path do not need them.
            Err(_) if rules == Completeness::Partial && !value.contains(['/', ' ']) => continue,
            Err(OperationNameError { message, help, .. }) => {
                mistakes.push(Mistake::new(span.clone(), message).with_help(help));
                continue;
            }
        };
        named.push(BodyFiles {
            files: payload.files.clone(),
            named: BodyOperation {
                operation,
                sides: payload.sides,
            },
        });
    }
    if !mistakes.is_empty() {
        return Err(config.with_mistakes(mistakes));
    }
    let name = config.name();
    let text = Block::whole(config.text.as_bytes());
    let locations = Locations::of(text, warnings.iter().map(|(start, _)| *start).collect());
    let warnings = warnings
        .into_iter()
        .map(|(start, warning)| {
            let at = locations.get(start);
            escape_unsafe(&format!("{name}:{at}: {warning}")).into_owned()
        })
        .collect();
    (config.bodies, config.grades) = (named, grades);
    Ok(warnings)
}

fn reach_mistake(api: &Api, error: AddressError) -> Mistake {
    let name = api.reach.api.as_deref().unwrap_or_default();
    match error {
        AddressError::NoApi(known) if known.is_empty() => {
            Mistake::new(api.name_at.clone(), "there are no rules in this run")
                .with_help("name rules files under `rules`, or use the built-in tables")
        }
        AddressError::NoApi(known) => {
            let mistake = Mistake::new(
                api.name_at.clone(),
                format!("no rules are about the API `{name}`"),
            );
            let nearest = nearest(name, known.iter().map(String::as_str));
            mistake.with_help(format!("{nearest}known: {}", quote_list(known)))
        }
        AddressError::SeveralApis(apis) => {
            let message = format!(
                "the pack `{name}` has the rules of several APIs, which give one name different days"
            );
            let help = format!(
                "name the API that this address leads to: {}",
                quote_list(apis)
            );
            Mistake::new(api.name_at.clone(), message).with_help(help)
        }
        AddressError::NoBasePath => {
            let message = "the rules have no base path that this could replace";
            Mistake::new(api.base_paths_at.clone(), message)
                .with_help("give the rules file a `base_path`, or the description a server")
        }
    }
}

/// The configured severities of checks; those of rules have been applied.
fn check_grades(
    config: &Config,
    set: &RuleSet,
    left_out: &OmittedRules,
    mistakes: &mut Vec<Mistake>,
) -> CheckGrades {
    let mut grades = CheckGrades::default();
    for (id, WithSpan { value, span }) in &config.severity {
        let (check, rule) = match id.split_once('/') {
            Some((check, rule)) => (Some(Check::from_id(check)), rule),
            None => (None, id.as_str()),
        };
        let is_here = set.selects(rule);
        match (check, Check::from_id(id)) {
            (None, _) if is_here => {}
            (None, Some(_)) => grades.set(id, *value),
            (Some(Some(_)), _) if is_here => grades.set(id, *value),
            (None | Some(Some(_)), _) if left_out.has_rule(rule) => {}
            _ => mistakes.push(unknown_id(id, span.clone(), set)),
        }
    }
    grades
}

/// The rules that this run leaves out, and to which the configuration may refer for other runs.
struct OmittedRules {
    rules: Completeness,
    library: RuleLibrary,
    /// The rules of the built-in tables, loaded when needed.
    tables: OnceCell<RuleSet>,
}

impl OmittedRules {
    fn tables(&self) -> &RuleSet {
        self.tables.get_or_init(|| {
            let files = self.library.tables().filter_map(|table| table.load().ok());
            RuleSet::new(files.collect()).unwrap_or_default()
        })
    }

    /// Whether a rule may be in a table that is left out.
    fn has_rule(&self, id: &str) -> bool {
        self.rules == Completeness::Partial || self.tables().selects(id)
    }

    /// Whether an API may be that of a table that is left out.
    fn has_api(&self, api: &Api) -> bool {
        self.rules == Completeness::Partial
            || !matches!(
                self.tables().files_at(&api.reach),
                Err(AddressError::NoApi(_))
            )
    }
}

fn unknown_id(id: &str, span: Range<usize>, set: &RuleSet) -> Mistake {
    let checks = Check::ALL.iter().map(|check| -> &str { check.id() });
    let help = match id.split_once('/') {
        None => nearest(id, set.ids().chain(checks)),
        Some((check, name)) if Check::from_id(check).is_some() => nearest(name, set.ids()),
        Some((check, _)) => nearest(check, checks),
    };
    let help = format!("{help}`sundown rules list` names the rules");
    Mistake::new(span, format!("there is no rule or check `{id}`")).with_help(help)
}

/// Names the most similar of these, as the beginning of a help text.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    most_similar(name, known)
        .map(|known| format!("the nearest is `{known}`; "))
        .unwrap_or_default()
}
