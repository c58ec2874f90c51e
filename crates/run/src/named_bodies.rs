//! The bodies that a capture keeps in files of their own, and names: `bodyFileName` of a stub, `_file` of an archive, `@file` of a command.

use std::cell::Cell;
use std::path::Path;

use super::check_options::CheckOptions;
use sundown_captures::InputFile;
use sundown_exchange::Unread;
use sundown_files::FileName;
use sundown_openapi::{FileSource as _, LocalFiles};
use sundown_text_json::Limits;

/// How many folders around a capture may have the file.
const MAX_FOLDERS: usize = 12;

/// The folder of `WireMock`'s stubs; the one with their bodies is beside it.
const MAPPINGS: &str = "mappings";

/// The folder with the bodies of `WireMock`'s stubs.
const BODY_FILES: &str = "__files/";

/// Reads the file that has a body, and returns its name. It must be where the files may be that a description refers to, below a folder
/// around the capture: the nearest that has it. `room` is the number of bytes that may still be read for a part of the capture.
pub(super) fn read_named_body(
    options: &CheckOptions<'_>,
    found: &InputFile,
    body: &Unread,
    room: &Cell<usize>,
) -> Option<(FileName, Vec<u8>)> {
    let name = body.file.as_deref().filter(|name| !name.is_empty())?;
    let folder = found.path.as_ref()?.parent()?;
    // Those of `WireMock` are beside the folder of its stubs, and nowhere else.
    let mut around = folder.ancestors().filter(|_| name.starts_with(BODY_FILES));
    let mappings = around.find(|folder| folder.ends_with(MAPPINGS));
    let beside = mappings.and_then(Path::parent);
    let own = beside.unwrap_or(folder);
    let folders = if beside.is_some() { 1 } else { MAX_FOLDERS };
    let local = LocalFiles::of_input(
        &options.access,
        &own.join(MAPPINGS).to_string_lossy(),
        options.settings.references,
        &options.settings.paths,
        Limits {
            record: room.get(),
            ..options.settings.limits
        },
    );
    let mut paths = own
        .ancestors()
        .take(folders)
        .map(|folder| folder.join(name));
    paths.find_map(|path| {
        let text = local.read(path.to_str()?).ok()?;
        room.set(room.get().saturating_sub(text.len()));
        Some((options.names.of(&path), text))
    })
}
