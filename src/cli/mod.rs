//! The command line: the commands, their flags and help texts. Only this layer names clap or reads the clock.

mod baseline;
mod check;
mod command_line;
mod config;
mod console;
mod explain;
mod fix;
mod flags;
mod formats;
mod hints;
mod input;
mod lsp;
mod options;
mod outputs;
mod rules;
mod usage;
mod usage_report;

pub use command_line::main;
