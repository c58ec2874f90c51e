//! `sundown formats`: the list of formats, or the formats of files.

use std::io;
use std::path::PathBuf;

use clap::Args;

use super::console::{Result, print};
use super::flags::TrafficFlags;
use super::input::InputArgs;
use super::options::{ConfigArgs, DateArgs, load_and_apply};
use sundown_files::FileAccess;
use sundown_report::{Cell, Table, Verbosity};
use sundown_run::{Status, list_formats, recognise_files, rule_options};

#[derive(Debug, Args)]
pub(super) struct FormatsArgs {
    /// Files and folders whose formats to recognise, as `check` does; `-` is standard input.
    paths: Vec<PathBuf>,

    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    flags: TrafficFlags,
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
        let mut config =
            self.config
                .resolve(&self.flags.given, &self.paths, Verbosity::Normal, access)?;
        let (set, _) = load_and_apply(
            rule_options(&config),
            &mut config,
            Verbosity::Normal,
            access,
        )?;
        let options = self
            .input
            .options(&config, &set, self.dates.day(), access)?;
        let files = recognise_files(&options, &mut io::stdin());
        let rows = files.iter().map(|file| {
            let format = match file.format {
                Ok(format) => format.spec().name.to_owned(),
                Err(reason) => format!("none: {}", reason.text()),
            };
            let compression = file.compression.map(Cell::from);
            [Cell::from(&*file.name), format.into(), compression.into()]
        });
        let lines = Table::plain(3).lines(rows, None);
        print(&(lines.join("\n") + "\n"))?;
        let all = !files.is_empty() && files.iter().all(|file| file.format.is_ok());
        Ok(if all { Status::Clean } else { Status::Failed })
    }
}
