//! The parts that bodies of several operations share: people, documents, results, facets, and live look-alikes.
//!
//! Each part has the sites of its deprecated members, which it writes only if the plan asks for them.

use super::body::Body;
use super::plan::{Slot, Slots};
use super::random::{index, length};
use super::words::SHARED_NAMES;

/// The slots of a person in full.
pub(super) const PERSON: Slots = Slots::of(&[
    Slot::Inviter,
    Slot::InviteTime,
    Slot::ReminderTime,
    Slot::RelatedDocuments,
]);
/// The slots of a document, its author's included.
pub(super) const DOCUMENT: Slots = PERSON.and(Slots::of(&[Slot::Reactions, Slot::ViewerRole]));
/// The slots of a search result.
pub(super) const RESULT: Slots = DOCUMENT.and(Slots::of(&[
    Slot::Snippet,
    Slot::BoardId,
    Slot::RelatedResults,
]));

/// The slot of a filter on facets.
pub(super) const FILTERS: Slots = Slots::of(&[Slot::IsNegated]);

const INVITE: Slots = Slots::of(&[Slot::Inviter, Slot::InviteTime, Slot::ReminderTime]);

/// Members that are not deprecated under their parent. The first have the names of deprecated elements, the
/// others those of generated rules.
const LIVE_NAMES: [&str; 20] = [
    "snippet",
    "reactions",
    "boardId",
    "documents",
    "isNegated",
    "citations",
    "location",
    "role",
    "inviteTime",
    "trackingToken",
    "datasources",
    "enabled",
    SHARED_NAMES[0],
    SHARED_NAMES[1],
    SHARED_NAMES[2],
    SHARED_NAMES[3],
    SHARED_NAMES[4],
    SHARED_NAMES[5],
    SHARED_NAMES[6],
    SHARED_NAMES[7],
];

const DATASOURCES: [&str; 8] = [
    "gdrive",
    "confluence",
    "jira",
    "slack",
    "github",
    "salesforce",
    "zendesk",
    "sharepoint",
];

impl Body {
    // ---- Live members with the names of deprecated ones.

    /// A member that looks deprecated and is not, unless its name is deprecated everywhere in the operation.
    pub(super) fn look_alike(&mut self, key: &'static str) {
        if !self.everywhere.contains(&key) {
            self.text(key, 1, 4);
        }
    }

    /// Attributes: a parent without rules, with members that are deprecated elsewhere.
    pub(super) fn attributes(&mut self) {
        self.object("attributes", |body| {
            let first = body.random.below(length(&LIVE_NAMES));
            for next in 0..body.random.between(1, 4) {
                // Steps of seven visit all twenty names before one repeats: no key is duplicated.
                let key = LIVE_NAMES.get(index((first + 7 * next) % length(&LIVE_NAMES)));
                body.look_alike(key.map_or("kind", |name| name));
            }
            body.text("kind", 1, 2);
        });
    }

    /// A free-form map; the customer names its keys.
    pub(super) fn custom_data(&mut self) {
        self.object("customData", |body| {
            // Few customers call anything as the API does.
            if !body.random.once_in(8) {
                body.text("costCentre", 1, 2);
                return body.text("retentionClass", 1, 3);
            }
            body.text("boardId", 1, 2);
            body.object("viewerInfo", |body| body.text("role", 1, 2));
            body.list("snippets", 1, |body| body.text("snippet", 1, 3));
            body.text(SHARED_NAMES[1], 1, 3);
        });
    }

    // ---- Parts that many operations share.

    /// The members of a person.
    pub(super) fn person(&mut self) {
        self.name("name");
        self.token("obfuscatedId");
        self.object("metadata", |body| {
            body.one_of("type", &["FULL_TIME", "CONTRACTOR", "INTERN"]);
            body.text("title", 1, 4);
            body.text("department", 1, 3);
            body.email("email");
            body.text("location", 1, 3);
            body.object("permissions", |body| {
                body.flag("canAdminSearch");
                body.one_of("role", &["ADMIN", "EDITOR", "VIEWER", "ANSWER_MODERATOR"]);
            });
            if body.wants(INVITE) || body.random.once_in(6) {
                body.object("inviteInfo", Self::invite_info);
            }
        });
        if self.wants(Slots::of(&[Slot::RelatedDocuments])) || self.random.once_in(12) {
            self.related_documents();
        }
    }

    fn invite_info(&mut self) {
        self.time("signUpTime");
        self.list("invites", 1, |body| {
            body.one_of("channel", &["EMAIL", "SLACK"]);
            body.time("inviteTime");
            body.time("reminderTime");
            body.object("inviter", Self::short_person);
        });
        if self.plants(Slot::Inviter, "inviter") {
            self.object_value("inviter", Self::short_person);
        }
        if self.plants(Slot::InviteTime, "inviteTime") {
            self.time_value();
        }
        if self.plants(Slot::ReminderTime, "reminderTime") {
            self.time_value();
        }
    }

    /// The members of a person in brief.
    pub(super) fn short_person(&mut self) {
        self.name("name");
        self.token("obfuscatedId");
    }

    /// The documents of a person.
    pub(super) fn related_documents(&mut self) {
        self.list("relatedDocuments", 1, |body| {
            body.one_of("relation", &["AUTHOR", "ATTACHMENT", "RECENT"]);
            body.list("results", 1, |body| {
                body.token("trackingToken");
                body.text("title", 2, 8);
                body.url("url");
            });
            body.old_documents(Slot::RelatedDocuments);
        });
    }

    /// The deprecated list of documents next to the results that replace it.
    fn old_documents(&mut self, slot: Slot) {
        if self.plants(slot, "documents") {
            self.inside_use(|body| body.list_value("documents", 2, Self::inner_document));
        }
    }

    /// The members of a document inside something deprecated.
    pub(super) fn inner_document(&mut self) {
        self.token("id");
        self.text("title", 2, 8);
        self.object("metadata", |body| {
            body.one_of("datasource", &DATASOURCES);
            body.interactions();
            body.viewer_info();
        });
    }

    /// The members of a document.
    pub(super) fn document(&mut self) {
        self.token("id");
        self.one_of("datasource", &DATASOURCES);
        self.text("title", 2, 8);
        self.url("url");
        self.object("metadata", Self::document_metadata);
    }

    fn document_metadata(&mut self) {
        self.one_of(
            "objectType",
            &["Document", "Spreadsheet", "Ticket", "Message", "Page"],
        );
        self.one_of("mimeType", &["text/html", "text/plain", "application/pdf"]);
        self.token("documentId");
        self.time("createTime");
        self.time("updateTime");
        if self.wants(PERSON) || self.random.once_in(4) {
            self.object("author", Self::person);
        } else {
            self.object("author", Self::short_person);
        }
        self.one_of(
            "visibility",
            &["PUBLIC_VISIBLE", "SPECIFIC_PEOPLE_AND_GROUPS"],
        );
        self.interactions();
        self.viewer_info();
        if self.random.once_in(6) {
            self.list("collections", 1, Self::collection_item);
        }
        if self.random.once_in(16) {
            self.custom_data();
        }
    }

    fn interactions(&mut self) {
        self.object("interactions", |body| {
            body.number("numComments", 40);
            body.list("reacts", 1, |body| {
                body.one_of("type", &["THUMBS_UP", "HEART", "EYES"]);
                body.number("count", 30);
            });
            if body.plants(Slot::Reactions, "reactions") {
                body.json.out.extend_from_slice(b"[\"THUMBS_UP\"]");
            }
        });
    }

    fn viewer_info(&mut self) {
        self.object("viewerInfo", |body| {
            body.time("lastViewedTime");
            if body.plants(Slot::ViewerRole, "role") {
                body.json.value("VIEWER");
            }
        });
    }

    /// The members of a collection in a list.
    pub(super) fn collection_item(&mut self) {
        self.number("id", 90_000);
        self.text("name", 1, 4);
        self.token("trackingToken");
        self.list("roles", 1, |body| {
            body.object("person", Self::short_person);
            body.one_of("role", &["OWNER", "EDITOR", "VERIFIER"]);
        });
    }

    /// The members of a search result.
    pub(super) fn result(&mut self) {
        self.token("trackingToken");
        self.text("title", 2, 8);
        self.url("url");
        self.object("document", Self::document);
        self.snippets();
        self.look_alike("snippet");
        if self.wants(Slots::of(&[Slot::BoardId])) || self.random.once_in(6) {
            self.list("structuredResults", 1, |body| {
                body.token("trackingToken");
                body.object("answer", Self::answer);
            });
        } else if self.random.once_in(8) {
            self.list("structuredResults", 1, Self::meeting);
        }
        if self.wants(Slots::of(&[Slot::RelatedResults])) || self.random.once_in(8) {
            self.related_results();
        }
        self.attributes();
    }

    /// Passages of a document.
    pub(super) fn snippets(&mut self) {
        let count = self.random.between(1, 3);
        self.list("snippets", count, |body| {
            body.one_of("mimeType", &["text/plain", "text/html"]);
            body.text("text", 12, 40);
            body.number("snippetTextOrdering", 4);
            body.list("ranges", 1, |body| {
                body.number("startIndex", 40);
                body.number("endIndex", 80);
            });
            if body.plants(Slot::Snippet, "snippet") {
                body.text_value(8, 20);
            }
        });
    }

    fn meeting(&mut self) {
        self.token("trackingToken");
        self.object("meeting", |body| {
            body.text("title", 2, 5);
            body.text("location", 1, 3);
            body.object("inviter", Self::short_person);
            body.time("startTime");
        });
    }

    /// The members of an answer.
    pub(super) fn answer(&mut self) {
        self.number("id", 90_000);
        self.text("question", 4, 12);
        self.text("bodyText", 10, 30);
        self.token("trackingToken");
        self.object("author", Self::short_person);
        self.list("roles", 1, |body| {
            body.object("person", Self::short_person);
            body.one_of("role", &["OWNER", "EDITOR", "VERIFIER"]);
        });
        if self.plants(Slot::BoardId, "boardId") {
            self.json.out.extend_from_slice(b"4711");
        }
    }

    fn related_results(&mut self) {
        self.list("relatedResults", 1, |body| {
            body.one_of("relation", &["CANONICAL", "CASE", "CONTACT"]);
            body.list("results", 1, |body| {
                body.token("trackingToken");
                body.text("title", 2, 8);
                body.text("text", 4, 12);
            });
            body.old_documents(Slot::RelatedResults);
        });
    }

    /// Filters on facets, one or two.
    pub(super) fn facet_filters(&mut self, key: &'static str) {
        let count = self.random.between(1, 3);
        self.list(key, count, |body| {
            body.one_of("fieldName", &["type", "app", "from", "last_updated_at"]);
            body.list("values", 2, |body| {
                body.text("value", 1, 2);
                body.one_of("relationType", &["EQUALS", "NOT_EQUALS", "LT", "GT"]);
                if body.plants(Slot::IsNegated, "isNegated") {
                    body.json.out.extend_from_slice(b"true");
                }
            });
        });
    }

    /// The number of results for each value of a facet.
    pub(super) fn facet_results(&mut self) {
        self.list("facetResults", 2, |body| {
            body.one_of("sourceName", &["type", "app", "from", "location"]);
            body.list("buckets", 3, |body| {
                body.number("count", 5000);
                body.score("percentage");
                body.object("value", |body| body.text("stringValue", 1, 2));
            });
        });
    }
}
