//! The operations of the traffic: how often each is called, what its bodies look like, and what may be planted where.

use super::body::Body;
use super::parts::{DOCUMENT, FILTERS, PERSON, RESULT};
use super::plan::{Slot, Slots};
use super::random::Random;
use super::{chat, content, governance, indexing, search};

/// An operation of the traffic.
#[derive(Debug)]
pub(super) struct Operation {
    /// Its method and path template.
    pub(super) name: &'static str,
    /// Its share of the exchanges without a deprecated element, in thousandths.
    pub(super) weight: u32,
    /// Its share of the exchanges with one; rare operations are more frequent here, so that all rules have uses.
    pub(super) hit_weight: u32,
    /// The rule that deprecates the whole operation.
    pub(super) rule: Option<&'static str>,
    /// The slots of its requests.
    pub(super) request_slots: Slots,
    /// The slots of its responses.
    pub(super) response_slots: Slots,
    /// Names that are deprecated at any place in a body of the operation.
    pub(super) everywhere: &'static [&'static str],
    /// Writes a request's body, if requests have one.
    pub(super) request: Option<fn(&mut Body)>,
    /// Writes a response's body.
    pub(super) response: fn(&mut Body),
}

impl Operation {
    /// The operation's method.
    pub(super) fn method(&self) -> &'static str {
        self.name
            .split_once(' ')
            .map_or("POST", |(method, _)| method)
    }

    /// The operation's path template.
    pub(super) fn path(&self) -> &'static str {
        self.name.split_once(' ').map_or("/", |(_, path)| path)
    }
}

/// One of the operations, by their weights.
pub(super) fn choose(random: &mut Random, hit: bool) -> &'static Operation {
    let weight = |operation: &Operation| {
        if hit {
            operation.hit_weight
        } else {
            operation.weight
        }
    };
    let mut left = random.below(OPERATIONS.iter().map(weight).sum());
    for operation in OPERATIONS {
        if left < weight(operation) {
            return operation;
        }
        left -= weight(operation);
    }
    &PLAIN
}

const INSIDE_DOCUMENTS: Slots = Slots::of(&[Slot::Reactions, Slot::ViewerRole]);

const POLICY: Slots = Slots::of(&[
    Slot::InfoTypes,
    Slot::ContentInfoTypes,
    Slot::UrlGreenlist,
    Slot::Datasources,
    Slot::ExternalSharing,
    Slot::SharingEnabled,
    Slot::SharingByLink,
    Slot::SensitiveTerms,
    Slot::SensitiveRegexes,
]);

const ROOT_OF_ANNOUNCEMENT: Slots =
    Slots::of(&[Slot::RootInviteTime, Slot::RootReminderTime, Slot::RootRole]);
const ANNOUNCEMENT_NAMES: &[&str] = &["isNegated", "documents", "boardId", "snippet", "reactions"];
const POLICY_NAMES: &[&str] = &[
    "sensitiveInfoTypes",
    "urlGreenlist",
    "datasources",
    "externalSharingOptions",
    "enabled",
    "anyoneWithLinkEnabled",
    "sensitiveTerms",
    "sensitiveRegexes",
];

/// The defaults of an operation.
pub(super) const PLAIN: Operation = Operation {
    name: "POST /",
    weight: 0,
    hit_weight: 0,
    rule: None,
    request_slots: Slots::NONE,
    response_slots: Slots::NONE,
    everywhere: &[],
    request: None,
    response: indexing::done_response,
};

/// The operations; those that only hits call are deprecated as a whole.
pub(super) static OPERATIONS: &[Operation] = &[
    Operation {
        name: "POST /rest/api/v1/search",
        weight: 230,
        hit_weight: 180,
        request_slots: FILTERS.and(INSIDE_DOCUMENTS),
        response_slots: RESULT.and(FILTERS),
        request: Some(search::search_request),
        response: search::search_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/autocomplete",
        weight: 170,
        hit_weight: 60,
        response_slots: DOCUMENT.and(FILTERS),
        request: Some(search::autocomplete_request),
        response: search::autocomplete_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/chat",
        weight: 140,
        hit_weight: 150,
        request_slots: Slots::of(&[Slot::Citations]).and(FILTERS),
        response_slots: DOCUMENT.and(Slots::of(&[Slot::Citations, Slot::Snippet])),
        everywhere: &["citations"],
        request: Some(chat::chat_request),
        response: chat::chat_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/people",
        weight: 90,
        hit_weight: 60,
        response_slots: PERSON,
        request: Some(search::people_request),
        response: search::people_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/feed",
        weight: 60,
        hit_weight: 50,
        response_slots: DOCUMENT,
        request: Some(search::feed_request),
        response: search::feed_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/getdocuments",
        weight: 50,
        hit_weight: 40,
        response_slots: DOCUMENT,
        request: Some(search::getdocuments_request),
        response: search::getdocuments_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/listentities",
        weight: 40,
        hit_weight: 40,
        request_slots: FILTERS,
        response_slots: PERSON.and(FILTERS),
        request: Some(search::listentities_request),
        response: search::listentities_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/recommendations",
        weight: 40,
        hit_weight: 40,
        request_slots: FILTERS.and(INSIDE_DOCUMENTS),
        response_slots: RESULT,
        request: Some(search::recommendations_request),
        response: search::recommendations_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/getanswer",
        weight: 30,
        hit_weight: 60,
        request_slots: Slots::of(&[Slot::RootAnswerToken]),
        response_slots: DOCUMENT.and(Slots::of(&[
            Slot::AnswerToken,
            Slot::RootAnswerToken,
            Slot::BoardId,
        ])),
        request: Some(content::getanswer_request),
        response: content::getanswer_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/getchat",
        weight: 20,
        hit_weight: 30,
        response_slots: DOCUMENT.and(Slots::of(&[Slot::Citations, Slot::Snippet])),
        request: Some(chat::getchat_request),
        response: chat::getchat_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/getcollection",
        weight: 20,
        hit_weight: 50,
        request_slots: Slots::of(&[Slot::CollectionToken]),
        response_slots: DOCUMENT.and(Slots::of(&[Slot::CollectionToken])),
        request: Some(content::getcollection_request),
        response: content::getcollection_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/createanswer",
        weight: 10,
        hit_weight: 30,
        request_slots: Slots::of(&[Slot::RootBoardId]),
        response_slots: DOCUMENT.and(Slots::of(&[Slot::RootBoardId])),
        request: Some(content::createanswer_request),
        response: content::createanswer_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/editanswer",
        weight: 5,
        hit_weight: 20,
        request_slots: Slots::of(&[Slot::RootBoardId]),
        response_slots: DOCUMENT.and(Slots::of(&[Slot::RootBoardId])),
        request: Some(content::editanswer_request),
        response: content::createanswer_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/createannouncement",
        weight: 10,
        hit_weight: 50,
        request_slots: DOCUMENT.and(FILTERS).and(ROOT_OF_ANNOUNCEMENT),
        response_slots: DOCUMENT.and(ROOT_OF_ANNOUNCEMENT),
        everywhere: ANNOUNCEMENT_NAMES,
        request: Some(content::createannouncement_request),
        response: content::createannouncement_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/insights",
        weight: 10,
        hit_weight: 40,
        response_slots: DOCUMENT.and(Slots::of(&[Slot::Satisfaction, Slot::GleanAssist])),
        everywhere: &["searchSessionSatisfaction"],
        request: Some(content::insights_request),
        response: content::insights_response,
        ..PLAIN
    },
    Operation {
        name: "GET /rest/api/v1/governance/data/policies/{id}",
        weight: 8,
        hit_weight: 60,
        response_slots: POLICY.and(Slots::of(&[Slot::RootThreshold])),
        everywhere: POLICY_NAMES,
        response: governance::policy_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/governance/data/policies",
        weight: 5,
        hit_weight: 60,
        request_slots: POLICY,
        response_slots: POLICY,
        request: Some(governance::policies_request),
        response: governance::policies_response,
        ..PLAIN
    },
    Operation {
        name: "POST /api/index/v1/indexdocument",
        weight: 25,
        hit_weight: 0,
        request: Some(indexing::indexdocument_request),
        ..PLAIN
    },
    Operation {
        name: "POST /api/index/v1/bulkindexdocuments",
        weight: 10,
        hit_weight: 0,
        request: Some(indexing::bulkindexdocuments_request),
        ..PLAIN
    },
    Operation {
        name: "POST /api/index/v1/indexemployee",
        weight: 10,
        hit_weight: 30,
        request_slots: Slots::of(&[Slot::EmployeeLocation]),
        everywhere: &["location"],
        request: Some(indexing::indexemployee_request),
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/agents/runs/wait",
        weight: 12,
        hit_weight: 0,
        request: Some(chat::agent_run_request),
        response: chat::agent_run_response,
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/activity",
        weight: 5,
        hit_weight: 0,
        request: Some(content::activity_request),
        ..PLAIN
    },
    Operation {
        name: "POST /rest/api/v1/listanswers",
        weight: 0,
        hit_weight: 15,
        rule: Some("listanswers-endpoint"),
        response_slots: DOCUMENT.and(Slots::of(&[Slot::AnswerToken, Slot::BoardId])),
        request: Some(content::listanswers_request),
        response: content::listanswers_response,
        ..PLAIN
    },
    Operation {
        name: "POST /api/index/v1/bulkindexemployees",
        weight: 0,
        hit_weight: 15,
        rule: Some("bulkindexemployees-endpoint"),
        request_slots: Slots::of(&[Slot::EmployeeLocation]),
        request: Some(indexing::bulkindexemployees_request),
        ..PLAIN
    },
    Operation {
        name: "POST /api/index/v1/getdocumentcount",
        weight: 0,
        hit_weight: 10,
        rule: Some("getdocumentcount-endpoint"),
        request: Some(indexing::count_request),
        response: indexing::count_response,
        ..PLAIN
    },
    Operation {
        name: "POST /api/index/v1/getdocumentstatus",
        weight: 0,
        hit_weight: 10,
        rule: Some("getdocumentstatus-endpoint"),
        request: Some(indexing::count_request),
        response: indexing::status_response,
        ..PLAIN
    },
    Operation {
        name: "POST /api/index/v1/getusercount",
        weight: 0,
        hit_weight: 10,
        rule: Some("getusercount-endpoint"),
        request: Some(indexing::count_request),
        response: indexing::count_response,
        ..PLAIN
    },
];
