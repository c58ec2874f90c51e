//! The commands of the program, from resolved options to a report and a status.
//!
//! Each command is a function that knows no command line and no clock. [`load_rules`] makes one set of the rules that the program
//! embeds (a [`RuleLibrary`](sundown_lint::rules::RuleLibrary)), packs, and files of the user. [`check()`] reads the inputs of
//! [`CheckOptions`] with several threads and returns a report; [`scan_usage`] counts calls and uses in place of findings. [`config`]
//! has the settings, and reads `sundown.toml`.
//!
//! ```
//! use sundown_captures::Gauge;
//! use sundown_lint::rules::{RuleFile, RuleSet};
//! use sundown_run::config::Settings;
//! use sundown_run::{CheckOptions, check};
//!
//! let rules = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'POST /orders'\nfield = 'old'\nat = ['$.old']\n";
//! let set = RuleSet::new(vec![RuleFile::parse("shop.toml", rules)?]).unwrap();
//! let day = "2026-11-20".parse()?;
//! let options = CheckOptions::new(Settings::of(vec!["-".into()]), &set, day);
//! let mut log = &br#"{"method": "POST", "url": "/orders", "body": {"old": 1}}"#[..];
//! let report = check(&options, &mut log, &Gauge::default());
//! assert_eq!(report.findings.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod applied_config;
mod baseline;
mod body_operation;
mod changed_files;
mod check;
mod check_options;
pub mod config;
mod description_check;
mod description_rules;
mod fix;
mod import;
mod init;
mod named_bodies;
mod output;
mod output_file;
mod pages;
mod partials;
mod project_survey;
mod recognition;
mod rule_list;
mod rules;
mod source_files;
mod start_page;
mod status;
mod unused_packs;
mod worker;

pub use applied_config::{resolve_config, rule_options};
pub use baseline::{StaleEntries, read_baseline, read_old_baseline, update_baseline};
pub use body_operation::{BodyOperation, OperationNameError, resolve_operation_name};
pub use changed_files::{ChangedFiles, find_changed_files, find_unsaved_files};
pub use check::{check, check_each, check_text, remarks_on_rules, scan_usage};
pub use check_options::CheckOptions;
pub use fix::{
    AppliedEdit, Backup, ByteEdit, ChangedFile, EditRefusal, FixLevel, FixOutcome, LeftUse,
    TextFix, TextUses, find_faulty_fixes, fix_files, suggest_edits,
};
pub use import::{ImportFormat, ImportOutcome, import};
pub use init::StarterConfig;
pub use output::{check_and_stream, render};
pub use output_file::{
    OutputRights, Replaceable, check_output, folder_of, is_own_output, write_output,
};
pub use pages::{
    MessagePlaces, RequirementPage, RuleLocations, RulePage, explain_check, explain_requirement,
    explain_rule, list_formats,
};
pub use partials::merge_parts;
pub use project_survey::holds_traffic;
pub use recognition::{RecognisedFile, recognise_files};
pub use rule_list::{
    RuleListOptions, find_rules, list_matches, list_packs, list_rules, nearest_rule_name,
    rule_table,
};
pub use rules::{RulesReader, load_rules};
pub use start_page::start_page;
pub use status::{Gate, Status};
pub use unused_packs::UnusedPacks;
