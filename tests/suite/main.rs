//! The tests that see the program from outside: its library's face, its command line, its data.

mod captures;
mod corpus;
mod dates;
mod layers;
mod positions;
mod selectors;
mod support;
mod tables;
