//! The bodies of what people write and watch: answers, collections, announcements, insights.

use super::body::Body;
use super::parts::{DOCUMENT, PERSON};
use super::plan::Slot;

// ---- Answers and collections.

pub(super) fn getanswer_request(body: &mut Body) {
    body.number("id", 90_000);
    body.token("docId");
    if body.plants(Slot::RootAnswerToken, "trackingToken") {
        body.text_value(1, 3);
    }
}

pub(super) fn getanswer_response(body: &mut Body) {
    if body.plants(Slot::RootAnswerToken, "trackingToken") {
        body.text_value(1, 3);
    }
    body.object("answerResult", |body| {
        if body.plants(Slot::AnswerToken, "trackingToken") {
            body.text_value(1, 3);
        }
        body.object("answer", |body| {
            body.answer();
            body.object("combinedAnswerText", |body| {
                body.text("text", 10, 40);
                body.fill("structuredList", 90, structured_text);
            });
            body.list("collections", 2, Body::collection_item);
        });
    });
}

/// A piece of a text that shows a document.
fn structured_text(body: &mut Body) {
    body.text("text", 6, 30);
    body.object("structuredResult", |body| {
        body.token("trackingToken");
        body.object("document", Body::document);
    });
}

pub(super) fn listanswers_request(body: &mut Body) {
    body.number("boardId", 900);
    body.text("query", 1, 4);
}

pub(super) fn listanswers_response(body: &mut Body) {
    body.fill("answerResults", 95, |body| {
        if body.plants(Slot::AnswerToken, "trackingToken") {
            body.text_value(1, 3);
        }
        body.object("answer", Body::answer);
        body.object("sourceDocument", Body::document);
    });
}

pub(super) fn createanswer_request(body: &mut Body) {
    body.object("data", answer_data);
}

pub(super) fn editanswer_request(body: &mut Body) {
    body.number("id", 90_000);
    answer_data(body);
}

fn answer_data(body: &mut Body) {
    body.text("question", 3, 10);
    body.text("bodyText", 10, 150);
    body.list("addedRoles", 1, |body| {
        body.object("person", Body::short_person);
        body.one_of("role", &["OWNER", "EDITOR"]);
    });
    if body.plants(Slot::RootBoardId, "boardId") {
        body.json.out.extend_from_slice(b"17");
    }
    body.attributes();
}

pub(super) fn createanswer_response(body: &mut Body) {
    body.answer();
    if body.plants(Slot::RootBoardId, "boardId") {
        body.json.out.extend_from_slice(b"null");
    }
    body.object("combinedAnswerText", |body| {
        body.fill("structuredList", 90, structured_text);
    });
    body.attributes();
}

pub(super) fn getcollection_request(body: &mut Body) {
    body.number("id", 90_000);
    body.flag("withItems");
    if body.plants(Slot::CollectionToken, "trackingToken") {
        body.text_value(1, 3);
    }
}

pub(super) fn getcollection_response(body: &mut Body) {
    if body.plants(Slot::CollectionToken, "trackingToken") {
        body.text_value(1, 3);
    }
    body.object("collection", |body| {
        body.collection_item();
        body.text("description", 4, 30);
        body.object("creator", Body::short_person);
        body.fill("items", 95, |body| {
            body.number("itemId", 90_000);
            body.text("description", 2, 20);
            body.object("document", Body::document);
        });
    });
}

// ---- Announcements, insights, activity.

pub(super) fn createannouncement_request(body: &mut Body) {
    body.time("startTime");
    body.time("endTime");
    body.text("title", 2, 8);
    body.text("emoji", 1, 2);
    announcement_root(body);
    body.facet_filters("audienceFilters");
    body.object("body", |body| {
        body.text("text", 10, 60);
        if body.wants(DOCUMENT) || body.random.once_in(3) {
            body.list("structuredList", 1, structured_text);
        }
    });
    body.flag("hideAttribution");
    body.attributes();
}

pub(super) fn createannouncement_response(body: &mut Body) {
    body.number("id", 90_000);
    body.number("draftId", 90_000);
    announcement_root(body);
    body.object("author", Body::person);
    body.time("createTimestamp");
    body.object("body", |body| {
        body.text("text", 10, 60);
        body.fill("structuredList", 90, structured_text);
    });
    body.custom_data();
    body.attributes();
}

fn announcement_root(body: &mut Body) {
    if body.plants(Slot::RootInviteTime, "inviteTime") {
        body.time_value();
    }
    if body.plants(Slot::RootReminderTime, "reminderTime") {
        body.time_value();
    }
    if body.plants(Slot::RootRole, "role") {
        body.json.value("EDITOR");
    }
}

pub(super) fn insights_request(body: &mut Body) {
    body.json
        .literal("categories", "[\"OVERVIEW\",\"USERS\",\"CONTENT\"]");
    body.object("dayRange", |body| {
        body.time("start");
        body.time("end");
    });
    body.json
        .literal("departments", "[\"Sales\",\"R\\u0026D\",\"Zürich\"]");
}

pub(super) fn insights_response(body: &mut Body) {
    if body.plants(Slot::GleanAssist, "gleanAssist") {
        body.json
            .out
            .extend_from_slice(b"{\"lastLogTimestamp\":17}");
    }
    body.object("overviewResponse", |body| {
        body.number("lastUpdatedTs", 2_000_000_000);
        body.number("monthlyActiveUsers", 9000);
        if body.plants(Slot::Satisfaction, "searchSessionSatisfaction") {
            body.json.out.extend_from_slice(b"0.875");
        }
        body.score("searchSatisfaction");
    });
    body.fill("usersInsights", 50, |body| {
        if body.wants(PERSON) || body.random.once_in(2) {
            body.object("person", Body::person);
        }
        body.number("numSearches", 400);
        body.attributes();
    });
    body.fill("documentInsights", 95, |body| {
        body.object("document", Body::document);
        body.number("viewCount", 4000);
    });
}

pub(super) fn activity_request(body: &mut Body) {
    body.fill("events", 100, |body| {
        body.one_of("action", &["VIEW", "EDIT", "SEARCH", "COMMENT"]);
        body.time("timestamp");
        body.url("url");
        body.object("params", |body| {
            body.number("duration", 900);
            body.text("role", 1, 2);
            body.text("location", 1, 2);
        });
    });
}
