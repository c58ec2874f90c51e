//! `[[log]]`: where the records of a log have the parts of an exchange, or the order of the fields in its lines.

use super::readers::read_glob_list;
use sundown_captures::LogShape;
use sundown_files::toml_file::TableReader;

/// Reads one table.
pub(super) fn read_log(fields: TableReader<'_>) -> Option<LogShape> {
    let has_files = fields.has("files");
    let mut shape = LogShape::read(&fields);
    shape.read_ignored(&fields);
    shape.files = if has_files {
        read_glob_list("files", &fields)
    } else {
        fields.one_or_more("files").and(None)
    };
    let has_call = [
        "url",
        "path",
        "request-line",
        "unwrap",
        "records",
        "correlation",
        "log-format",
        "ignore",
    ]
    .iter()
    .any(|key| fields.has(key));
    if !has_call {
        fields.refuse_incomplete(
            "none of `url`, `path`, `log-format` and `ignore` is given",
            "give the location of the URL: url = \"/http/url\"; or the format of lines that are not JSON",
        );
    }
    fields.finish();
    // An invalid list of files must not select all files.
    (shape.files.is_some() || !has_files).then_some(shape)
}
