//! Applies the edits of rules to files that people write.
//!
//! A first pass finds the uses, as a check does. Each file with a use that has an edit is then changed in memory: the edit of a use
//! becomes a change of bytes ([`byte_edit`]), and the changed file is checked again. Only if the uses are gone, no other finding has
//! come, and each change is in the call of its use alone, the file is written, as a whole or not at all.
//!
//! Recorded traffic is evidence, and is never changed: its files are listed, to be recorded again.

mod byte_edit;
mod changed_file;
mod file_fixer;
mod patch;
mod rule_examples;
mod run;
mod text_uses;

pub use byte_edit::{ByteEdit, EditRefusal};
pub use changed_file::{AppliedEdit, Backup, ChangedFile};
pub use file_fixer::{FixLevel, LeftUse};
pub use rule_examples::find_faulty_fixes;
pub use run::{FixOutcome, fix_files, suggest_edits};
pub use text_uses::{TextFix, TextUses};
