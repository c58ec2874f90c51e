//! Cassettes in YAML, read item by item.

use super::items;
use crate::documents::{reason, reason_at_end, skip_of};
use crate::records::{emit_part, parts_of_interaction};
use crate::shapes::LogShape;
use sundown_exchange::{Reason, RecordPlace, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{
    Document, DocumentError, DocumentErrorKind, DocumentFormat, Node, NodeIndex, SyntaxErrorKind,
    ValueKind, valid_prefix,
};
use sundown_text_json::text::Span;

/// A cassette that is being read.
pub(super) struct CassetteReader<'t, 'a> {
    pub recorder: &'t LogShape,
    pub file: &'a [u8],
    /// The offset of its text.
    pub start: usize,
    pub limits: Limits,
    pub sink: &'t mut dyn RecordSink,
    /// The indentation of the items.
    pub margin: usize,
    /// The whole cassette, as soon as an interaction needs it, and its interactions.
    pub shared: Option<Result<(Document<'static>, Vec<NodeIndex>), DocumentError>>,
}

impl CassetteReader<'_, '_> {
    pub(super) fn read(&mut self) {
        let (file, recorder) = (self.file, self.recorder);
        let list = items::find(file, self.start, recorder.list()).unwrap_or_default();
        let Some((end, items)) = list.items.split_last() else {
            return self.whole();
        };
        if let Some(at) = list.further {
            let further = Skip::at(Reason::InvalidYaml, Span::new(at, file.len()));
            self.sink
                .skip(further.because("a further document behind the first"));
        }
        self.margin = list.margin;
        for (index, &item) in items.iter().enumerate() {
            self.item(index, item, true);
        }
        // Tools that rewrite cassettes drop what follows the list: only an item that is not whole was cut.
        let is_sure = list.is_marked_after && recorder.end.is_some();
        self.item(items.len(), *end, is_sure);
    }

    fn truncated(&mut self, lost: Span) {
        self.sink.skip(Skip::at(Reason::Truncated, lost));
    }

    /// Passes on the interaction of this number, in a document that begins at byte `start`.
    pub(super) fn interaction(
        &mut self,
        index: usize,
        interaction: Node<'_>,
        answer: Option<Node<'_>>,
        start: usize,
    ) {
        let place = RecordPlace {
            file: self.file,
            start,
        };
        for part in parts_of_interaction(interaction, answer, self.recorder, place, self.limits) {
            emit_part(part, index, self.sink);
        }
    }

    fn parse<'t>(&self, text: &'t [u8]) -> Result<Document<'t>, DocumentError> {
        Document::parse_bytes_within(text, DocumentFormat::Yaml, self.limits)
    }

    /// Parses the whole cassette.
    fn parse_all(&self) -> Result<Document<'static>, DocumentError> {
        let text = self.file.get(self.start..).unwrap_or_default();
        self.parse(text).map(Document::into_owned)
    }

    /// Reads one item, as a list of one. Returns whether it is whole; if not, that has been reported.
    fn item(&mut self, index: usize, span: Span, is_sure: bool) -> bool {
        let written = span.slice(self.file);
        let error = match self.parse(written) {
            Ok(document) => {
                let interaction = document.root().element(0).unwrap_or(document.root());
                let is_whole = is_sure || self.is_whole(written, interaction);
                if is_whole {
                    self.interaction(index, interaction, None, span.start);
                } else {
                    self.truncated(span);
                }
                return is_whole;
            }
            Err(error) => error,
        };
        if error.kind != DocumentErrorKind::UnknownAnchor {
            return self.refuse(&error, span, is_sure);
        }
        let list = self.recorder.list();
        let all = self.shared.take().unwrap_or_else(|| {
            let all = self.parse_all()?;
            let items = all.root().children_of(list).map(Node::index).collect();
            Ok((all, items))
        });
        let found = all
            .as_ref()
            .map(|(all, items)| Some(all.node(*items.get(index)?)));
        let is_whole = match found {
            Ok(Some(interaction)) => {
                self.interaction(index, interaction, None, self.start);
                true
            }
            // If all items together expand too far, that is the better reason.
            Err(DocumentError { kind, .. })
                if matches!(kind, DocumentErrorKind::TooManyAliases(_)) =>
            {
                let kind = kind.clone();
                self.refuse(&DocumentError { kind, ..error }, span, true)
            }
            _ => self.refuse(&error, span, true),
        };
        self.shared = Some(all);
        is_whole
    }

    /// Whether the members of an interaction's messages are those that the recorder writes, in its order. Only other serializers
    /// indent the list, and vcr for R says in each interaction what recorded it.
    fn is_in_order(&self, interaction: Node<'_>) -> bool {
        let mut order = self.recorder.order.iter();
        let mut messages = ["request", "response"].into_iter();
        self.margin == 0
            && interaction.get("recorded_with").is_none()
            && messages.all(|message| {
                interaction.children_of(message).all(|member| {
                    let mut names = order.by_ref().filter_map(|name| name.split_once('.'));
                    names.any(|name| Some(name) == member.key().map(|key| (message, key)))
                })
            })
    }

    /// Whether the complete lines of an item end with the member that the recorder writes last, in any style of YAML. If another
    /// tool wrote the item, or sorted its members, a response is enough.
    fn is_whole(&self, item: &[u8], interaction: Node<'_>) -> bool {
        let lines = memchr::memrchr(b'\n', item).map_or(0, |feed| feed + 1);
        if lines < item.len() {
            let lines = item.get(..lines).unwrap_or_default();
            let document = self.parse(lines).ok();
            let interaction = document.as_ref().and_then(|all| all.root().element(0));
            return interaction.is_some_and(|interaction| self.is_whole(lines, interaction));
        }
        let last = self.recorder.order.last().map_or("", String::as_str);
        let has_last = last.split('.').try_fold(interaction, Node::get).is_some();
        let ends_with = interaction.children().last().and_then(Node::key);
        if has_last && ends_with == last.split('.').next() {
            return true;
        }
        let is_other = has_last || self.recorder.end.is_some() && !self.is_in_order(interaction);
        is_other
            && interaction.get("response").is_some_and(|response| {
                let is_stated = response.kind() == ValueKind::Null && !response.raw().is_empty();
                is_stated
                    || [["status", "status_code"], ["body", "content"]]
                        .iter()
                        .all(|names| names.iter().any(|name| response.get(name).is_some()))
            })
    }

    /// Reads a cassette whose list is not written line by line.
    fn whole(&mut self) {
        let all = Span::new(self.start, self.file.len());
        let document = match self.parse_all() {
            Ok(document) => document,
            Err(error) => {
                self.refuse(&error, all, false);
                return;
            }
        };
        match document.root().get(self.recorder.list()) {
            // The list that should follow is cut off.
            Some(list) if list.kind() != ValueKind::Array => self.truncated(all),
            Some(list) => {
                for (index, interaction) in list.children().enumerate() {
                    self.interaction(index, interaction, None, self.start);
                }
            }
            None => self.sink.skip(Skip::at(Reason::NoExchange, all)),
        }
    }

    /// Reports a piece that is not YAML, or YAML that is not supported. Returns whether the file does not end in it.
    fn refuse(&mut self, error: &DocumentError, piece: Span, is_sure: bool) -> bool {
        let (text, cut) = valid_prefix(piece.slice(self.file));
        let is_at_end = match cut {
            Some(cut) => cut.kind == SyntaxErrorKind::UnexpectedEnd,
            // A fault in a line that does not end may come from the end of the file.
            None if !text.ends_with('\n') => true,
            None => reason_at_end(text, error, self.limits) == Reason::Truncated,
        };
        if is_at_end && !is_sure {
            self.truncated(piece);
            return false;
        }
        self.sink.skip(Skip {
            bytes: piece.len(),
            ..skip_of(reason(error), error, piece)
        });
        true
    }
}
