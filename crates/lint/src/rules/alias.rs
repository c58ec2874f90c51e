//! Aliases: further paths under which an operation can be called.

use sundown_exchange::{Host, HostPattern, PatternSegment};

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

impl OperationAlias {
    /// Whether it applies to calls of `host`.
    pub(super) fn applies_to(&self, host: Option<&Host<'_>>) -> bool {
        allows_host(&self.hosts, host)
    }
}
