//! A digest of a rule set, by which results of different runs are known to be about the same rules.

use std::fmt::{self, Debug, Write};

use sha2::{Digest, Sha256};

use super::{AddressCheck, Grade, Rule, RulePlace, RuleSet};
use sundown_selector::Selector;

/// A hash that takes texts, each ended by a zero byte.
#[derive(Default)]
pub(crate) struct TextHash(Sha256);

impl Write for TextHash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

impl TextHash {
    pub(crate) fn text(&mut self, text: &str) {
        self.0.update(text.as_bytes());
        self.0.update([0]);
    }

    /// Its first 128 bits, in hexadecimal.
    pub(crate) fn finish(self) -> String {
        self.0
            .finalize()
            .iter()
            .take(16)
            .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
    }

    /// Adds the fields of a value.
    fn fields(&mut self, value: &impl Debug) {
        // A hash takes everything.
        let _ = write!(self, "{value:?}");
        self.0.update([0]);
    }
}

impl RuleSet {
    /// The first 128 bits of a SHA-256 hash, in hexadecimal, of everything that decides which calls use which elements, and of
    /// the dates and replacements. It depends neither on the paths of the rules files nor on how uses are graded.
    pub fn digest(&self) -> String {
        let mut hash = TextHash::default();
        hash.fields(&(self.address_check == AddressCheck::Any));
        for rule in self.rules() {
            let file = self.file(rule.file);
            hash.text(&file.api);
            hash.fields(&rule.precedence);
            hash_rule(rule, &mut hash);
            hash_selectors(&file.opaque, &mut hash);
        }
        for described in (0..).map_while(|index| self.described(index)) {
            let mut properties: Vec<_> = described.properties.iter().collect();
            properties.sort_unstable_by_key(|(node, _)| **node);
            hash.fields(&properties);
        }
        for operation in self.operations() {
            hash.text(&operation.pattern.to_string());
            hash.fields(&operation.aliases);
            for &file in &operation.files {
                let takes_unknown_hosts = self.is_served_by(file, None);
                let hosts = &self.file(file).hosts;
                hash.fields(&(self.bases(file), hosts, takes_unknown_hosts));
            }
        }
        hash.finish()
    }
}

fn hash_rule(rule: &Rule, hash: &mut TextHash) {
    let version_grades: Vec<_> = rule
        .version_grades
        .iter()
        .map(|(one, of)| (one, *of == Grade::Off))
        .collect();
    hash.text(&rule.id);
    hash.fields(&(
        &rule.element,
        &rule.other_ids,
        &rule.when,
        &rule.replacement,
        rule.removal,
        rule.grade == Grade::Off,
    ));
    hash.fields(&version_grades);
    for (holds, fact) in [
        (rule.is_possible, "possible"),
        (rule.names_path, "path as a name"),
        (rule.has_unreadable_end, "unreadable end"),
    ] {
        if holds {
            hash.text(fact);
        }
    }
    hash.fields(&rule.schema.as_ref().map(|schema| &schema.pointer));
    for RulePlace {
        operation,
        sides,
        selectors,
    } in rule.places.iter()
    {
        hash.text(&operation.to_string());
        hash.fields(sides);
        hash_selectors(selectors, hash);
    }
    hash_selectors(&rule.exceptions, hash);
}

fn hash_selectors(selectors: &[Selector], hash: &mut TextHash) {
    for selector in selectors {
        hash.text(selector.text());
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::{RuleFile, RuleOptions, RuleOrigin, RuleSet};

    fn digest(name: &str, text: &str) -> String {
        let files = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        RuleSet::new(vec![RuleFile::load(name, text, &files).unwrap()])
            .unwrap()
            .digest()
    }

    #[test]
    fn it_depends_on_whether_calls_without_a_host_count() {
        let rule = "api = 'A'\nhosts = ['a.example']\n[[rule]]\nid = 'a'\noperation = 'GET /a'\nfield = 'old'\n";
        let files = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        let digests = [true, false].map(|unknown_hosts| {
            let mut file = RuleFile::load("one.toml", rule, &files).unwrap();
            file.origin = RuleOrigin::Pack("pack");
            let options = RuleOptions {
                unknown_hosts,
                ..RuleOptions::default()
            };
            let set = RuleSet::with_options(vec![file], &options);
            set.unwrap().digest()
        });
        assert_ne!(digests[0], digests[1]);
    }

    #[test]
    fn it_depends_on_the_rules_and_not_on_their_file() {
        let rule = "api = 'A'\n[[rule]]\nid = 'a'\noperation = 'GET /a'\nfield = 'old'\n";
        let same = digest("one.toml", rule);
        assert_eq!(digest("folder/two.toml", rule), same);
        assert_eq!(same.len(), 32);
        for other in [
            rule.replace("'old'", "'older'"),
            rule.replace("GET", "POST"),
            rule.replace("'A'", "'B'"),
            format!("{rule}removal = 2027-01-01\n"),
            format!("{rule}sides = ['request']\n"),
            format!("{rule}at = ['$.old']\n"),
        ] {
            assert_ne!(digest("one.toml", &other), same, "{other}");
        }
    }
}
