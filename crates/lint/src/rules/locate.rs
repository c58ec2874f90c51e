//! Locates the rules of a rules file that have a `schema`: resolves references to values that descriptions describe.
//!
//! A reference names a property, the elements of an array, a body, or a schema; a schema means all properties that have it. A reference that cannot be
//! resolved is a mistake of the rules file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::described::located_name;
use super::reference::{SchemaReference, written_file};
use super::{DescribedRules, ElementPart, PropertyCertainty, PropertyRule, Rule, RuleFile, Sides};
use sundown_files::toml_file::{MessageText, Mistake, WithSpan};
use sundown_openapi::{
    Description, EdgeKind, FileId, FileSource, LoadErrorKind, MarkerOptions, NodeId, SchemaId,
    SchemaStep, local_name,
};
use sundown_text_json::json::{Node, pointer};
use sundown_text_json::text::did_you_mean;

/// The references of a rules file to descriptions.
pub(super) struct SchemaLookups {
    /// The path under `description`.
    pub description: Option<WithSpan<String>>,
    /// The rules in their order. Those that have a `schema` are to be located.
    pub rules: Vec<(Rule, Option<SchemaLookup>)>,
}

/// An entry that has a `schema`.
#[derive(Clone)]
pub(super) struct SchemaLookup {
    /// The reference under `schema`.
    pub reference: WithSpan<SchemaReference>,
    /// The sides on which the rule applies.
    pub sides: Sides,
    /// The span of the field's name, if it is given.
    pub field: Option<Range<usize>>,
}

/// Locates the rules of a rules file, and returns the mistakes of their references.
///
/// A rule about a schema whose properties have several names becomes one rule for each name, all with the same id.
pub(super) fn locate(
    file: &mut RuleFile,
    wanted: SchemaLookups,
    files: &dyn FileSource,
) -> Vec<Mistake> {
    let mut locator = RuleLocator {
        base: &file.name,
        files,
        known: HashMap::new(),
        descriptions: Vec::new(),
        mistakes: Vec::new(),
    };
    if let Some(WithSpan { value, span }) = &wanted.description {
        locator.load(value, span);
    }
    let mut located = Vec::with_capacity(wanted.rules.len());
    for (rule, lookup) in wanted.rules {
        match lookup {
            Some(entry) => locator.rule(&rule, &entry, &mut located),
            None => located.push(rule),
        }
    }
    let RuleLocator {
        descriptions,
        mistakes,
        ..
    } = locator;
    let described = descriptions.into_iter().map(|atlas| atlas.rules);
    file.described = described.collect();
    file.rules = located;
    mistakes
}

struct RuleLocator<'f> {
    /// The rules file's name.
    base: &'f str,
    files: &'f dyn FileSource,
    /// The index of each description by name; `None` if it cannot be loaded, which has been reported.
    known: HashMap<String, Option<usize>>,
    descriptions: Vec<DescriptionIndex>,
    mistakes: Vec<Mistake>,
}

/// A description, indexed by what rules can be about.
struct DescriptionIndex {
    /// The description, with the rules located so far.
    rules: DescribedRules,
    /// The schema of each member, element or body, by the node that gives it, with the kind of the edge.
    schemas: HashMap<NodeId, (Option<EdgeKind>, SchemaId)>,
}

impl RuleLocator<'_> {
    /// The name of the file at this path, which is relative to the rules file.
    fn name_of(&self, path: &str) -> Option<String> {
        local_name(self.base, &written_file(path))
    }

    /// Loads the description in this file and returns its index.
    fn load(&mut self, file: &str, span: &Range<usize>) -> Option<usize> {
        let name = self.name_of(file)?;
        if let Some(known) = self.known.get(&name) {
            return *known;
        }
        let loaded = Description::load(&name, self.files, MarkerOptions::default())
            .and_then(Description::uncut);
        let number = match loaded {
            Ok(description) => {
                self.descriptions.push(DescriptionIndex::of(description));
                Some(self.descriptions.len() - 1)
            }
            Err(error) => {
                let at = error.at.map(|(_, at)| format!(":{at}"));
                let rest = format!("{}: {}", at.unwrap_or_default(), error.kind);
                let message = MessageText::about(&error.file, &rest);
                let help = match error.kind {
                    LoadErrorKind::NoDescription => {
                        "set `description` in the rules file to the description that refers to this file"
                            .to_owned()
                    }
                    kind => kind.help(),
                };
                self.mistakes
                    .push(Mistake::new(span.clone(), message).with_help(help));
                None
            }
        };
        self.known.insert(name, number);
        number
    }

    /// The description that contains the file of a reference, and the file in it. A description that is already loaded is
    /// preferred, so that the files of the rules file's `description` are located through it.
    fn find(&mut self, wanted: &WithSpan<SchemaReference>) -> Option<(usize, FileId)> {
        let name = self.name_of(&wanted.value.file)?;
        let mut known = self
            .descriptions
            .iter()
            .enumerate()
            .filter_map(|(number, atlas)| {
                Some((number, atlas.rules.description.file_named(&name)?))
            });
        known.next().or_else(|| {
            let number = self.load(&wanted.value.file, &wanted.span)?;
            Some((number, FileId::FIRST))
        })
    }

    fn rule(&mut self, rule: &Rule, entry: &SchemaLookup, rules: &mut Vec<Rule>) {
        let Some((number, file)) = self.find(&entry.reference) else {
            return;
        };
        let Some(atlas) = self.descriptions.get_mut(number) else {
            return;
        };
        let meant = match atlas.meant(file, rule, entry) {
            Ok(meant) => meant,
            Err(mistake) => {
                self.mistakes.push(mistake);
                return;
            }
        };
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        for (place, (name, certainty)) in meant {
            let number = *numbers.entry(name).or_insert_with_key(|name| {
                rules.push(rule.clone().with_field_name(name));
                rules.len() - 1
            });
            let property = PropertyRule {
                rule: number,
                certainty,
                sides: entry.sides,
            };
            let known = atlas.rules.properties.entry(place);
            known.or_default().push(property);
        }
    }
}

impl DescriptionIndex {
    fn of(description: Description) -> Self {
        let schemas = description.schemas();
        let edges = schemas.all_edges().iter();
        let inside = edges
            .filter(|edge| edge.kind.step().is_inside())
            .map(|edge| (edge.node, (Some(edge.kind), edge.to)));
        let bodies = description.bodies();
        let bodies = bodies.filter_map(|(_, body)| Some((body.node, (None, body.schema?))));
        let schemas = inside.chain(bodies).collect();
        Self {
            rules: DescribedRules::new(Arc::new(description)),
            schemas,
        }
    }

    /// The properties that an entry refers to, in the order of the description, with their names.
    fn meant(
        &self,
        file: FileId,
        rule: &Rule,
        entry: &SchemaLookup,
    ) -> Result<BTreeMap<NodeId, (String, PropertyCertainty)>, Mistake> {
        let (description, reference) = (&*self.rules.description, &entry.reference);
        let refused = |message: String, help: &'static str| {
            Err(Mistake::new(reference.span.clone(), message).with_help(help))
        };
        let value = self.value_at(file, reference)?;
        let place = NodeId::of(file, value);
        let known = self.schemas.get(&place);
        if let Some((kind, schema)) =
            known.filter(|(kind, _)| entry.field.is_none() || *kind == Some(EdgeKind::Property))
        {
            let name = located_name(value, *kind);
            if let Some(field) = &entry.field
                && rule.element.name() != Some(&name)
            {
                let message = format!("`schema` is about the property `{name}`");
                let help = "remove `field`, which `schema` already gives";
                return Err(Mistake::new(field.clone(), message).with_help(help));
            }
            let certainty = PropertyCertainty::of(description, *schema, &rule.element);
            return Ok(BTreeMap::from([(place, (name, certainty))]));
        }
        let resolved = NodeId::of(file, value.resolved());
        let Some(schema) = description.schemas().at(resolved) else {
            return refused(
                format!("`{}` is not a property or schema", reference.value),
                "point to a property (…/properties/NAME), or to the schema of properties",
            );
        };
        if entry.field.is_none() && !rule.places.is_empty() {
            return refused(
                "`also` needs the name of the field, and this is a whole schema".to_owned(),
                "add `field`, or move `also` to a rule of its own",
            );
        }
        let wanted = entry.field.as_ref().and_then(|_| rule.element.name());
        let meant = having(description, schema, wanted);
        if meant.is_empty() {
            let of = wanted.map(|name| format!(" named `{name}`"));
            let of = of.unwrap_or_default();
            return refused(
                format!("no property{of} has the schema `{}`", reference.value),
                "point to the deprecated property: …/properties/NAME",
            );
        }
        Ok(meant)
    }

    /// The value at a reference.
    fn value_at(
        &self,
        file: FileId,
        reference: &WithSpan<SchemaReference>,
    ) -> Result<Node<'_>, Mistake> {
        let SchemaReference {
            file: name,
            pointer,
        } = &reference.value;
        let missing = |help: String| {
            let message = format!("{name} has no `#{pointer}`");
            Mistake::new(reference.span.clone(), message).with_help(help)
        };
        let file = self.rules.description.file(file);
        let root = file.map(|file| file.document.root());
        let mut value = root.ok_or_else(|| missing("correct the path".to_owned()))?;
        for token in pointer::tokens(pointer) {
            value = value.step(&token).ok_or_else(|| {
                let names = value.children().filter_map(Node::key);
                missing(match did_you_mean(&token, names) {
                    Some(name) => format!("`{token}` does not exist; did you mean `{name}`?"),
                    None => format!(
                        "only `#{}` exists; in a name, `/` is written ~1 and `~` is written ~0",
                        value.pointer()
                    ),
                })
            })?;
        }
        Ok(value)
    }
}

/// The properties that have a schema or are composed of it, and, if a name is given, have this name.
fn having(
    description: &Description,
    schema: SchemaId,
    wanted: Option<&str>,
) -> BTreeMap<NodeId, (String, PropertyCertainty)> {
    let schemas = description.schemas();
    let certain = schemas.composed_of([schema], |step| step == SchemaStep::Always);
    let certain: HashSet<SchemaId> = certain.collect();
    let all = schemas.composed_of([schema], |step| !step.is_inside());
    let all: HashSet<SchemaId> = all.collect();
    let mut meant = BTreeMap::new();
    for edge in schemas.all_edges() {
        if edge.kind != EdgeKind::Property || !all.contains(&edge.to) {
            continue;
        }
        let name = description.key_of(edge);
        let Some(name) = name.filter(|name| wanted.is_none_or(|wanted| wanted == *name)) else {
            continue;
        };
        let certainty = if certain.contains(&edge.to) {
            PropertyCertainty::Certain
        } else {
            PropertyCertainty::Possible
        };
        let known = meant.entry(edge.node);
        known.or_insert((name.to_owned(), certainty));
    }
    meant
}

impl Rule {
    /// The rule, about the field with this name.
    fn with_field_name(mut self, name: &str) -> Self {
        if let ElementPart::Field(field) = &mut self.element.part {
            name.clone_into(field);
        }
        self
    }
}
