//! The readings of a record in which members of the same name occur several times, or a body has several forms.

use super::found::Found;
use super::located::{LocatedMessage, LocatedRecord};
use sundown_exchange::RecordPlace;
use sundown_text_json::json::Node;

impl<'t> LocatedRecord<'t> {
    /// The number of exchanges that one record may become.
    pub(crate) const MAX_READINGS: usize = 64;

    /// The readings: parsers differ in which of several members they keep. Every body is in one of them.
    pub(crate) fn readings(&self, found: &Found<'t, '_>, place: RecordPlace<'_>) -> Vec<Self> {
        let forms = [&self.request, &self.response].map(|message| message.other_forms(place));
        if !found.has_duplicates() && forms.iter().all(Vec::is_empty) {
            return vec![self.clone()];
        }
        let all = |node: Option<Node<'t>>| node.map_or_else(Vec::new, |node| self.all(node, found));
        let [sent_again, answered_again] = forms;
        let methods = all(self.method);
        let urls = all(Some(self.url));
        let sent = [all(self.request.body), sent_again].concat();
        let answered = [all(self.response.body), answered_again].concat();
        let counts = [&methods, &urls, &sent, &answered].map(Vec::len);
        let count = counts.into_iter().max().unwrap_or_default();
        let others = (1..count.min(Self::MAX_READINGS)).map(|number| {
            let url = urls.get(number).copied();
            let method = methods.get(number).copied();
            // What was read once must not count twice.
            let is_other_call = url.or(method).is_some();
            let message = |from: &LocatedMessage<'t>, bodies: &[Node<'t>]| LocatedMessage {
                body: bodies
                    .get(number)
                    .copied()
                    .or(from.body.filter(|_| is_other_call)),
                headers: from.headers.filter(|_| is_other_call),
                ..from.clone()
            };
            Self {
                method: method.or(self.method),
                url: url.unwrap_or(self.url),
                request: message(&self.request, &sent),
                response: message(&self.response, &answered),
                ..self.clone()
            }
        });
        [self.clone()].into_iter().chain(others).collect()
    }

    /// The values with the same path of names as a value, itself included, as many as there may be readings. The same name may be nested in one place and joined by
    /// dots in another.
    fn all(&self, node: Node<'t>, found: &Found<'t, '_>) -> Vec<Node<'t>> {
        let up = std::iter::successors(Some(node), |node| node.parent());
        let path: Vec<_> = up
            .take_while(|node| node.index() != self.record.index())
            .collect();
        let mut all = vec![self.record];
        for step in path.into_iter().rev() {
            all = match step.key() {
                Some(key) => all
                    .into_iter()
                    .flat_map(|node| node.children().filter(|child| child.is_called(key)))
                    .take(Self::MAX_READINGS)
                    .collect(),
                None => vec![step],
            };
        }
        for duplicate in found.duplicates_of(node) {
            if all.len() >= Self::MAX_READINGS {
                break;
            }
            if all.iter().all(|known| known.index() != duplicate.index()) {
                all.push(duplicate);
            }
        }
        all
    }
}
