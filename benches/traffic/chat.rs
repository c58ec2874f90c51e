//! The bodies of chats with the assistant and with agents.

use super::body::Body;
use super::parts::{DOCUMENT, FILTERS};
use super::plan::{Slot, Slots};

const SNIPPET: Slots = Slots::of(&[Slot::Snippet]);

pub(super) fn chat_request(body: &mut Body) {
    let long = body.random.once_in(4);
    let count = if long { body.random.between(2, 6) } else { 1 };
    body.list("messages", count, |body| {
        body.one_of("author", &["USER", "GLEAN_AI"]);
        body.token("messageId");
        body.list("fragments", 1, |body| {
            body.text("text", 3, 40);
            if body.wants(FILTERS) || body.random.once_in(8) {
                body.object("querySuggestion", |body| {
                    body.text("query", 1, 5);
                    body.facet_filters("facetFilters");
                });
            }
        });
        citations(body);
    });
    body.json.boolean("saveChat", true);
    body.token("chatId");
    body.object("agentConfig", |body| {
        body.one_of("agent", &["DEFAULT", "GPT"]);
    });
    body.flag("stream");
}

pub(super) fn chat_response(body: &mut Body) {
    body.token("chatId");
    body.token("chatSessionTrackingToken");
    body.fill("messages", 95, chat_message);
    body.json.key("followUpPrompts");
    body.json.begin_value_array("followUpPrompts");
    body.json.element("What is the \\\"next\\\" step?");
    body.json.element("Who owns this\\u003f");
    body.json.end_array();
    body.number("backendTimeMillis", 9000);
}

pub(super) fn getchat_request(body: &mut Body) {
    body.token("id");
    body.number("timezoneOffset", 600);
}

pub(super) fn getchat_response(body: &mut Body) {
    body.object("chatResult", |body| {
        body.token("trackingToken");
        body.object("chat", |body| {
            body.token("id");
            body.text("name", 2, 6);
            body.time("createTime");
            body.object("createdBy", Body::short_person);
            body.fill("messages", 95, chat_message);
            body.list("roles", 1, |body| {
                body.object("person", Body::short_person);
                body.one_of("role", &["OWNER", "VIEWER"]);
            });
        });
    });
}

fn chat_message(body: &mut Body) {
    body.one_of("author", &["GLEAN_AI", "USER"]);
    body.one_of("messageType", &["CONTENT", "UPDATE", "HEADING"]);
    body.token("messageId");
    body.json.begin_array("fragments");
    body.element(|body| body.text("text", 10, 60));
    if body.wants(DOCUMENT.and(SNIPPET)) || body.random.once_in(3) {
        body.element(|body| {
            body.list("structuredResults", 1, |body| {
                body.object("document", Body::document);
                body.snippets();
            });
        });
    }
    if body.random.once_in(2) {
        body.element(inline_citation);
    }
    if body.random.once_in(4) {
        body.element(|body| body.object("action", action));
    }
    body.json.end_array();
    body.attributes();
    citations(body);
}

/// The replacement of the deprecated list: a source next to the words that are taken from it.
fn inline_citation(body: &mut Body) {
    body.object("citation", |body| {
        body.token("trackingToken");
        body.object("sourceDocument", Body::inner_document);
        body.list("referenceRanges", 1, |body| body.number("startIndex", 400));
    });
}

/// An action; the customer names its parameters.
fn action(body: &mut Body) {
    body.text("displayName", 1, 4);
    body.object("parameters", |body| {
        if !body.random.once_in(8) {
            return body.text("prompt", 2, 8);
        }
        body.object("citations", |body| body.text("displayName", 1, 3));
        body.object("viewerInfo", |body| body.text("role", 1, 2));
    });
}

/// The deprecated list of sources of a message.
fn citations(body: &mut Body) {
    if body.plants(Slot::Citations, "citations") {
        body.inside_use(|body| {
            body.list_value("citations", 2, |body| {
                body.object("sourceDocument", Body::inner_document);
                body.token("trackingToken");
            });
        });
    }
}

pub(super) fn agent_run_request(body: &mut Body) {
    body.token("agent_id");
    body.object("input", |body| body.text("role", 1, 4));
    let count = body.random.between(1, 6);
    body.list("messages", count, |body| {
        body.one_of("role", &["USER", "GLEAN_AI"]);
        body.list("content", 1, |body| body.text("text", 4, 40));
    });
}

/// No rule knows this operation, so that nothing in it is a use.
pub(super) fn agent_run_response(body: &mut Body) {
    body.object("run", |body| {
        body.token("run_id");
        body.one_of("status", &["success", "error"]);
    });
    body.fill("messages", 95, |body| {
        body.one_of("role", &["USER", "GLEAN_AI"]);
        body.list("content", 1, |body| {
            body.text("text", 10, 80);
            body.json.string("type", "text");
        });
        body.list("citations", 1, |body| {
            body.token("trackingToken");
            body.list("snippets", 1, |body| body.text("snippet", 4, 20));
            body.object("viewerInfo", |body| body.text("role", 1, 2));
        });
    });
}
