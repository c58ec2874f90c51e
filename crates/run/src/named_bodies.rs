//! The bodies that a capture keeps in files of their own, and names: `bodyFileName` of a stub, `_file` of an archive, `@file` of a command.

use std::path::Path;

use super::check_options::CheckOptions;
use super::local_files::LocalFiles;
use sundown_captures::InputFile;
use sundown_exchange::Unread;
use sundown_files::FileName;
use sundown_openapi::FileSource as _;

/// How many folders around a capture may have the file.
const MAX_FOLDERS: usize = 12;

/// The folder of `WireMock`'s stubs; the one with their bodies is beside it.
const MAPPINGS: &str = "mappings";

/// Reads the file that has a body, and returns its name. It must be where the files may be that a description refers to, below a folder
/// around the capture: the nearest that has it.
pub(super) fn read_named_body(
    options: &CheckOptions<'_>,
    found: &InputFile,
    body: &Unread,
) -> Option<(FileName, Vec<u8>)> {
    let name = body.file.as_deref().filter(|name| !name.is_empty())?;
    let folder = found.path.as_ref()?.parent()?;
    let mut around = folder.ancestors();
    let mappings = around.find(|folder| folder.ends_with(MAPPINGS));
    let own = mappings.and_then(Path::parent).unwrap_or(folder);
    let local = LocalFiles::of_input(
        &options.access,
        &own.join(MAPPINGS).to_string_lossy(),
        options.references,
        &options.paths,
        options.limits.record,
        options.limits.bounds(),
    );
    let mut paths = own
        .ancestors()
        .take(MAX_FOLDERS)
        .map(|folder| folder.join(name));
    paths.find_map(|path| {
        let text = local.read(path.to_str()?).ok()?;
        Some((options.names.of(&path), text))
    })
}
