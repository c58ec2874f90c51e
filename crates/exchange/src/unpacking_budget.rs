//! The size to which the compressed bodies of a part of a file may expand together.

use std::cell::Cell;

use super::coding::MAX_RATIO;
use super::{Body, Content, Reason, Skip};
use sundown_text_json::Limits;
use sundown_text_json::text::ExpansionFactor;

/// The size to which all bodies of a part of a file may expand besides [`MAX_RATIO`]: it allows every single body.
const ALWAYS_ALLOWED_OF_PART: usize = 256 * 1024 * 1024;

/// The size to which the compressed bodies of a part of a file may expand together. Each may be a small bomb.
#[derive(Debug)]
pub struct UnpackingBudget {
    limit: usize,
    left: Cell<usize>,
}

impl UnpackingBudget {
    /// No limit: for bodies that belong to no file.
    pub fn unlimited() -> Self {
        Self {
            limit: usize::MAX,
            left: Cell::new(usize::MAX),
        }
    }

    /// The limit for a part of so many bytes.
    pub fn of_part(bytes: usize, expansion: ExpansionFactor) -> Self {
        let limit = bytes
            .saturating_mul(MAX_RATIO)
            .saturating_add(ALWAYS_ALLOWED_OF_PART);
        let limit = expansion.times(limit);
        Self {
            limit,
            left: Cell::new(limit),
        }
    }

    /// The content of a body within the limits of a body and of the part.
    pub fn content<'b>(&self, body: &Body<'b>, limits: Limits) -> Result<Content<'b>, Skip> {
        let left = self.left.get();
        let record = limits.record.min(left);
        let content = body.content(Limits { record, ..limits });
        if let Ok(Content {
            bytes,
            is_unpacked: true,
        }) = &content
        {
            self.left.set(left.saturating_sub(bytes.len()));
        }
        content.map_err(|error| {
            if record == limits.record || !error.is_limit() {
                return error.into_skip(body.span);
            }
            // The next one may be smaller, but the result must not depend on that.
            self.left.set(0);
            let detail = format!(
                "the compressed bodies in this part of the file expand to more than {} bytes together",
                self.limit
            );
            Skip::at(Reason::ExpandsTooFar, body.span).because(detail)
        })
    }
}
