//! Chooses the described bodies that a message can have: those of its status and its media type.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::several;
use crate::{Carrier, DescribedBody, NodeId, SchemaGraphs, SchemaId};
use sundown_selector::automaton::Nodes;

/// A body with which a walk may start, for one media type and status.
#[derive(Debug, Clone)]
pub struct BodyRoot {
    /// The index of the call that may have it.
    pub call: usize,
    /// Where the body gives its schema.
    pub node: NodeId,
    /// The schema.
    pub schema: SchemaId,
    /// Whether the rules about `node` are about this body.
    pub has_rules: bool,
    pub carrier: Carrier,
    /// In lower case, without parameters.
    pub media_type: String,
}

/// The bodies with which a walk over several graphs may start.
#[derive(Debug, Default)]
pub struct BodyChoice {
    /// By graph: the bodies, each with its node before the first step.
    graphs: Vec<Vec<(u32, BodyRoot)>>,
    /// The nodes for each status that decides alone.
    known: RefCell<HashMap<Option<u16>, Nodes>>,
}

impl SchemaGraphs {
    /// The choice between the bodies of a call.
    pub fn choice(&self, call: usize) -> BodyChoice {
        let graphs = self.0.iter().map(|graph| {
            let first = graph.roots.partition_point(|root| root.call < call);
            let own = (0..).zip(&graph.roots).skip(first);
            let own = own.take_while(|(_, root)| root.call == call);
            own.map(|(node, root)| (node, root.clone())).collect()
        });
        BodyChoice {
            graphs: graphs.collect(),
            known: RefCell::default(),
        }
    }
}

impl BodyChoice {
    /// The nodes of the bodies that are chosen in each graph.
    fn join(&self, choose: impl FnMut(&Vec<(u32, BodyRoot)>) -> Vec<&(u32, BodyRoot)>) -> Nodes {
        let chosen = self.graphs.iter().map(choose);
        several::join(chosen.map(|bodies| {
            let nodes: BTreeSet<u32> = bodies.iter().map(|(node, _)| *node).collect();
            nodes.into_iter().collect()
        }))
    }

    /// The nodes of the bodies that a message can have which a description describes like this; of all bodies without a description.
    pub fn nodes_like(&self, described: Option<&DescribedBody>) -> Nodes {
        let Some(described) = described else {
            return self.join(|bodies| bodies.iter().collect());
        };
        let status = match &described.carrier {
            Carrier::Response(key) => Some(&**key),
            Carrier::Request => None,
        };
        let media_type = bare_type(&described.media_type);
        self.choose(status, || Some(&media_type)).0
    }

    /// Whether the status or the media type of a message may decide anything.
    pub fn is_open(&self) -> bool {
        self.graphs.iter().any(|bodies| bodies.len() > 1)
    }

    /// The nodes of the bodies that a message with this status and this media type can have. The most exact keys apply, as OpenAPI
    /// says; a message that fits none of them may have any of the bodies. The media type is asked for only if it decides.
    pub fn nodes<'m>(
        &self,
        status: Option<u16>,
        media_type: impl Fn() -> Option<&'m str>,
    ) -> Nodes {
        // Most calls of an operation have one of a few statuses.
        if let Some(known) = self.known.borrow().get(&status) {
            return known.clone();
        }
        let key = status.map(|status| status.to_string());
        let (nodes, is_decided) = self.choose(key.as_deref(), media_type);
        if is_decided {
            self.known.borrow_mut().insert(status, nodes.clone());
        }
        nodes
    }

    /// The nodes of the bodies with the most exact keys, and whether the status alone has decided.
    fn choose<'m>(
        &self,
        status: Option<&str>,
        media_type: impl Fn() -> Option<&'m str>,
    ) -> (Nodes, bool) {
        let mut is_decided = true;
        let nodes = self.join(|bodies| {
            let found = most_exact(bodies.iter(), |body| body.rank_of_status(status));
            let mut others = found.iter();
            if others.all(|(_, body)| body.media_type == found[0].1.media_type) {
                return found;
            }
            is_decided = false;
            let media_type = media_type();
            most_exact(found.into_iter(), |body| {
                body.rank_of_media_type(media_type)
            })
        });
        (nodes, is_decided)
    }
}

/// The bodies with the highest rank. All have it if a message fits none.
fn most_exact<'b>(
    bodies: impl Iterator<Item = &'b (u32, BodyRoot)> + Clone,
    rank: impl Fn(&BodyRoot) -> u8,
) -> Vec<&'b (u32, BodyRoot)> {
    let most = bodies.clone().map(|(_, body)| rank(body)).max();
    bodies
        .filter(|(_, body)| Some(rank(body)) == most)
        .collect()
}

/// A media type in lower case and without parameters.
fn bare_type(written: &str) -> String {
    let name = written.split(';').next().unwrap_or_default();
    name.trim().to_ascii_lowercase()
}

impl BodyRoot {
    /// The body of a call, if its schema is known.
    pub fn of(body: &DescribedBody, call: usize, has_rules: bool) -> Option<Self> {
        Some(Self {
            call,
            node: body.node,
            schema: body.schema?,
            has_rules,
            carrier: body.carrier.clone(),
            media_type: bare_type(&body.media_type),
        })
    }

    /// How exactly the key of a response is a status, or that of another response: `404`, `4XX`, `default`.
    fn rank_of_status(&self, status: Option<&str>) -> u8 {
        let (Carrier::Response(key), Some(status)) = (&self.carrier, status) else {
            return 0;
        };
        let class = key.strip_suffix("XX").or_else(|| key.strip_suffix("xx"));
        let is_status = status.parse::<u16>().is_ok();
        match class {
            _ if &**key == status => 3,
            Some(class) => {
                let is_of_class = class.len() == 1 && status.starts_with(class);
                2 * u8::from(is_status && is_of_class)
            }
            None => u8::from(is_status && &**key == "default"),
        }
    }

    fn rank_of_media_type(&self, media_type: Option<&str>) -> u8 {
        let Some(media_type) = media_type else {
            return 0;
        };
        match &*self.media_type {
            own if own == media_type => 3,
            "*/*" => 1,
            own if own.strip_suffix("/*") == media_type.split('/').next() => 2,
            _ => 0,
        }
    }
}
