//! Addresses of APIs: on which hosts and under which base paths their operations are called, as the rules and the user state it.

use std::collections::{BTreeSet, HashSet};

use super::rule_set::{RuleOperation, RuleSet, SetFile};
use super::{AddressCheck, TargetError, TargetVersion};
use sundown_exchange::{Host, HostPattern, OperationPattern, PatternSegment, Target};

/// A statement of the user about the address of an API.
#[derive(Debug, Clone)]
pub struct ApiAddress {
    /// The API, by the name of its rules or of a built-in table; `None` means all APIs.
    pub api: Option<String>,
    /// The hosts that serve it; none allow any host. Several addresses of one API add up.
    pub hosts: Vec<HostPattern>,
    /// The paths that replace its own base path on these hosts.
    pub base_paths: Vec<BasePath>,
}

/// A path with which operations start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePath(Vec<PatternSegment>);

/// An address does not fit the rule set. The user's fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressError {
    /// No rules are about an API of this name. Holds the names of the APIs and files in the set.
    NoApi(Vec<String>),
    /// The name is that of a pack with rules about several APIs, which give one id different days. Holds the names of the APIs.
    SeveralApis(Vec<String>),
    /// The rules have no base path that could be replaced.
    NoBasePath,
}

impl BasePath {
    /// Parses a base path such as `/gateway/{tenant}`. `/` is the root.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.contains(char::is_whitespace) {
            return Err("a path contains no white space".to_owned());
        }
        let pattern = OperationPattern::parse(&format!("* {text}"))?;
        if pattern.segments.iter().any(|segment| {
            !matches!(
                segment,
                PatternSegment::Literal(_) | PatternSegment::Variable | PatternSegment::Partial(_)
            )
        }) {
            return Err(
                "a base path has variables instead of wildcards, as in `/{tenant}/api`".to_owned(),
            );
        }
        Ok(Self(pattern.segments))
    }
}

impl RuleSet {
    /// The files whose operations are called at an address; the error says why there are none.
    pub fn files_at(&self, address: &ApiAddress) -> Result<Vec<usize>, AddressError> {
        let files = self.files_of(address.api.as_deref());
        if files.is_empty() {
            return Err(AddressError::NoApi(self.api_names()));
        }
        if let Some(name) = address.api.as_deref()
            && files.len() > 1
            && files
                .iter()
                .all(|&file| self.origin(file).pack() == Some(name))
        {
            let apis = files
                .iter()
                .map(|&file| self.file(file).api.clone())
                .collect();
            return Err(AddressError::SeveralApis(apis));
        }
        if !address.base_paths.is_empty() && files.iter().all(|&file| self.bases(file).is_empty()) {
            return Err(AddressError::NoBasePath);
        }
        Ok(files)
    }

    /// The files with the rules that a target grades; the error says why there are none.
    pub fn files_of_target(&self, target: &TargetVersion) -> Result<Vec<usize>, TargetError> {
        let stating = self.rules().iter();
        let stating = stating.filter(|rule| rule.versions.are_stated());
        let files: BTreeSet<usize> = stating.map(|rule| rule.file).collect();
        let apis: BTreeSet<String> = (files.iter())
            .map(|&file| self.file(file).api.clone())
            .collect();
        let mut own = self.files_of(target.api.as_deref());
        own.retain(|file| files.contains(file));
        if own.is_empty() {
            return Err(TargetError::NoVersions(apis));
        }
        if target.api.is_none() && apis.len() > 1 {
            return Err(TargetError::SeveralApis(apis));
        }
        Ok(own)
    }

    /// Adds the address of an API.
    pub(super) fn add_address(&mut self, address: &ApiAddress) {
        let files = self.files_at(address).unwrap_or_default();
        for &file in &files {
            if let Some(SetFile { file, .. }) = self.files.get_mut(file) {
                file.hosts.extend_from_slice(&address.hosts);
            }
        }
        // With several servers in a description, replacing their base paths leads to equal aliases, and each use would be found twice.
        let mut known = HashSet::new();
        for index in 0..self.operations.len() {
            let Some(operation) = self.operations.get(index) else {
                continue;
            };
            let mut aliases = self.aliases_of(operation, &files, address);
            aliases.retain(|alias| {
                let described = operation.described.iter();
                let calls: Vec<_> = described
                    .map(|one| (alias.file, alias.segments.clone(), *one))
                    .collect();
                let is_new = !calls.iter().any(|call| known.contains(call));
                known.extend(calls.into_iter().filter(|_| is_new));
                is_new
            });
            for alias in &aliases {
                self.paths.insert(&alias.segments, index, 0);
            }
            if let Some(operation) = self.operations.get_mut(index) {
                operation.aliases.extend(aliases);
            }
        }
    }

    /// The indices of the files about this API, or of all files.
    fn files_of(&self, api: Option<&str>) -> Vec<usize> {
        let files = (0..).zip(&self.files);
        let own = files.filter(|(_, SetFile { file, .. })| {
            api.is_none_or(|name| name == file.api || name == file.name)
        });
        own.map(|(number, _)| number).collect()
    }

    /// The base paths of a file's operations.
    pub(super) fn bases(&self, file: usize) -> &[Vec<PatternSegment>] {
        self.files.get(file).map_or(&[], |file| &file.bases)
    }

    /// Whether calls of `host`, if it is known, may be calls of a file's operations.
    pub(super) fn is_served_by(&self, file: usize, host: Option<&Host<'_>>) -> bool {
        let Some(SetFile {
            file, own_hosts, ..
        }) = self.files.get(file)
        else {
            return true;
        };
        // Many services have operations of the same path. Without hosts, those of a pack are unmistakable.
        let includes_unknown =
            self.unknown_hosts || file.origin.pack().is_none() || *own_hosts == 0;
        if includes_unknown {
            return allows_host(&file.hosts, host);
        }
        host.is_some_and(|host| file.hosts.iter().any(|pattern| pattern.matches(host)))
    }

    /// Whether a call of an operation's path at an address that its rules do not name may reach it: on an unknown host or one of
    /// theirs, or through a proxy, which puts segments before the path. Packs know all hosts of their service.
    pub(crate) fn may_serve(&self, operation: usize, target: &Target<'_>) -> bool {
        let Some(operation) = self.operations().get(operation) else {
            return false;
        };
        let has_prefix = operation.pattern.segments.len() < target.segments.len();
        operation.files.iter().any(|&file| {
            let host = target.host.as_ref();
            host.is_none()
                || self.is_served_by(file, host)
                || has_prefix && self.origin(file).is_users()
        })
    }

    /// Whether the called host matters for some file.
    pub(crate) fn depends_on_hosts(&self) -> bool {
        self.address_check == AddressCheck::Declared
            && self.files.iter().any(|one| !one.file.hosts.is_empty())
    }

    fn api_names(&self) -> Vec<String> {
        let files = self.files.iter().map(|one| &one.file);
        let names = files.flat_map(|file| [file.api.clone(), file.name.clone()]);
        let names: BTreeSet<String> = names.collect();
        names.into_iter().collect()
    }

    /// The operation under all base paths of the address. Of the file's own base paths with which the operation starts, the
    /// longest is replaced.
    fn aliases_of(
        &self,
        operation: &RuleOperation,
        files: &[usize],
        address: &ApiAddress,
    ) -> Vec<OperationAlias> {
        let segments = &operation.pattern.segments;
        let mut aliases = Vec::new();
        for &file in operation.files.iter().filter(|file| files.contains(file)) {
            let Some(rest) = self
                .bases(file)
                .iter()
                .filter_map(|base| segments.strip_prefix(base.as_slice()))
                .min_by_key(|rest| rest.len())
            else {
                continue;
            };
            for BasePath(base) in &address.base_paths {
                let segments = [base, rest].concat();
                // Without a base path, the rest would match at the end of any path.
                let prefix = if base.is_empty() {
                    PathPrefix::Nothing
                } else {
                    PathPrefix::of(&segments)
                };
                let hosts = address.hosts.clone();
                aliases.push(OperationAlias {
                    file,
                    segments,
                    prefix,
                    hosts,
                });
            }
        }
        aliases
    }
}

/// A further path of an operation.
#[derive(Debug)]
pub(super) struct OperationAlias {
    /// The rules file for which it applies.
    pub file: usize,
    pub segments: Vec<PatternSegment>,
    pub prefix: PathPrefix,
    /// The hosts to which it is restricted; none if it applies to all hosts.
    pub hosts: Vec<HostPattern>,
}

/// The prefix that may precede a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum PathPrefix {
    /// Any segments, such as the base path of a proxy.
    Anything,
    /// One segment, which may be a host or a variable for a base URL.
    OneSegment,
    Nothing,
}

impl PathPrefix {
    /// The prefix that may precede a template. A template that starts with a variable would match anywhere, so it allows no
    /// prefix.
    pub(super) fn of(segments: &[PatternSegment]) -> Self {
        match segments.first() {
            Some(PatternSegment::Literal(_)) => Self::Anything,
            _ => Self::Nothing,
        }
    }

    /// The number of segments of a path of `length` segments that it may have.
    pub(super) fn longest(self, length: usize) -> usize {
        match self {
            Self::Nothing => 0,
            Self::OneSegment => 1,
            Self::Anything => length,
        }
    }
}

/// Whether calls of `host` are allowed by `hosts`. No hosts allow all, and a host that is not known, or not known as a
/// whole, is always allowed.
pub(super) fn allows_host(hosts: &[HostPattern], host: Option<&Host<'_>>) -> bool {
    let Some(host) = host.filter(|host| !hosts.is_empty() && !host.is_partial()) else {
        return true;
    };
    hosts.iter().any(|pattern| pattern.matches(host))
}
