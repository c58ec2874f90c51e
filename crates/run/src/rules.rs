//! The rules of a run: the built-in tables and the user's files, which may be definitions of custom resources.

use std::cell::Cell;
use std::fmt::{Display, Write as _};
use std::path::Path;
use std::rc::Rc;

use super::description_rules::{is_description, load_description, problems};
use crate::config::Config;
use sundown_captures::yaml_documents;
use sundown_exchange::resource_name;
use sundown_files::{FileAccess, similar_path, utf8_text};
use sundown_lint::rules::{Pack, RuleFile, RuleLibrary, RuleOptions, RuleSet};
use sundown_openapi::LocalFiles;
use sundown_report::Failure;
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentFormat, Node};
use sundown_text_json::text::toml::string;
use sundown_text_json::text::{did_you_mean, escape_unsafe, io_error_text};

/// The largest size of the rules files and of the descriptions that are used as rules, with all files that they refer to, in bytes.
/// They are kept in memory together.
pub(super) const MAX_RULES: u64 = 128 << 20;

/// The size of the largest rules file that is no description, or list of rules, in bytes. It takes forty times its size in memory.
const MAX_RULES_FILE: u64 = 16 << 20;

/// Refuses the text of a rules file that is too large.
pub(super) fn refuse_large_table(text: &str) -> Result<(), String> {
    if u64::try_from(text.len()).is_ok_and(|length| length > MAX_RULES_FILE) {
        Err(format!("it is larger than {} MiB", MAX_RULES_FILE >> 20))
    } else {
        Ok(())
    }
}

/// Loads the rules of a configuration: of the tables and packs in `library`, those that it selects, and the user's files.
pub fn load_rules(
    options: RuleOptions,
    library: RuleLibrary,
    config: &Config,
    access: &FileAccess,
) -> Result<RuleSet, Failure> {
    let settings = &config.settings;
    let tables: Vec<_> = library.tables().map(|table| table.name).collect();
    refuse_unknown("built-in table", &settings.without_table, &tables, "")?;
    let mut files = Vec::new();
    let deprecations = library.deprecations.iter();
    let requirements = library.contracts.iter();
    for table in deprecations
        .filter(|_| settings.builtin_rules)
        .chain(requirements.filter(|_| settings.contract))
        .filter(|table| !settings.without_table.iter().any(|name| name == table.name))
    {
        files.push(table.load()?);
    }
    files.extend(load_packs(library.packs, &settings.packs)?);
    let reader = RulesReader::new(config, access);
    for path in &settings.rules {
        files.push(reader.read(path)?);
    }
    let options = RuleOptions {
        unknown_hosts: settings.unknown_host,
        any_address: settings.any_host,
        ..options
    };
    RuleSet::with_options(files, &options).map_err(|error| {
        let help = if error.first == error.second {
            "the file is named twice: name it once"
        } else {
            "give the rule another id, or leave out a built-in table with --without-table"
        };
        Failure::with_help(error, help)
    })
}

/// The endings of files that people take for rules, and that are no TOML.
const OTHER_ENDINGS: [&str; 10] = [
    "yaml", "yml", "json", "raml", "graphql", "graphqls", "proto", "xml", "md", "csv",
];

/// Loads packs, each once.
fn load_packs(packs: &'static [Pack], names: &[String]) -> Result<Vec<RuleFile>, Failure> {
    let all: Vec<_> = packs.iter().map(|pack| pack.name).collect();
    let more = "; `sundown rules packs` describes them";
    refuse_unknown("pack", names, &all, more)?;
    let mut files = Vec::new();
    for (number, name) in names.iter().enumerate() {
        if names.iter().take(number).any(|before| before == name) {
            continue;
        }
        if let Some(pack) = packs.iter().find(|pack| pack.name == *name) {
            files.extend(pack.load()?);
        }
    }
    Ok(files)
}

/// Reads rules files, which share a limit of their size.
pub struct RulesReader<'a> {
    config: &'a Config,
    access: &'a FileAccess,
    /// The number of bytes that may still be read.
    room: Rc<Cell<u64>>,
}

impl<'a> RulesReader<'a> {
    /// Reads them as a configuration says. Its own files are not loaded.
    pub fn new(config: &'a Config, access: &'a FileAccess) -> Self {
        Self {
            config,
            access,
            room: Rc::new(Cell::new(MAX_RULES)),
        }
    }

    /// Reads and checks a rules file, or makes rules from an API description.
    pub fn read(&self, path: &Path) -> Result<RuleFile, Failure> {
        let local = self.local_files(path, self.config.rules_folder());
        let text = local.read_named(path).and_then(utf8_text);
        let text = text.map_err(|error| unreadable(path, io_error_text(&error)))?;
        self.parse(path, &text)
    }

    /// Checks the text of a rules file as an editor has it, in place of the content of the file.
    pub fn parse(&self, path: &Path, text: &str) -> Result<RuleFile, Failure> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let folder = self.config.rules_folder();
        if is_description(text) {
            let local = self.local_files(path, folder);
            let markers = self.config.settings.markers();
            return load_description(path, text.as_bytes(), markers, &local)
                .map_err(|error| Failure::with_help(&error, error.kind.help()));
        }
        refuse_large_table(text).map_err(|why| unreadable(path, why))?;
        let name = path.display().to_string();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_other = ending.is_some_and(|ending| OTHER_ENDINGS.contains(&ending));
        // The working folder is one that the user chose, as the folder of the rules file is.
        let local = self.local_files(path, folder.or(Some(Path::new("."))));
        let limits = self.config.settings.limits;
        if is_other
            && let Some(rules) = rules_of_definitions(text, limits)
                .map_err(|why| Failure::new(format!("{name}: {why}")))?
        {
            return RuleFile::load(&name, &rules, &local).map_err(Failure::from);
        }
        let start: String = text
            .chars()
            .filter(|c| !c.is_whitespace())
            .take(2)
            .collect();
        if is_other || start.starts_with('{') || ["[{", "[\"", "[]"].contains(&start.as_str()) {
            return Err(Failure::with_help(
                format!("{name} is neither a rules file in TOML nor an API description"),
                "rules are TOML, an OpenAPI description, or a CustomResourceDefinition; other lists become TOML by `sundown rules import`",
            ));
        }
        let mut file = RuleFile::load(&name, text, &local)?;
        let descriptions = file
            .described
            .iter()
            .map(|described| &*described.description);
        file.notes = descriptions.flat_map(problems).collect();
        Ok(file)
    }

    /// The files that a rules file refers to. `named` is the folder that they belong to, if it is not that of the file.
    pub(super) fn local_files(&self, path: &Path, named: Option<&Path>) -> LocalFiles<'a> {
        let settings = &self.config.settings;
        let limits = Limits {
            expansion: settings.limits.expansion,
            ..Limits::default()
        };
        let named = named.map(Path::to_owned);
        let (scope, room) = (settings.references, &self.room);
        LocalFiles::of_rules(self.access, path, scope, named.as_ref(), room, limits)
    }
}

/// The failure of a file that cannot be read.
fn unreadable(path: &Path, why: impl Display) -> Failure {
    let help = match similar_path(path) {
        Some(nearest) => format!("did you mean {}?", escape_unsafe(&nearest)),
        None => "check the path: rules come from files".to_owned(),
    };
    Failure::with_help(
        format!("the rules file {} cannot be read: {why}", path.display()),
        help,
    )
}

/// Refuses names that are none of all that there are.
fn refuse_unknown(what: &str, names: &[String], all: &[&str], more: &str) -> Result<(), Failure> {
    let names = names.iter().map(String::as_str);
    let unknown: Vec<_> = names.filter(|name| !all.contains(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let name = unknown.join("`, `");
    let nearest = did_you_mean(&name, all.iter().copied());
    let nearest = nearest.map(|nearest| format!("did you mean `{nearest}`? "));
    let nearest = nearest.unwrap_or_default();
    Err(Failure::with_help(
        format!("there is no {what} `{name}`"),
        format!("{nearest}{what}s: {}{more}", all.join(", ")),
    ))
}

/// The kind of a definition.
const DEFINITION: &str = "CustomResourceDefinition";

/// The rules of the definitions in a text, as a rules file; `None` if it has no definition. The error says what cannot be used.
fn rules_of_definitions(text: &str, limits: Limits) -> Result<Option<String>, String> {
    if !text.contains(DEFINITION) {
        return Ok(None);
    }
    let mut count = 0;
    let mut rules = String::new();
    for span in yaml_documents(text.as_bytes(), 0) {
        let part = text.get(span.start..span.end).unwrap_or_default();
        let document = match Document::parse_within(part, DocumentFormat::Yaml, limits) {
            Ok(document) => document,
            Err(_) if !part.contains(DEFINITION) => continue,
            Err(error) => {
                return Err(format!(
                    "a {DEFINITION} is not YAML: {error}; a template has to be rendered before"
                ));
            }
        };
        let root = document.root();
        for object in [root].into_iter().chain(root.children_of("items")) {
            if object.text_of("kind") == Some(DEFINITION)
                && let Some(spec) = object.get("spec")
            {
                count += 1;
                let versions = spec.children_of("versions");
                rules.extend(versions.filter_map(|version| rule_of_version(spec, version)));
            }
        }
    }
    match (count, rules.is_empty()) {
        (0, _) => Ok(None),
        (_, true) => Err(format!("no version of its {DEFINITION} is deprecated")),
        _ => Ok(Some(format!("api = \"custom resources\"\n{rules}"))),
    }
}

/// The rule about a version of a definition, if that is deprecated.
fn rule_of_version(spec: Node<'_>, version: Node<'_>) -> Option<String> {
    let is_deprecated = version.get("deprecated").and_then(Node::as_bool) == Some(true);
    let name = version.text_of("name").filter(|_| is_deprecated)?;
    let group = spec.text_of("group")?;
    let names = spec.get("names")?;
    let (kind, plural) = (names.text_of("kind")?, names.text_of("plural")?);
    // Objects in files are located by the plural that their kind usually has.
    let mut plurals = vec![plural.to_owned(), resource_name(kind)];
    plurals.dedup();
    let places = plurals.iter().flat_map(|plural| {
        ["", "/namespaces/{namespace}"].map(|place| {
            let path = format!("* /apis/{group}/{name}{place}/{plural}/**");
            format!("{{ operation = {} }}", string(&path))
        })
    });
    let places = places.collect::<Vec<_>>().join(", ");
    let title = string(&format!("{group}/{name} {kind}"));
    let id = string(&format!("{plural}-{}-{name}", group.replace('.', "-")));
    let mut rule = format!("[[rule]]\nid = {id}\ntitle = {title}\nalso = [{places}]\n");
    let warning = version.text_of("deprecationWarning");
    if let Some(warning) = warning.filter(|text| !text.is_empty()) {
        let _ = writeln!(rule, "note = {}", string(warning));
    }
    Some(rule)
}
