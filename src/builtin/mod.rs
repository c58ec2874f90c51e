//! The rules that are part of the program: the tables of the two APIs of the reference, and the packs about public APIs.

mod packs;
mod tables;

pub(crate) use tables::LIBRARY;
