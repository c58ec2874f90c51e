//! The packs that a run does not use: which of them would be about calls that no rule covers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use sundown_exchange::{Host, HostPattern, Method, Target};
use sundown_lint::UnusedRules;
use sundown_lint::rules::{Pack, RuleLibrary, RuleSet};

/// The packs that a run does not use. They are indexed for the first call that no rule covers, and a table is loaded once a call may
/// be one of its operations.
#[derive(Debug, Default)]
pub struct UnusedPacks {
    packs: Vec<&'static Pack>,
    index: OnceLock<PackIndex>,
}

#[derive(Debug, Default)]
struct PackIndex {
    tables: Vec<UnusedTable>,
    /// The tables with a host of a domain, and those in whose text a segment of a path is.
    by_name: HashMap<Cow<'static, str>, Vec<usize>, FixedState>,
}

#[derive(Debug)]
struct UnusedTable {
    /// The index of its pack.
    pack: usize,
    of: &'static Pack,
    text: &'static str,
    /// The hosts that serve its operations; none allow any host.
    hosts: Vec<HostPattern>,
    /// `None` inside if it has mistakes.
    loaded: OnceLock<Option<RuleSet>>,
}

/// The length in bytes of the shortest segment by which a path is recognised: most APIs have paths with `v1` and `api`.
const LEAST_SEGMENT: usize = 4;

impl UnusedPacks {
    /// The packs of a library but for those with these names.
    pub fn new(library: RuleLibrary, used: &[String]) -> Self {
        let packs = library.packs.iter();
        let packs = packs.filter(|pack| used.iter().all(|used| used != pack.name));
        Self {
            packs: packs.collect(),
            index: OnceLock::new(),
        }
    }

    /// The name of the pack with this index.
    pub(super) fn name(&self, pack: usize) -> Option<&'static str> {
        self.packs.get(pack).map(|pack| pack.name)
    }

    fn index(&self) -> &PackIndex {
        self.index.get_or_init(|| {
            let mut index = PackIndex::default();
            for (pack, &of) in self.packs.iter().enumerate() {
                let tables = of.tables.iter().zip(of.hosts());
                tables.for_each(|(text, hosts)| index.add(pack, of, text, hosts));
            }
            index
        })
    }
}

impl UnusedRules for UnusedPacks {
    fn find(&self, method: Option<&Method>, target: &Target<'_>) -> Option<usize> {
        let index = self.index();
        let host = target.host.as_ref();
        let by_host = host.map(|host| index.named(domain(host.name())));
        let by_path = index.named_by_path(target);
        let by_path = by_path.filter(|table| table.hosts.is_empty());
        let mut tables = by_host.into_iter().flatten().chain(by_path);
        let found = tables.find(|table| {
            let rules = table.rules_on(host);
            rules.is_some_and(|rules| !rules.resolve(method, target).is_empty())
        });
        found.map(|table| table.pack)
    }

    fn may_find(&self, target: &Target<'_>) -> bool {
        self.index().named_by_path(target).next().is_some()
    }

    fn knows(&self, segment: &str) -> bool {
        self.index().by_name.contains_key(segment)
    }
}

impl PackIndex {
    fn add(&mut self, pack: usize, of: &'static Pack, text: &'static str, hosts: Vec<HostPattern>) {
        let number = self.tables.len();
        for pattern in &hosts {
            self.name(domain(&pattern.to_string()).to_owned().into(), number);
        }
        for segment in text.split('/').skip(1) {
            let segment = segment
                .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '?' | '{' | '}'))
                .next()
                .unwrap_or_default();
            if segment.len() >= LEAST_SEGMENT {
                self.name(segment.into(), number);
            }
        }
        self.tables.push(UnusedTable {
            pack,
            of,
            text,
            hosts,
            loaded: OnceLock::new(),
        });
    }

    fn name(&mut self, name: Cow<'static, str>, table: usize) {
        let tables = self.by_name.entry(name).or_default();
        if tables.last() != Some(&table) {
            tables.push(table);
        }
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &UnusedTable> {
        let tables = self.by_name.get(name).into_iter().flatten();
        tables.filter_map(|&table| self.tables.get(table))
    }

    /// The tables in whose text a segment of a path is.
    fn named_by_path(&self, target: &Target<'_>) -> impl Iterator<Item = &UnusedTable> {
        let segments = target.segments.iter();
        segments.flat_map(|segment| self.named(segment))
    }
}

/// The last two labels of a host, which no pattern of a pack leaves open.
fn domain(host: &str) -> &str {
    let before = host.rmatch_indices('.').nth(1);
    let labels = before.and_then(|(dot, _)| host.get(dot + 1..));
    labels.unwrap_or(host)
}

impl UnusedTable {
    /// Its rules, unless it is bound to others than this host.
    fn rules_on(&self, host: Option<&Host<'_>>) -> Option<&RuleSet> {
        let is_served = host.is_none_or(|host| {
            self.hosts.is_empty() || self.hosts.iter().any(|pattern| pattern.matches(host))
        });
        if !is_served {
            return None;
        }
        self.loaded
            .get_or_init(|| RuleSet::new(vec![self.of.load_table(self.text).ok()?]).ok())
            .as_ref()
    }
}
