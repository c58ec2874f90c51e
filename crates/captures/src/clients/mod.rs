//! Requests stored by API clients, editors and shell scripts.

pub(super) mod bruno;
mod client_reader;
pub(super) mod curl;
pub(super) mod http_file;
pub(super) mod hurl;
pub(super) mod insomnia;
mod open_collection;
pub(super) mod postman;
