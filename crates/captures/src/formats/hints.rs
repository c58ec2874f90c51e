//! Chooses the format of a file by its content and by what the user says about it.

use super::registry::Format;
use super::sniff::{
    Sniffed, YamlDescription, is_yaml_description, sniff, sniff_head, yaml_description,
};
use super::spec::FormatReader;
use crate::body::begins_with_calls;
use crate::chunks::ReadOptions;
use crate::file_head::{FileHead, contains};
use crate::logs::{has_exchange, is_access_log, is_table};
use crate::shapes::Logs;
use sundown_exchange::Reason;
use sundown_text_json::Limits;
use sundown_text_json::text::Block;

/// What is known about a file besides its content.
pub struct FormatHints<'h> {
    /// The format that the user chose.
    pub format: Option<Format>,
    /// Whether the file may be a description in YAML: it was named, or its name says so.
    pub may_be_yaml: bool,
    /// Whether the file is a script of a shell by its name. One that is only included in others has no `#!`.
    pub is_script: bool,
    /// Whether the user or the configuration names the operation of bare bodies in the file.
    pub has_operation: bool,
    /// Whether the file is a body even if it looks like nothing.
    pub is_body_anyway: &'h dyn Fn() -> bool,
    /// What the configuration says about logs in the file.
    pub logs: Logs<'h>,
}

impl FormatHints<'_> {
    /// Chooses the format of a whole file.
    pub fn choose(&self, file: Block<'_>) -> Sniffed {
        self.choose_by(file, sniff)
    }

    /// Chooses the format of a large file by its beginning, if possible: bodies, and documents that must be seen completely, are
    /// read as a whole.
    pub fn choose_by_head(&self, head: Block<'_>, limits: Limits) -> Option<Sniffed> {
        let description = yaml_description(head, self.may_be_yaml);
        if self.format.is_none() && description == YamlDescription::WithoutVersion {
            return None;
        }
        let sniffed = self.choose_by(head, |head| {
            sniff_head(head).unwrap_or(Sniffed::Format(Format::Json))
        });
        let options = ReadOptions {
            limits,
            ..ReadOptions::new(&self.logs)
        };
        match sniffed {
            Sniffed::Format(format) if format.chunker(limits).is_none() => None,
            // Lines without an exchange are a body of several values.
            Sniffed::Format(Format::Ndjson)
                if self.format.is_none() && !has_exchange(head, limits, &self.logs) =>
            {
                None
            }
            Sniffed::Format(format)
                if matches!(format.reader(), FormatReader::Document)
                    && !begins_with_calls(head, &options) =>
            {
                None
            }
            sniffed => Some(sniffed),
        }
    }

    /// With a named operation, anything but an archive or lines of calls is a body. A log that the configuration names is a log.
    fn choose_by(&self, file: Block<'_>, sniff: impl Fn(Block<'_>) -> Sniffed) -> Sniffed {
        if let Some(format) = self.format.filter(|_| !file.bytes.is_empty()) {
            return Sniffed::Format(format);
        }
        if is_yaml_description(file, self.may_be_yaml) {
            return Sniffed::Format(Format::OpenApi);
        }
        let logs = &self.logs;
        match sniff(file) {
            Sniffed::Format(format @ (Format::Json | Format::Ndjson))
                if self.has_operation
                    && (format == Format::Json || !has_exchange(file, Limits::default(), logs)) =>
            {
                Sniffed::Format(Format::Body)
            }
            Sniffed::Not(Reason::NotAFormat, _) if (self.is_body_anyway)() => {
                Sniffed::Format(Format::Body)
            }
            // A body of the Kubernetes API looks like a manifest.
            Sniffed::Format(Format::Kubernetes)
                if FileHead::of(file).begins_with(b'{') && (self.is_body_anyway)() =>
            {
                Sniffed::Format(Format::Body)
            }
            // One record may look like a stub or a manifest.
            Sniffed::Format(Format::WireMock | Format::Kubernetes) if logs.declares_file() => {
                Sniffed::Format(Format::Json)
            }
            Sniffed::Not(Reason::NotAFormat, _)
            | Sniffed::Format(Format::Json | Format::Table | Format::RawHttp | Format::HttpFile)
                if logs.has_line_formats() && is_access_log(file, logs) =>
            {
                Sniffed::Format(Format::AccessLog)
            }
            Sniffed::Not(Reason::NotAFormat, _)
                if !logs.has_no_call_table() && is_table(file.bytes, file.text_start(), logs) =>
            {
                Sniffed::Format(Format::Table)
            }
            Sniffed::Not(Reason::NotAFormat, _) if logs.declares_file() => {
                Sniffed::Format(Format::Ndjson)
            }
            _ if self.is_script && contains(file.bytes, b"curl ") => Sniffed::Format(Format::Curl),
            other => other,
        }
    }
}
