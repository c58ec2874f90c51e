//! Rules that a rules file locates by `schema`: from references to properties of descriptions, as [`DescribedRules`] has them.
//!
//! A reference names a property, or a schema, which stands for all properties that have it. What a reference does not
//! find is a mistake of the rules file, with its place there.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::described::{PropertyRule, called};
use super::schema::SchemaReference;
use super::{DescribedRules, Element, Rule, Sides};
use crate::json::ValueRef;
use crate::openapi::{
    DateSources, DeprecationStatus, Description, Edge, EdgeKind, FileId, FileSource, LoadErrorKind,
    NodeId, SchemaId, SchemaStep, local_name,
};
use crate::text::did_you_mean;
use crate::toml_file::{MessageText, Mistake, WithSpan};

/// What a rules file wants of descriptions.
#[derive(Debug, Default)]
pub(super) struct SchemaLookups {
    /// The file that `description` names.
    pub(super) description: Option<WithSpan<String>>,
    /// Its rules that have a `schema`.
    pub(super) entries: Vec<SchemaLookup>,
}

/// A rule that has a `schema`.
#[derive(Debug)]
pub(super) struct SchemaLookup {
    /// Its number in the file.
    pub(super) rule: usize,
    /// Where it is.
    pub(super) reference: WithSpan<SchemaReference>,
    /// The sides on which it is looked for.
    pub(super) sides: Sides,
    /// Where the field's name stands, if it is given.
    pub(super) field: Option<Range<usize>>,
}

/// Rules with the places of those that a description locates.
#[derive(Debug)]
pub(super) struct LocatedRules {
    pub(super) rules: Vec<Rule>,
    pub(super) described: Vec<DescribedRules>,
    pub(super) mistakes: Vec<Mistake>,
}

/// Locates the rules of the rules file of this name.
///
/// A rule about a schema whose properties have several names becomes one for each of them, all of one id.
pub(super) fn locate(
    name: &str,
    rules: Vec<Rule>,
    wanted: &SchemaLookups,
    files: &dyn FileSource,
) -> LocatedRules {
    let mut locator = RuleLocator {
        base: name,
        files,
        known: HashMap::new(),
        atlases: Vec::new(),
        mistakes: Vec::new(),
    };
    if let Some(WithSpan { value, span }) = &wanted.description {
        locator.load(value, span);
    }
    let mut entries = wanted.entries.iter().peekable();
    let mut located = Vec::with_capacity(rules.len());
    for (number, rule) in rules.into_iter().enumerate() {
        match entries.next_if(|entry| entry.rule == number) {
            Some(entry) => locator.rule(&rule, entry, &mut located),
            None => located.push(rule),
        }
    }
    let RuleLocator { atlases, mistakes, .. } = locator;
    let described = atlases.into_iter().map(|atlas| DescribedRules {
        operations: called(&atlas.description).collect(),
        properties: atlas.located,
        description: atlas.description,
    });
    LocatedRules { rules: located, described: described.collect(), mistakes }
}

struct RuleLocator<'f> {
    /// The rules file's name.
    base: &'f str,
    files: &'f dyn FileSource,
    /// By name: the number of the description, or `None` where it cannot be read, which has been told.
    known: HashMap<String, Option<usize>>,
    atlases: Vec<DescriptionIndex>,
    mistakes: Vec<Mistake>,
}

/// A description, and where its properties stand.
struct DescriptionIndex {
    description: Arc<Description>,
    /// Numbers of edges, by the property as it stands in the description.
    properties: HashMap<NodeId, Vec<usize>>,
    /// What has been located.
    located: HashMap<NodeId, Vec<PropertyRule>>,
}

/// A property that a reference means.
struct MatchedProperty<'d> {
    place: NodeId,
    name: &'d str,
    is_possible: bool,
}

impl RuleLocator<'_> {
    /// The number of the description in this file.
    fn load(&mut self, file: &str, span: &Range<usize>) -> Option<usize> {
        let name = local_name(self.base, &super::schema::written_file(file))?;
        if let Some(known) = self.known.get(&name) {
            return *known;
        }
        let loaded = Description::load(&name, self.files, DateSources::Extensions)
            .and_then(Description::uncut);
        let number = match loaded {
            Ok(description) => {
                self.atlases.push(DescriptionIndex::of(description));
                Some(self.atlases.len() - 1)
            }
            Err(error) => {
                let at = error.at.map(|(_, at)| format!(":{}:{}", at.line, at.column));
                let rest = format!("{}: {}", at.unwrap_or_default(), error.kind);
                let message = MessageText::about(&error.file, &rest);
                let help = match error.kind {
                    LoadErrorKind::NoDescription => {
                        "name the description that refers to this file as the rules file's `description`"
                            .to_owned()
                    }
                    kind => kind.help(),
                };
                self.mistakes.push(Mistake::new(span.clone(), message).with_help(help));
                None
            }
        };
        self.known.insert(name, number);
        number
    }

    /// The description that knows the file, and the file there. What the rules file's own description refers to is
    /// located through that one.
    fn find(&mut self, wanted: &WithSpan<SchemaReference>) -> Option<(usize, FileId)> {
        let name = local_name(self.base, &super::schema::written_file(&wanted.value.file))?;
        let file = |atlas: &DescriptionIndex| atlas.description.file_named(&name);
        let known = self.atlases.iter().enumerate();
        let mut known = known.filter_map(|(number, atlas)| Some((number, file(atlas)?)));
        known.next().or_else(|| {
            let number = self.load(&wanted.value.file, &wanted.span)?;
            Some((number, FileId::FIRST))
        })
    }

    fn rule(&mut self, rule: &Rule, entry: &SchemaLookup, rules: &mut Vec<Rule>) {
        let Some((number, file)) = self.find(&entry.reference) else { return };
        let Some(atlas) = self.atlases.get_mut(number) else { return };
        let description = Arc::clone(&atlas.description);
        let meant = match atlas.meant(&description, file, rule, entry) {
            Ok(meant) => meant,
            Err(mistake) => {
                self.mistakes.push(mistake);
                return;
            }
        };
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for MatchedProperty { place, name, is_possible } in meant {
            let number = *numbers.entry(name).or_insert_with(|| {
                rules.push(rule.clone().called(name));
                rules.len() - 1
            });
            let property = PropertyRule { rule: number, is_possible, sides: entry.sides };
            atlas.located.entry(place).or_default().push(property);
        }
    }
}

impl DescriptionIndex {
    fn of(description: Description) -> Self {
        let mut properties: HashMap<NodeId, Vec<usize>> = HashMap::new();
        for (number, edge) in description.schemas().all_edges().iter().enumerate() {
            if edge.kind == EdgeKind::Property
                && let Some(schema) = description.schemas().get(edge.from)
            {
                let place = NodeId { file: schema.place.file, value: edge.member };
                properties.entry(place).or_default().push(number);
            }
        }
        Self { description: Arc::new(description), properties, located: HashMap::new() }
    }

    /// The properties that an entry means, each once, in the order of the description.
    fn meant<'d>(
        &self,
        description: &'d Description,
        file: FileId,
        rule: &Rule,
        entry: &SchemaLookup,
    ) -> Result<Vec<MatchedProperty<'d>>, Mistake> {
        let reference = &entry.reference;
        let wrong = |message: String| Mistake::new(reference.span.clone(), message);
        let value = value_at(description, file, &reference.value)
            .map_err(|(message, help)| wrong(message).with_help(help))?;
        let edges = description.schemas().all_edges();
        let place = NodeId { file, value: value.id() };
        if let (Some(numbers), Some(name)) = (self.properties.get(&place), value.key()) {
            if let Some(field) = &entry.field
                && rule.element.name() != Some(name)
            {
                let message = format!("`schema` is about the property `{name}`");
                let help = "leave out `field`, which `schema` says already";
                return Err(Mistake::new(field.clone(), message).with_help(help));
            }
            let edges = numbers.iter().filter_map(|&number| edges.get(number));
            let mut verdicts = edges.map(|edge| description.verdict_of(edge.to));
            let is_possible = verdicts.any(|verdict| verdict == DeprecationStatus::Possible);
            return Ok(vec![MatchedProperty { place, name, is_possible }]);
        }
        let resolved = NodeId { file, value: value.resolved().id() };
        let Some(schema) = description.schemas().at(resolved) else {
            return Err(wrong(format!("`{}` is no property and no schema", reference.value))
                .with_help(
                    "point at a property: …/properties/NAME, or at a schema that properties have",
                ));
        };
        if entry.field.is_none() && !rule.places.is_empty() {
            return Err(wrong(
                "`also` needs the field's name, and this is a whole schema".to_owned(),
            )
            .with_help("give `field`, or make a rule of its own of what is in `also`"));
        }
        let wanted = entry.field.as_ref().and_then(|_| rule.element.name());
        let meant = having(description, schema, wanted);
        if meant.is_empty() {
            let of = wanted.map(|name| format!(" called `{name}`")).unwrap_or_default();
            return Err(wrong(format!("no property{of} has the schema `{}`", reference.value))
                .with_help("point at the property that is deprecated: …/properties/NAME"));
        }
        Ok(meant)
    }
}

/// What stands at a reference's place, or why nothing does, and what to do about it.
fn value_at<'d>(
    description: &'d Description,
    file: FileId,
    reference: &SchemaReference,
) -> Result<ValueRef<'d>, (String, String)> {
    let missing = || format!("there is no `#{}` in {}", reference.pointer, reference.file);
    let root = description.file(file).map(|file| file.document.root());
    let mut value = root.ok_or_else(|| (missing(), "correct the path".to_owned()))?;
    for token in reference.pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        value = value.step(&token).ok_or_else(|| {
            let names = value.children().filter_map(ValueRef::key);
            let help = match did_you_mean(&token, names) {
                Some(name) => format!("`{token}` is not there; did you mean `{name}`?"),
                None => format!(
                    "it leads as far as `#{}`; in a name, `/` is written ~1 and `~` ~0",
                    value.pointer()
                ),
            };
            (missing(), help)
        })?;
    }
    Ok(value)
}

/// The properties that have a schema, or are composed of it; only those of this name where one is given.
fn having<'d>(
    description: &'d Description,
    schema: SchemaId,
    wanted: Option<&str>,
) -> Vec<MatchedProperty<'d>> {
    let certain = composed_of(description, HashSet::from([schema]), &[SchemaStep::Always]);
    let all = composed_of(description, certain.clone(), &[SchemaStep::Always, SchemaStep::Perhaps]);
    let mut meant: BTreeMap<NodeId, MatchedProperty<'d>> = BTreeMap::new();
    let has = |edge: &&Edge| edge.kind == EdgeKind::Property && all.contains(&edge.to);
    for edge in description.schemas().all_edges().iter().filter(has) {
        let Some((name, label)) = description.property(edge) else { continue };
        if wanted.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let place = NodeId { file: label.file, value: edge.member };
        let is_possible = !certain.contains(&edge.to);
        meant.entry(place).or_insert(MatchedProperty { place, name, is_possible });
    }
    meant.into_values().collect()
}

/// These schemas, and all that are composed of them by such steps.
fn composed_of(
    description: &Description,
    mut schemas: HashSet<SchemaId>,
    steps: &[SchemaStep],
) -> HashSet<SchemaId> {
    let edges = description.schemas().all_edges().iter();
    let mut into: HashMap<SchemaId, Vec<SchemaId>> = HashMap::new();
    for edge in edges.filter(|edge| steps.contains(&edge.kind.step())) {
        into.entry(edge.to).or_default().push(edge.from);
    }
    let mut open: Vec<SchemaId> = schemas.iter().copied().collect();
    while let Some(schema) = open.pop() {
        let holders = into.get(&schema).into_iter().flatten();
        open.extend(holders.filter(|&&holder| schemas.insert(holder)));
    }
    schemas
}

impl Rule {
    /// The same about the field of this name.
    fn called(mut self, name: &str) -> Self {
        if let Element::Field(field) = &mut self.element {
            name.clone_into(&mut field.name);
        }
        self
    }
}
