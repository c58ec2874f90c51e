//! Versions of the server that serves an API, for rules whose elements end with a version and not on a day.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::{Grade, Severity};
use sundown_files::toml_file::{MessageText, Mistake, TableReader};
use sundown_text_json::text::join;

/// A version such as `1.25`, `v1.25.3` or `1.33.2-gke.100`, without what follows its numbers. Numbers that are not given are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ServerVersion([u32; 3]);

/// The versions of the server in which an element is deprecated and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerVersions {
    /// The first version in which it is deprecated.
    pub deprecated_in: Option<ServerVersion>,
    /// The first version without it.
    pub removed_in: Option<ServerVersion>,
    /// The version of the user's server. Uses are graded by it, and not by the day.
    pub target: Option<ServerVersion>,
}

/// A version of the user's server, as the option states it: `1.33`, or `cert-manager=1.12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetVersion {
    /// The API that the server serves, by the name of its rules or of a pack; `None` for the only one whose rules state versions.
    pub api: Option<String>,
    /// Its version.
    pub version: ServerVersion,
}

/// The version of a server does not fit the rule set. The user's fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetError {
    /// No rules of this API state versions. Holds the APIs whose rules do.
    NoVersions(BTreeSet<String>),
    /// The target does not say to which of these APIs it belongs.
    SeveralApis(BTreeSet<String>),
}

impl FromStr for ServerVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.strip_prefix('v').unwrap_or(text);
        let numbers = numbers.split(['-', '+']).next().unwrap_or_default();
        let parsed: Result<Vec<u32>, _> = numbers.split('.').map(str::parse).collect();
        let version = match parsed.as_deref() {
            Ok(&[major]) => [major, 0, 0],
            Ok(&[major, minor]) => [major, minor, 0],
            Ok(&[major, minor, patch]) => [major, minor, patch],
            _ => return Err("it is no version of a server such as 1.33 or v1.33.2".to_owned()),
        };
        Ok(Self(version))
    }
}

impl fmt::Display for ServerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [major, minor, 0] => write!(f, "{major}.{minor}"),
            [major, minor, patch] => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

impl FromStr for TargetVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (api, version) = match text.rsplit_once('=') {
            Some((api, version)) => (Some(api.to_owned()), version),
            None => (None, text),
        };
        let version: ServerVersion = version.parse()?;
        if !text.contains('.') {
            return Err(
                "it has no minor number: write 1.33, or 2.0 for the first release".to_owned(),
            );
        }
        Ok(Self { api, version })
    }
}

impl fmt::Display for TargetVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.api {
            Some(api) => write!(f, "{api}={}", self.version),
            None => self.version.fmt(f),
        }
    }
}

impl ServerVersions {
    /// Reads the keys `deprecated_in` and `removed_in` of a rule.
    pub(super) fn read(fields: &TableReader<'_>) -> Self {
        let deprecated_in = version("deprecated_in", fields);
        let removed_in = version("removed_in", fields);
        if let (Some(deprecated), Some(removed)) = (deprecated_in, removed_in)
            && deprecated > removed
        {
            let span = fields.span_of("deprecated_in").unwrap_or_default();
            let message = "`deprecated_in` is a later version than `removed_in`";
            fields.complain(span, message);
        }
        Self {
            deprecated_in,
            removed_in,
            target: None,
        }
    }

    /// Whether a rule states any.
    pub fn are_stated(self) -> bool {
        self.deprecated_in.or(self.removed_in).is_some()
    }

    /// The grade of uses on a server of this version. What a later version deprecates is no finding.
    pub(super) fn grade(self, target: ServerVersion) -> Grade {
        if self.removed_in.is_some_and(|it| it <= target) {
            Grade::Always(Severity::Error)
        } else if self.deprecated_in.is_some_and(|it| it <= target) {
            Grade::Always(Severity::Warning)
        } else {
            Grade::Off
        }
    }

    /// Whether the user's server does not have the element any more.
    pub(crate) fn has_removed(self) -> bool {
        (self.removed_in.zip(self.target)).is_some_and(|(removed, target)| removed <= target)
    }

    /// The versions in a few words, for tables; empty if none is stated.
    pub fn summary(self) -> String {
        let deprecated = self.deprecated_in.map(|it| format!("deprecated in {it}"));
        let removed = self.removed_in.map(|it| format!("removed in {it}"));
        join(deprecated.into_iter().chain(removed), ", ")
    }

    /// What happens to the element, as a predicate; `None` if uses are graded by the day.
    pub(crate) fn fate(self) -> Option<String> {
        let target = self.target?;
        Some(match (self.deprecated_in, self.removed_in) {
            (_, Some(removed)) if removed <= target => {
                format!("was removed in version {removed}; the target is {target}")
            }
            (Some(deprecated), Some(removed)) => format!(
                "is deprecated since version {deprecated}, until {removed} removes it; the target is {target}"
            ),
            (Some(deprecated), None) => {
                format!("is deprecated since version {deprecated}; the target is {target}")
            }
            (None, _) => return None,
        })
    }
}

fn version(key: &'static str, fields: &TableReader<'_>) -> Option<ServerVersion> {
    let text = fields.string(key)?;
    let version = text.value.parse().map_err(|why: String| {
        let message = MessageText::own(format!("`{key}`: {why}"));
        Mistake::new(text.span, message).with_help("write, for example, \"1.25\"")
    });
    fields.accept(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> ServerVersion {
        text.parse().unwrap()
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(version("1.9") < version("1.10"));
        assert!(version("1.25") < version("v1.25.1"));
        assert_eq!(version("1.33.2-gke.100"), version("v1.33.2+build"));
        assert_eq!(version("2"), version("2.0.0"));
        assert_eq!(version("1.33.2-gke.100").to_string(), "1.33.2");
        assert_eq!(version("v1.30").to_string(), "1.30");
        for text in [
            "",
            "v",
            "1.",
            "1.2.3.4",
            "latest",
            "1.x",
            "-1",
            "1.99999999999",
        ] {
            assert!(text.parse::<ServerVersion>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_target_names_its_api() {
        let target: TargetVersion = "cert-manager=1.12".parse().unwrap();
        assert_eq!(target.api.as_deref(), Some("cert-manager"));
        assert_eq!(target.to_string(), "cert-manager=1.12");
        assert_eq!(
            "v1.33".parse::<TargetVersion>().unwrap().to_string(),
            "1.33"
        );
        assert!("1.33=x".parse::<TargetVersion>().is_err());
    }

    #[test]
    fn the_version_of_the_server_decides() {
        let versions = ServerVersions {
            deprecated_in: Some(version("1.21")),
            removed_in: Some(version("1.25")),
            target: None,
        };
        for (target, grade) in [
            ("1.20.9", Grade::Off),
            ("1.21", Grade::Always(Severity::Warning)),
            ("1.24.17", Grade::Always(Severity::Warning)),
            ("1.25", Grade::Always(Severity::Error)),
            ("1.33", Grade::Always(Severity::Error)),
        ] {
            assert_eq!(versions.grade(version(target)), grade, "{target}");
        }
    }
}
