//! Chooses the described bodies that a message can have: those of its status and its media type.

use super::{BodyRoot, SchemaGraph, several};
use crate::operation::{Carrier, DescribedBody};
use sundown_selector::automaton::Nodes;

/// The bodies with which a walk over several graphs may start.
#[derive(Debug, Default)]
pub struct BodyChoice(Vec<Vec<StartingBody>>);

/// A body by its node before the first step of its graph.
#[derive(Debug)]
struct StartingBody {
    node: u32,
    carrier: Carrier,
    /// In lower case, without parameters.
    media_type: String,
}

impl BodyChoice {
    /// Adds the bodies of the next graph.
    pub fn add<'d>(
        &mut self,
        graph: &SchemaGraph,
        bodies: impl Iterator<Item = (BodyRoot, &'d DescribedBody)>,
    ) {
        let bodies = bodies.filter_map(|(root, body)| {
            let written = body.media_type.split(';').next().unwrap_or_default();
            Some(StartingBody {
                node: *graph.start(&[root]).first()?,
                carrier: body.carrier.clone(),
                media_type: written.trim().to_ascii_lowercase(),
            })
        });
        self.0.push(bodies.collect());
    }

    /// Whether the status or the media type of a message may decide anything.
    pub fn is_open(&self) -> bool {
        self.0.iter().any(|bodies| bodies.len() > 1)
    }

    /// The nodes of the bodies that a message with this status and this media type can have. The most exact keys apply, as OpenAPI
    /// says; a message that fits none of them may have any of the bodies.
    pub fn nodes(&self, status: Option<u16>, media_type: Option<&str>) -> Nodes {
        let parts = self.0.iter().map(|bodies| {
            let all = bodies.iter().collect();
            let of_status = most_exact(all, |body| body.rank_of_status(status));
            let found = most_exact(of_status, |body| body.rank_of_media_type(media_type));
            let mut nodes: Vec<u32> = found.iter().map(|body| body.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes.into()
        });
        several::join(&parts.collect::<Vec<_>>())
    }
}

/// The bodies with the highest rank. All have it if a message fits none.
fn most_exact(
    bodies: Vec<&StartingBody>,
    rank: impl Fn(&StartingBody) -> u8,
) -> Vec<&StartingBody> {
    let most = bodies.iter().map(|body| rank(body)).max();
    let is_most = |body: &&StartingBody| Some(rank(body)) == most;
    bodies.into_iter().filter(is_most).collect()
}

impl StartingBody {
    fn rank_of_status(&self, status: Option<u16>) -> u8 {
        let (Carrier::Response(key), Some(status)) = (&self.carrier, status) else {
            return 0;
        };
        let is_class = || {
            let class = key.strip_suffix("XX").or_else(|| key.strip_suffix("xx"));
            class.is_some_and(|class| *class == (status / 100).to_string())
        };
        match &**key {
            key if *key == status.to_string() => 3,
            _ if is_class() => 2,
            "default" => 1,
            _ => 0,
        }
    }

    fn rank_of_media_type(&self, media_type: Option<&str>) -> u8 {
        let Some(media_type) = media_type else {
            return 0;
        };
        let of_range = |range: &str| media_type.split('/').next() == Some(range);
        match &*self.media_type {
            own if own == media_type => 3,
            "*/*" => 1,
            own => 2 * u8::from(own.strip_suffix("/*").is_some_and(of_range)),
        }
    }
}
