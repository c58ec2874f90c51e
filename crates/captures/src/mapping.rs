//! Logs in layouts of their own, for which users declare where the parts of an exchange are.

use super::access_log::LogFormat;
use super::located::{LocatedMessage, LocatedRecord, TargetForm};
use super::members::find_base64_sign;
use sundown_exchange::RecordPlace;
use sundown_exchange::{Exchange, Method};
use sundown_files::{FileName, GlobList};
use sundown_text_json::json::pointer::Pointer;
use sundown_text_json::json::{Node, ValueKind};

/// The places of the parts of an exchange in the records of some logs.
#[derive(Debug, Clone, Default)]
pub struct LogMapping {
    /// The logs; `None`: all of them.
    pub files: Option<GlobList>,
    /// The format of lines that are not JSON. All other members are about JSON records.
    pub format: Option<LogFormat>,
    /// The method.
    pub method: Option<Pointer>,
    /// The URL.
    pub url: Option<Pointer>,
    /// The path, for records without a URL.
    pub path: Option<Pointer>,
    /// The query, if it is separate.
    pub query: Option<Pointer>,
    /// The host, if the URL does not contain it.
    pub host: Option<Pointer>,
    /// The status of the response.
    pub status: Option<Pointer>,
    /// The time at which it began.
    pub started: Option<Pointer>,
    /// The request.
    pub request: MessageMapping,
    /// The response.
    pub response: MessageMapping,
}

/// The places of the parts of one half of an exchange.
#[derive(Debug, Clone, Default)]
pub struct MessageMapping {
    /// The header fields.
    pub headers: Option<Pointer>,
    /// The body, as JSON or as a string that holds it.
    pub body: Option<Pointer>,
}

/// The mappings of one file, in their order.
#[derive(Debug, Clone, Default)]
pub struct Logs<'m>(Vec<&'m LogMapping>);

impl<'m> Logs<'m> {
    /// The mappings of `mappings` that apply to the file.
    pub fn of(mappings: &'m [LogMapping], file: &FileName) -> Self {
        Self(
            mappings
                .iter()
                .filter(|mapping| {
                    mapping
                        .files
                        .as_ref()
                        .is_none_or(|files| files.matches(file))
                })
                .collect(),
        )
    }

    /// Returns whether no mapping is about JSON records.
    pub(super) fn has_no_record_mapping(&self) -> bool {
        self.0
            .iter()
            .all(|mapping| mapping.url.is_none() && mapping.path.is_none())
    }

    /// The formats of lines that are not JSON.
    pub(super) fn formats(&self) -> impl Iterator<Item = &'m LogFormat> {
        self.0.iter().filter_map(|mapping| mapping.format.as_ref())
    }

    /// Returns whether some mapping gives the format of lines that are not JSON.
    pub(crate) fn has_line_formats(&self) -> bool {
        self.formats().next().is_some()
    }

    /// Returns whether the user gave the format of the lines of this very file.
    pub(super) fn declares_line_format(&self) -> bool {
        self.0
            .iter()
            .any(|mapping| mapping.files.is_some() && mapping.format.is_some())
    }

    /// Returns whether the user named the file as a log.
    pub fn declares_file(&self) -> bool {
        self.0.iter().any(|mapping| mapping.files.is_some())
    }

    /// Reads a record by the first mapping that makes it an exchange.
    pub(super) fn exchange<'a>(
        &self,
        record: Node<'_>,
        place: RecordPlace<'a>,
    ) -> Option<Exchange<'a>> {
        self.0
            .iter()
            .find_map(|mapping| mapping.locate(record)?.build(place))
    }
}

impl LogMapping {
    /// Locates the pieces of a record; `None` if it lacks the URL and the path, or a method or status that is mapped.
    fn locate<'t>(&self, record: Node<'t>) -> Option<LocatedRecord<Node<'t>>> {
        let at = |pointer: &Option<Pointer>| {
            record
                .at(pointer.as_ref()?)
                .filter(|node| node.kind() != ValueKind::Null)
        };
        let text = |pointer| at(pointer).filter(|node| node.kind() == ValueKind::String);
        let url = text(&self.url).or_else(|| text(&self.path))?;
        let method = text(&self.method);
        let status = at(&self.status);
        if self.method.is_some() && method.is_none() || self.status.is_some() && status.is_none() {
            return None;
        }
        let message = |mapping: &MessageMapping| {
            let body = at(&mapping.body);
            LocatedMessage {
                headers: at(&mapping.headers),
                body,
                left_out: None,
                base64: body.and_then(|body| find_base64_sign(record, body)),
                unknown: None,
            }
        };
        Some(LocatedRecord {
            // Some write `-` where they do not know it.
            method: method.filter(|node| {
                node.as_str()
                    .is_some_and(|method| Method::parse(method).is_some())
            }),
            url,
            form: TargetForm::Url,
            host: text(&self.host),
            queries: at(&self.query).into_iter().collect(),
            started: at(&self.started),
            status,
            annotations: None,
            stage: None,
            request: message(&self.request),
            response: message(&self.response),
        })
    }
}
