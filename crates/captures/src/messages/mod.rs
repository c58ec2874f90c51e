//! The messages of a call as files keep them: bodies in the forms of recorders and clients, placeholders, and whole HTTP messages in
//! a text.

mod body_content;
pub(super) mod body_form;
mod message;
mod nested;
mod placeholders;
pub(super) mod recorded_body;
mod stored_form;

pub(super) use body_content::BodyContent;
pub use message::body_of_file;
pub(super) use nested::{
    DecodedText, DecodedTexts, http_message, is_in_base64, is_record_in_base64, is_record_in_text,
    may_be_base64, read_message, status_in,
};
pub(super) use placeholders::{CallEmitter, Variables};
pub(super) use stored_form::StoredForm;
