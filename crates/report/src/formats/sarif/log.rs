//! The part of SARIF 2.1.0 that is written. Section numbers are those of the OASIS standard.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

/// A file (3.13).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLog<'r> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [SarifRun<'r>; 1],
}

/// A run of the tool (3.14).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRun<'r> {
    pub(super) tool: SarifTool<'r>,
    pub(super) invocations: [Invocation; 1],
    pub(super) column_kind: &'static str,
    pub(super) results: Vec<SarifResult<'r>>,
    pub(super) properties: RunProperties<'r>,
}

#[derive(Serialize)]
pub(super) struct RunProperties<'r> {
    pub(super) as_of: String,
    /// The counts of the `json` report, over all findings.
    pub(super) summary: crate::formats::json::JsonSummary<'r>,
    pub(super) results_left_out: usize,
}

/// The tool that made the run (3.18).
#[derive(Serialize)]
pub(super) struct SarifTool<'r> {
    pub(super) driver: Driver<'r>,
}

/// Its main part (3.19).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver<'r> {
    pub(super) name: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<RuleDescriptor<'r>>,
    pub(super) notifications: Vec<NotificationDescriptor>,
}

/// A rule (3.49).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleDescriptor<'r> {
    pub(super) id: Cow<'r, str>,
    pub(super) short_description: SarifMessage,
    pub(super) full_description: SarifMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help_uri: Option<&'r str>,
    pub(super) help: SarifMessage,
    pub(super) properties: RuleProperties,
}

#[derive(Serialize)]
pub(super) struct RuleProperties {
    pub(super) tags: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) removal: Option<String>,
}

/// Why something was not checked (3.49).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NotificationDescriptor {
    pub(super) id: &'static str,
    pub(super) short_description: SarifMessage,
}

/// The outcome of the run and its messages (3.20).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) tool_execution_notifications: Vec<Notification>,
}

/// A message about the run that is not a result (3.58).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Notification {
    pub(super) descriptor: DescriptorReference,
    pub(super) level: &'static str,
    pub(super) message: SarifMessage,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) locations: Vec<SarifLocation>,
    pub(super) properties: NotificationProperties,
}

#[derive(Serialize)]
pub(super) struct NotificationProperties {
    pub(super) count: usize,
    pub(super) bytes: usize,
}

/// A descriptor by name and number (3.52).
#[derive(Serialize)]
pub(super) struct DescriptorReference {
    pub(super) id: &'static str,
    pub(super) index: usize,
}

/// A finding (3.27).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult<'r> {
    pub(super) rule_id: Cow<'r, str>,
    pub(super) rule_index: usize,
    pub(super) level: &'static str,
    pub(super) message: SarifMessage,
    pub(super) locations: [SarifLocation; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<SarifLocation>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    pub(super) occurrence_count: usize,
    pub(super) properties: ResultProperties<'r>,
}

#[derive(Serialize)]
pub(super) struct ResultProperties<'r> {
    pub(super) operation: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) announced_for: Option<String>,
    pub(super) side: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pointer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replacement: Option<&'r str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) replacement_present: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) removal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) days_left: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exchange: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decompressed_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) evidence: Option<crate::formats::json::JsonEvidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) allowance: Option<crate::formats::json::JsonAllowance<'r>>,
}

/// A location (3.28).
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLocation {
    /// Unique among the related locations of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<SarifMessage>,
}

/// A part of a program (3.33).
#[derive(Serialize)]
pub(super) struct LogicalLocation {
    pub(super) name: String,
    pub(super) kind: &'static str,
}

/// A file and a part of it (3.29).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

/// A file (3.4).
#[derive(Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
}

/// A part of a file (3.30): one-based lines and columns; bytes count from zero.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_length: Option<usize>,
}

/// Plain text (3.11.3).
#[derive(Serialize)]
pub(super) struct SarifMessage {
    text: String,
}

impl SarifMessage {
    /// A message with the given text, in which placeholders (3.11.5) and links (3.11.6) are escaped.
    pub(super) fn new(text: &str) -> Self {
        let mut message = String::new();
        for character in sundown_text_json::text::escape_unsafe(text).chars() {
            match character {
                '{' => message.push_str("{{"),
                '}' => message.push_str("}}"),
                '[' | ']' | '\\' => message.extend(['\\', character]),
                plain => message.push(plain),
            }
        }
        Self { text: message }
    }
}
