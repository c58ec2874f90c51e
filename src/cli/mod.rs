//! The command line: the commands, their flags and help texts. Only this layer names clap or reads the clock.

mod baseline;
mod check;
mod command;
mod command_line;
mod completions;
mod config;
mod console;
mod explain;
mod export;
mod flags;
mod formats;
mod import;
mod init;
mod input;
mod manual;
mod merge;
mod options;
mod outputs;
mod partial;
mod progress;
mod report;
mod rules;
mod scope;
mod usage;
mod usage_report;

pub use command_line::main;
