//! `sundown formats`: the list of formats, or the formats of files.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use clap::Args;

use super::console::Result;
use super::console::print;
use super::flags::{SettingFlags, TrafficScope};
use super::input::InputArgs;
use super::options::{ConfigArgs, DateArgs, load_configured_rules};
use super::scope::rules_completeness;
use crate::files::FileAccess;
use crate::findings::suppression::Suppression;
use crate::report::{Failure, Verbosity, escape_unsafe};
use crate::run::{
    AppliedConfig, RecognisedFile, Status, apply_config, list_formats, recognise_files,
};

#[derive(Debug, Args)]
pub(super) struct FormatsArgs {
    /// Files and folders whose formats to recognise, as `check` does; `-` is standard input.
    paths: Vec<PathBuf>,

    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    flags: SettingFlags<TrafficScope>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

impl FormatsArgs {
    pub(super) fn run(&self, access: &FileAccess) -> Result<Status> {
        if self.paths.is_empty() {
            return print(&list_formats());
        }
        let file = self.config.find(&self.paths, Verbosity::Normal, access)?;
        let mut flags = self.flags.values.clone();
        let paths: Vec<_> = self.paths.iter().map(|path| path.clone().into()).collect();
        flags.set("paths", "PATH", &paths).map_err(Failure::new)?;
        let config = self.config.merge(flags, file.as_ref())?;
        let mut table = load_configured_rules(&config, Verbosity::Normal, access)?;
        let applied = match &file {
            Some(file) => apply_config(file, &mut table, rules_completeness(&config, Some(file)))?,
            None => AppliedConfig::default(),
        };
        let lifecycle = self.dates.lifecycle();
        let resolved = (&config, file.as_ref());
        let options = self.input.options(
            resolved,
            applied,
            (&table, lifecycle),
            Suppression::default(),
            access,
        )?;
        let files = recognise_files(&options, &mut io::stdin());
        let mut page = String::new();
        for RecognisedFile {
            name,
            format,
            compression,
        } in &files
        {
            let format = match format {
                Ok(format) => (*format).to_owned(),
                Err(reason) => format!("none: {}", reason.text()),
            };
            let compression = compression
                .map(|name| format!(", {name}"))
                .unwrap_or_default();
            let _ = writeln!(page, "{}: {format}{compression}", escape_unsafe(name));
        }
        print(&page)?;
        let all = !files.is_empty() && files.iter().all(|file| file.format.is_ok());
        Ok(if all { Status::Clean } else { Status::Failed })
    }
}
