//! Where in traffic the operations of an API are met, beyond what its rules say: on which hosts, and under which paths.

use std::collections::HashMap;

use super::table::{RuleOperation, RuleTable};
use crate::traffic::{Host, HostPattern, Method, OperationPattern, PatternSegment};

/// What a user knows about an API.
#[derive(Debug, Clone)]
pub struct ApiAddress {
    /// The API, by the name of its rules or of a built-in table; `None`: all of them.
    pub api: Option<String>,
    /// The hosts that serve it; empty where any may. Those that several of these name add up.
    pub hosts: Vec<HostPattern>,
    /// The paths that stand in place of its own base path, on these hosts.
    pub base_paths: Vec<BasePath>,
}

/// A path with which operations begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePath(Vec<PatternSegment>);

/// Why a table has no use for what is said about an API. The user's fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressError {
    /// No rules are about an API of this name; those that are, and the names of built-in tables.
    NoApi(Vec<String>),
    /// Its rules have no base path in whose place another could stand.
    NoBasePath,
}

/// Another way to call an operation.
#[derive(Debug)]
pub(super) struct OperationAlias {
    /// The rules file for which it holds.
    pub(super) file: usize,
    pub(super) segments: Vec<PatternSegment>,
    pub(super) front: PathPrefix,
    /// The only hosts on which it holds, if it has hosts of its own.
    hosts: Vec<HostPattern>,
}

/// The operations that are called by an alias: by its file, method and path.
type KnownCalls = HashMap<(usize, Option<Method>, Vec<PatternSegment>), Vec<usize>>;

/// What may stand in front of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathPrefix {
    /// The base path of a proxy.
    Anything,
    Nothing,
}

impl PathPrefix {
    /// What may stand in front of a template: where a variable is the first, it would fill anything.
    pub(super) fn of(segments: &[PatternSegment]) -> Self {
        match segments.first() {
            Some(PatternSegment::Literal(_)) => Self::Anything,
            _ => Self::Nothing,
        }
    }
}

impl BasePath {
    /// Reads `/gateway/{tenant}`; `/` alone is no path at all.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.contains(char::is_whitespace) {
            return Err("a path has no white space".to_owned());
        }
        let pattern = OperationPattern::parse(&format!("* {text}")).map_err(|e| e.to_string())?;
        let is_wild =
            |s: &PatternSegment| matches!(s, PatternSegment::AnyOne | PatternSegment::Rest);
        if pattern.segments.iter().any(is_wild) {
            return Err(
                "a variable fills a segment of a base path, like `/{tenant}/api`".to_owned()
            );
        }
        Ok(Self(pattern.segments))
    }
}

/// Whether a call of `host`, where it is known, goes to one of `hosts`, where there are any.
pub(super) fn admits(hosts: &[HostPattern], host: Option<&Host<'_>>) -> bool {
    let Some(host) = host.filter(|_| !hosts.is_empty()) else { return true };
    hosts.iter().any(|pattern| pattern.matches(host))
}

impl OperationAlias {
    /// Whether it holds on `host`.
    pub(super) fn holds_on(&self, host: Option<&Host<'_>>) -> bool {
        admits(&self.hosts, host)
    }
}

impl RuleTable {
    /// Takes in where an API is met.
    pub fn reach(&mut self, reach: &ApiAddress) -> Result<(), AddressError> {
        let files = self.files_of(reach.api.as_deref());
        if files.is_empty() {
            return Err(AddressError::NoApi(self.api_names()));
        }
        if !reach.base_paths.is_empty() && files.iter().all(|&file| self.bases(file).is_empty()) {
            return Err(AddressError::NoBasePath);
        }
        for &file in &files {
            self.add_hosts(file, &reach.hosts);
        }
        let mut called = HashMap::new();
        for index in 0..self.operations().len() {
            let mut aliases = self.aliases_of(index, &files, reach);
            aliases.retain(|alias| self.is_new(index, alias, &mut called));
            self.add_aliases(index, aliases);
        }
        Ok(())
    }

    /// The numbers of the files about this API, or of all.
    fn files_of(&self, api: Option<&str>) -> Vec<usize> {
        let is_meant = |&file: &usize| {
            api.is_none_or(|name| name == self.api(file) || name == self.file_name(file))
        };
        (0..self.file_count()).filter(is_meant).collect()
    }

    fn api_names(&self) -> Vec<String> {
        let names = |file| [self.api(file).to_owned(), self.file_name(file).to_owned()];
        let mut names: Vec<String> = (0..self.file_count()).flat_map(names).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Whether an alias is not that of an operation which is the same by another server of its description: its base path was
    /// replaced, too, and each use would be found twice.
    fn is_new(&self, index: usize, alias: &OperationAlias, called: &mut KnownCalls) -> bool {
        let Some(operation) = self.operations().get(index) else { return false };
        let key = (alias.file, operation.pattern.method.clone(), alias.segments.clone());
        let known = called.entry(key).or_default();
        let is_same = |known: &usize| {
            let known = self.operations().get(*known).map_or(&[][..], |known| &known.described);
            operation.described.iter().any(|described| known.contains(described))
        };
        let is_new = !known.iter().any(is_same);
        if is_new {
            known.push(index);
        }
        is_new
    }

    /// The operation by all the base paths that stand in place of a file's own; of those that it begins with, the longest.
    fn aliases_of(&self, index: usize, files: &[usize], reach: &ApiAddress) -> Vec<OperationAlias> {
        let Some(RuleOperation { pattern, files: own, .. }) = self.operations().get(index) else {
            return Vec::new();
        };
        let mut aliases = Vec::new();
        for &file in own.iter().filter(|file| files.contains(file)) {
            let bases = self.bases(file).iter();
            let behind = bases.filter_map(|base| pattern.segments.strip_prefix(base.as_slice()));
            let Some(behind) = behind.min_by_key(|behind| behind.len()) else { continue };
            for BasePath(base) in &reach.base_paths {
                let segments = [base, behind].concat();
                // What stands at the very beginning would else match at any end.
                let front =
                    if base.is_empty() { PathPrefix::Nothing } else { PathPrefix::of(&segments) };
                aliases.push(OperationAlias { file, segments, front, hosts: reach.hosts.clone() });
            }
        }
        aliases
    }
}
