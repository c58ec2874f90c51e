//! The bodies of search, and of what shows the same results: suggestions, people, the feed, documents.

use super::body::Body;
use super::parts::{DOCUMENT, FILTERS};

// ---- Search and its relatives.

pub(super) fn search_request(body: &mut Body) {
    body.text("query", 1, 8);
    body.number("pageSize", 50);
    body.token("trackingToken");
    if body.wants(DOCUMENT) || body.random.once_in(8) {
        body.object("sourceDocument", Body::document);
    }
    body.object("requestOptions", |body| {
        body.json.literal("datasources", "[\"gdrive\",\"jira\"]");
        body.facet_filters("facetFilters");
        body.json.boolean("returnLlmContentOverSnippets", true);
        body.number("facetBucketSize", 100);
    });
    body.number("timeoutMillis", 10_000);
    body.list("people", 1, Body::short_person);
}

pub(super) fn search_response(body: &mut Body) {
    body.token("trackingToken");
    body.token("requestId");
    body.number("backendTimeMillis", 900);
    body.list("rewrittenQuery", 1, |body| body.text("query", 1, 6));
    if body.wants(FILTERS) || body.random.once_in(2) {
        body.facet_filters("rewrittenFacetFilters");
    }
    body.fill("results", 85, Body::result);
    body.facet_results();
    body.json.boolean("hasMoreResults", true);
}

pub(super) fn recommendations_request(body: &mut Body) {
    body.number("pageSize", 20);
    body.token("trackingToken");
    body.object("sourceDocument", Body::document);
    body.object("requestOptions", |body| {
        body.facet_filters("facetFilters");
        body.text("context", 1, 20);
    });
}

pub(super) fn recommendations_response(body: &mut Body) {
    body.token("trackingToken");
    body.fill("results", 95, Body::result);
    body.json.boolean("hasMoreResults", false);
}

pub(super) fn autocomplete_request(body: &mut Body) {
    body.text("query", 1, 4);
    body.token("trackingToken");
    body.number("resultSize", 20);
    if body.random.once_in(4) {
        // The rules have no location in filters in requests of this operation.
        body.list("filters", 1, |body| {
            body.list("values", 1, |body| body.flag("isNegated"));
        });
    }
}

pub(super) fn autocomplete_response(body: &mut Body) {
    body.token("trackingToken");
    body.token("session");
    body.fill("results", 90, |body| {
        body.text("result", 1, 5);
        body.one_of("resultType", &["HISTORY", "DOCUMENT", "PERSON", "FACET"]);
        body.score("score");
        body.token("trackingToken");
        body.text("snippet", 4, 12);
        body.url("url");
        if body.wants(DOCUMENT) || body.random.once_in(3) {
            body.object("document", Body::document);
        }
        if body.wants(FILTERS) || body.random.once_in(6) {
            body.facet_filters("facetFilters");
        }
        body.list("ranges", 1, |body| {
            body.number("startIndex", 9);
            body.number("endIndex", 20);
        });
    });
    body.attributes();
    body.number("backendTimeMillis", 90);
}

// ---- People.

pub(super) fn people_request(body: &mut Body) {
    body.number("timezoneOffset", 600);
    body.json.key("obfuscatedIds");
    body.json.out.extend_from_slice(b"[\"7f3a\",\"91c2\"]");
    body.email("email");
    body.one_of(
        "location",
        &["Paris", "東京", "S\\u00e3o Paulo", "Springfield"],
    );
    if body.random.once_in(6) {
        // Nor of these.
        body.list("filters", 2, |body| {
            body.list("values", 2, |body| {
                body.text("value", 1, 3);
                body.flag("isNegated");
            });
        });
    }
}

pub(super) fn people_response(body: &mut Body) {
    body.fill("results", 90, |body| {
        body.person();
        body.attributes();
    });
    body.text("role", 1, 2);
    body.list("errors", 0, |_| {});
}

pub(super) fn listentities_request(body: &mut Body) {
    body.one_of("entityType", &["PEOPLE", "TEAMS", "CUSTOM_ENTITIES"]);
    body.facet_filters("filter");
    body.text("query", 1, 4);
    body.number("pageSize", 100);
    body.flag("includeFields");
}

pub(super) fn listentities_response(body: &mut Body) {
    body.fill("results", 80, |body| {
        body.person();
        body.attributes();
    });
    if body.wants(FILTERS) || body.random.once_in(3) {
        body.facet_filters("appliedFilters");
    }
    body.facet_results();
    body.number("totalCount", 9000);
    body.token("cursor");
}

// ---- Feed and documents.

pub(super) fn feed_request(body: &mut Body) {
    body.one_of("refreshType", &["ON_OPEN", "SCHEDULED"]);
    body.number("timeoutMillis", 5000);
    body.json
        .literal("categories", "[\"RECENT\",\"CALENDAR\",\"TRENDING\"]");
    body.object("requestOptions", |body| body.number("resultSize", 40));
}

pub(super) fn feed_response(body: &mut Body) {
    body.token("trackingToken");
    body.time("serverTimestamp");
    body.fill("results", 95, |body| {
        body.one_of("category", &["RECENT", "CALENDAR", "TRENDING", "MENTION"]);
        body.object("primaryEntry", feed_entry);
        body.number("rank", 100);
    });
}

fn feed_entry(body: &mut Body) {
    body.token("entryId");
    body.text("title", 2, 8);
    body.text("snippet", 4, 20);
    body.text("justification", 2, 8);
    body.object("createdBy", Body::short_person);
    if body.wants(DOCUMENT) || body.random.once_in(2) {
        body.object("document", Body::document);
    } else {
        body.object("event", |body| {
            body.token("id");
            body.text("location", 1, 4);
            body.time("startTime");
            body.list("generatedAttachments", 1, |body| {
                body.text("strategyName", 1, 2);
                body.list("documents", 1, Body::inner_document);
            });
            body.attributes();
        });
    }
}

pub(super) fn getdocuments_request(body: &mut Body) {
    let count = body.random.between(1, 12);
    body.list("documentSpecs", count, |body| body.url("url"));
    body.json
        .literal("includeFields", "[\"VIEWER_INFO\",\"INTERACTIONS\"]");
}

pub(super) fn getdocuments_response(body: &mut Body) {
    body.json.begin_object("documents");
    body.until_full(95, |body| {
        let document = body.random.next();
        body.json.begin_document(document);
        body.document();
        body.attributes();
        body.json.end_object();
    });
    body.json.end_object();
}
