//! The uses in a text that is open in an editor, and the edits of some of them.

use super::byte_edit::{ByteEdit, EditRefusal};
use super::changed_file::AppliedEdit;
use super::file_fixer::{FileFixer, FixLevel, LeftUse, is_open, is_written};
use crate::check::check_text;
use crate::check_options::CheckOptions;
use crate::recognition::recognise_text;
use sundown_captures::{Format, InputFile, Sniffed};
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_report::LocatedFinding;
use sundown_text_json::text::Block;

/// A text and the uses in it.
pub struct TextUses<'r, 't> {
    options: &'r CheckOptions<'t>,
    text: &'r [u8],
    file: InputFile,
    format: Format,
    /// Its findings, also those that do not count.
    findings: Vec<LocatedFinding>,
}

/// Edits of uses in a text.
#[derive(Debug)]
pub struct TextFix {
    /// The edits and what they replace, in the order of their places and apart from each other.
    pub edits: Vec<(AppliedEdit, ByteEdit)>,
    /// The edits that were not made.
    left: Vec<LeftUse>,
}

impl TextFix {
    /// The edit of a use, or why it was not made; `None` if its rule has none.
    pub fn of(
        &self,
        located: &LocatedFinding,
    ) -> Option<Result<&(AppliedEdit, ByteEdit), &LeftUse>> {
        let key = (located.location, &*located.finding.rule.id);
        let made = self.edits.iter().find(|(edit, _)| edit.key() == key);
        made.map(Ok).or_else(|| {
            self.left
                .iter()
                .find(|left| left.edit.key() == key)
                .map(Err)
        })
    }
}

impl<'r, 't> TextUses<'r, 't> {
    /// Finds the uses in a text in place of the content of the only file that the options name; `None` if it is in no format.
    pub fn find(options: &'r CheckOptions<'t>, text: &'r [u8]) -> Option<Self> {
        let file = options.only_file()?;
        let Sniffed::Format(format) = recognise_text(options, &file, Block::whole(text)) else {
            return None;
        };
        let report = check_text(options, text);
        let mut findings = report.findings;
        findings.extend(report.suppressed);
        // A description also leads to findings in the files that it refers to.
        findings.retain(|located| located.file == file.name.shown);
        Some(Self {
            options,
            text,
            file,
            format,
            findings,
        })
    }

    /// The findings that count.
    pub fn findings(&self) -> impl Iterator<Item = &LocatedFinding> {
        self.findings.iter().filter(|located| is_open(located))
    }

    /// Makes the edits of the wanted uses, if people write such files, and if the text with the edits has no finding that it did not
    /// have before.
    pub fn fix(&self, level: FixLevel, is_wanted: impl Fn(&LocatedFinding) -> bool) -> TextFix {
        let findings = self.findings.iter().cloned();
        let (mut uses, recorded): (Vec<_>, Vec<_>) =
            findings.partition(|located| is_written(self.format, located));
        for located in uses.iter_mut().filter(|located| !is_wanted(located)) {
            located.status = SuppressionStatus::Unselected;
        }
        let mut fixer = FileFixer {
            options: self.options,
            level,
            file: &self.file,
            format: self.format,
            left: Vec::new(),
        };
        let made = fixer.fix_text(self.text, &uses);
        let recorded = recorded.iter().filter(|located| is_wanted(located));
        for edit in recorded.filter_map(AppliedEdit::of) {
            fixer.leave(edit, EditRefusal::Recorded("the call is recorded"));
        }
        let edits = made.into_iter().flat_map(|(_, edits)| edits);
        TextFix {
            edits: edits.map(|edit| (edit.applied, edit.change)).collect(),
            left: fixer.left,
        }
    }
}
