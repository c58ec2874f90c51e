//! The bodies of the Indexing API. Their names are those of the Client API, and hardly any is deprecated here.

use super::body::Body;
use super::plan::Slot;

pub(super) fn indexdocument_request(body: &mut Body) {
    body.one_of("datasource", &["wiki", "tickets", "intranet"]);
    body.object("document", |body| {
        document(body);
        body.fill("customProperties", 95, property);
    });
}

pub(super) fn bulkindexdocuments_request(body: &mut Body) {
    upload(body);
    body.one_of("datasource", &["wiki", "tickets", "intranet"]);
    body.fill("documents", 95, document);
}

fn upload(body: &mut Body) {
    body.token("uploadId");
    body.flag("isFirstPage");
    body.flag("isLastPage");
}

fn document(body: &mut Body) {
    body.token("id");
    body.text("title", 2, 8);
    body.object("body", |body| {
        body.json.string("mimeType", "text/plain");
        body.text("textContent", 40, 200);
    });
    body.object("author", |body| {
        body.email("email");
        body.name("name");
        body.text("role", 1, 2);
    });
    body.text("location", 1, 4);
    body.object("interactions", |body| {
        body.number("numViews", 9000);
        body.json.literal("reactions", "[\"THUMBS_UP\"]");
    });
    body.object("viewerInfo", |body| body.text("role", 1, 2));
    body.time("updatedAt");
}

fn property(body: &mut Body) {
    body.one_of("name", &["boardId", "location", "snippet", "priority"]);
    body.text("value", 2, 12);
}

pub(super) fn indexemployee_request(body: &mut Body) {
    body.object("employee", |body| {
        employee(body);
        body.fill("additionalFields", 95, |body| {
            body.one_of("key", &["location", "role", "floor", "languages"]);
            body.text("value", 1, 20);
        });
    });
    body.number("version", 90_000);
}

pub(super) fn bulkindexemployees_request(body: &mut Body) {
    upload(body);
    body.fill("employees", 95, employee);
}

fn employee(body: &mut Body) {
    body.email("email");
    body.name("preferredName");
    body.text("department", 1, 3);
    body.text("bio", 4, 20);
    body.object("structuredLocation", |body| {
        body.one_of("city", &["Paris", "東京", "S\\u00e3o Paulo", "Springfield"]);
        body.text("deskLocation", 1, 2);
    });
    if body.plants(Slot::EmployeeLocation, "location") {
        body.text_value(1, 3);
    }
    body.object("customData", |body| body.text("location", 1, 3));
    body.attributes();
}

pub(super) fn count_request(body: &mut Body) {
    body.one_of("datasource", &["wiki", "tickets", "intranet"]);
    body.token("objectId");
}

pub(super) fn count_response(body: &mut Body) {
    body.number("count", 90_000);
    body.fill("objectTypes", 95, |body| {
        body.text("name", 1, 3);
        body.number("count", 9000);
        body.attributes();
    });
}

pub(super) fn status_response(body: &mut Body) {
    body.one_of("uploadStatus", &["UPLOADED", "STATUS_UNKNOWN"]);
    body.one_of("indexingStatus", &["INDEXED", "NOT_INDEXED"]);
    body.fill("events", 95, |body| {
        body.time("timestamp");
        body.text("message", 4, 20);
        body.text("role", 1, 2);
    });
}

/// The response to a request that needs no data.
pub(super) fn done_response(body: &mut Body) {
    body.token("requestId");
    body.json.boolean("success", true);
    body.text("message", 2, 8);
}
