//! The published contract: every statement of the reference, what checks it, and a use and a look-alike of each requirement.

use std::collections::BTreeSet;

use StatementStatus::{Checked, NotVisible, OptIn};

use super::support::{builtin, text};
use crate::builtin::LIBRARY;
use sundown_lint::rules::RuleSet;

/// A statement of the reference, or several that one check decides.
struct Statement {
    section: &'static str,
    text: &'static str,
    status: StatementStatus,
}

/// What decides whether traffic agrees with a statement.
enum StatementStatus {
    /// These rules of the tables of deprecations.
    Checked(&'static [&'static str]),
    /// These requirements, with `--contract`.
    OptIn(&'static [&'static str]),
    /// Nothing, for this reason.
    NotVisible(&'static str),
}

const CONSOLE: &str = "the admin console does it, without an exchange of either API";

const KIND_OF_TOKEN: &str =
    "a captured token does not show of which kind it is, and recorders mask it";

const HIDDEN_TOKEN: &str = "recorders remove or mask this header field, so that neither its absence nor its value proves anything";

/// The statements in the order of the reference. What it marks as "not shown" states nothing.
#[rustfmt::skip]
const STATEMENTS: [Statement; 77] = [
    Statement { section: "2.1", text: "a token has a name, permissions, an expiry date, and optional IP restrictions", status: NotVisible(CONSOLE) },
    Statement { section: "2.1", text: "the rotation period of a token is an integer of at least 1440 minutes", status: OptIn(&["rotation-period", "rotatetoken-response-types"]) },
    Statement { section: "2.1, rule 1", text: "the value of a token is displayed once, at creation", status: NotVisible(CONSOLE) },
    Statement { section: "2.1, rule 2", text: "an Indexing API token is not valid for the Client API", status: NotVisible(KIND_OF_TOKEN) },
    Statement { section: "2.2", text: "`rawSecret` is the value of the new token", status: OptIn(&["rotatetoken-live-secret"]) },
    Statement { section: "2.2", text: "`rawSecret` is a string, `createdAt` and `rotationPeriodMinutes` are integers", status: OptIn(&["rotatetoken-response-types"]) },
    Statement { section: "2.3", text: "`name`, `displayName` and `urlRegex` of a datasource are strings", status: OptIn(&["getdatasourceconfig-response-types"]) },
    Statement { section: "2.3", text: "`urlRegex` is a regular expression", status: NotVisible("the reference does not name the dialect") },
    Statement { section: "2.4", text: "a request of indexdocument has the string `datasource`", status: OptIn(&["indexdocument-datasource"]) },
    Statement { section: "2.4", text: "`datasource` names an existing datasource", status: OptIn(&["indexing-status-400"]) },
    Statement { section: "2.4", text: "a request of indexdocument has the object `document`", status: OptIn(&["indexdocument-document"]) },
    Statement { section: "2.4", text: "`document.id` and `document.title` are strings", status: OptIn(&["indexdocument-types"]) },
    Statement { section: "2.4", text: "`document.body` is an object with the strings `mimeType` and `textContent`", status: OptIn(&["indexdocument-types"]) },
    Statement { section: "2.4", text: "`document.body.mimeType` is a MIME type", status: NotVisible("the reference does not list the types that are supported") },
    Statement { section: "2.4", text: "`document.updatedAt` is an ISO 8601 timestamp in UTC", status: OptIn(&["indexdocument-updated-at"]) },
    Statement { section: "2.5", text: "`query` of a search is a string", status: OptIn(&["search-query-type"]) },
    Statement { section: "2.5", text: "`pageSize` of a search is an integer", status: OptIn(&["search-page-size-type"]) },
    Statement { section: "2.5", text: "`results` of a search is an array, `trackingToken` and `requestId` are strings", status: OptIn(&["search-response-types"]) },
    Statement { section: "3", text: "a token stops being valid after its expiry date", status: OptIn(&["client-status-401", "indexing-status-401"]) },
    Statement { section: "3", text: "a rotation replaces a token", status: NotVisible("recorders mask tokens, so that no one can compare them") },
    Statement { section: "4", text: "requests with a body have the media type application/json", status: OptIn(&["client-media-type", "indexing-media-type"]) },
    Statement { section: "4", text: "the listed operations use POST", status: OptIn(&["client-method", "indexing-method"]) },
    Statement { section: "4", text: "a rotation needs no body", status: NotVisible("a body is not needed, but it is not forbidden either") },
    Statement { section: "4", text: "the answer to a rotation is a JSON object with three fields", status: OptIn(&["rotatetoken-response-types"]) },
    Statement { section: "4", text: "a request of getdatasourceconfig has the string `datasource`", status: OptIn(&["getdatasourceconfig-datasource"]) },
    Statement { section: "4", text: "a successful search is answered with 200", status: NotVisible("another status of success does not contradict it") },
    Statement { section: "4, rule 1", text: "the token of the request is the one that is rotated", status: NotVisible(KIND_OF_TOKEN) },
    Statement { section: "4, rule 2", text: "getdatasourceconfig changes nothing", status: NotVisible("a capture does not show the state of the service") },
    Statement { section: "5.1, rule 1", text: "the Indexing API does not support OAuth", status: OptIn(&["indexing-oauth"]) },
    Statement { section: "5.1, rule 2", text: "each request of the Indexing API has `Authorization: Bearer`", status: NotVisible(HIDDEN_TOKEN) },
    Statement { section: "5.1, rule 3", text: "`X-Service-Auth-Type` and `X-Service-ActAs` are not required", status: NotVisible("nothing violates it") },
    Statement { section: "5.1, rule 4", text: "token permissions are global", status: NotVisible(CONSOLE) },
    Statement { section: "5.1, rule 5", text: "some roles may create tokens", status: NotVisible(CONSOLE) },
    Statement { section: "5.1, rule 6", text: "the period of a rotation is at least 1440 minutes", status: OptIn(&["rotation-period"]) },
    Statement { section: "5.1, rule 7", text: "a request from an address outside of the allowed ranges is refused with 403", status: OptIn(&["indexing-status-403"]) },
    Statement { section: "5.2", text: "each request of the Client API has `Authorization: Bearer`", status: NotVisible(HIDDEN_TOKEN) },
    Statement { section: "5.2", text: "scopes, or the identity provider, grant access", status: NotVisible("neither is part of a request, and the reference names no scope") },
    Statement { section: "5.2", text: "a token of the own authorization server may be sent with `X-Service-Auth-Type: OAUTH`", status: NotVisible("it is optional, so that nothing violates it") },
    Statement { section: "5.2, rule 1", text: "a token of an external identity provider needs `X-Service-Auth-Type: OAUTH`", status: OptIn(&["client-auth-type", "client-invalid-secret"]) },
    Statement { section: "5.2, rule 2", text: "a global service-issued token needs `X-Service-ActAs`", status: OptIn(&["client-act-as"]) },
    Statement { section: "5.2", text: "`X-Service-ActAs` names the user by email address", status: NotVisible("recorders mask addresses, and the reference does not show their form") },
    Statement { section: "7", text: "401: the token is invalid or expired", status: OptIn(&["client-status-401", "indexing-status-401"]) },
    Statement { section: "7", text: "403 of the Indexing API: the address is not in the allowed ranges", status: OptIn(&["indexing-status-403"]) },
    Statement { section: "7", text: "403 of the Client API: insufficient permissions", status: OptIn(&["client-status-403"]) },
    Statement { section: "7", text: "400 of the Indexing API: the datasource does not exist", status: OptIn(&["indexing-status-400"]) },
    Statement { section: "7", text: "413: the request or document is too large", status: OptIn(&["client-status-413", "indexing-status-413"]) },
    Statement { section: "7", text: "429: the rate limit is exceeded", status: OptIn(&["client-status-429", "indexing-status-429"]) },
    Statement { section: "7", text: "500: an internal failure", status: OptIn(&["client-status-500", "indexing-status-500"]) },
    Statement { section: "7, rule 1", text: "documents are refused for their MIME type, size or permissions", status: NotVisible("the reference shows neither the bodies of errors nor their statuses") },
    Statement { section: "7, rule 2", text: "a document appears in search after 5 to 10 minutes", status: NotVisible("a capture does not show that two exchanges are about one document") },
    Statement { section: "7, rule 3", text: "an empty expiry date blocks the creation of a token", status: NotVisible(CONSOLE) },
    Statement { section: "8", text: "the minimum rotation period is 1440 minutes", status: OptIn(&["rotation-period"]) },
    Statement { section: "8", text: "each token has an expiry date", status: NotVisible(CONSOLE) },
    Statement { section: "9, rule 1", text: "the version is part of the path", status: NotVisible("a path without it is another operation, which is counted as a near miss") },
    Statement { section: "9, rule 2", text: "deprecations are announced with a removal date", status: NotVisible("the list of deprecations announces them, not the traffic") },
    Statement { section: "9", text: "insights: `searchSessionSatisfaction`", status: Checked(&["insights-search-session-satisfaction"]) },
    Statement { section: "9", text: "getanswer: `trackingToken`", status: Checked(&["getanswer-tracking-token"]) },
    Statement { section: "9", text: "getcollection: `trackingToken`", status: Checked(&["getcollection-tracking-token"]) },
    Statement { section: "9", text: "chat: `citations`", status: Checked(&["chat-citations"]) },
    Statement { section: "9", text: "indexemployee: `location`", status: Checked(&["indexemployee-location"]) },
    Statement { section: "9", text: "createannouncement: `isNegated`", status: Checked(&["createannouncement-is-negated"]) },
    Statement { section: "9", text: "createannouncement: `documents`", status: Checked(&["createannouncement-documents"]) },
    Statement { section: "9", text: "createannouncement: `boardId`", status: Checked(&["createannouncement-board-id"]) },
    Statement { section: "9", text: "createannouncement: `snippet`", status: Checked(&["createannouncement-snippet"]) },
    Statement { section: "9", text: "createannouncement: `inviteTime` and `reminderTime`", status: Checked(&["createannouncement-invite-time", "createannouncement-reminder-time"]) },
    Statement { section: "9", text: "createannouncement: `reactions`", status: Checked(&["createannouncement-reactions"]) },
    Statement { section: "9", text: "createannouncement: `role`", status: Checked(&["createannouncement-role"]) },
    Statement { section: "9", text: "policies: `sensitiveInfoTypes`", status: Checked(&["policy-sensitive-info-types", "policy-content-sensitive-info-types"]) },
    Statement { section: "9", text: "policies: `likelihoodThreshold`", status: Checked(&["policy-likelihood-threshold"]) },
    Statement { section: "9", text: "policies: `urlGreenlist`", status: Checked(&["policy-url-greenlist"]) },
    Statement { section: "9", text: "policies: `datasources`", status: Checked(&["policy-datasources"]) },
    Statement { section: "9", text: "policies: `externalSharingOptions`", status: Checked(&["policy-external-sharing-options"]) },
    Statement { section: "9", text: "policies: `enabled` and `anyoneWithLinkEnabled`", status: Checked(&["policy-enabled", "policy-anyone-with-link-enabled"]) },
    Statement { section: "9", text: "policies: `sensitiveTerms` and `sensitiveRegexes`", status: Checked(&["policy-sensitive-terms", "policy-sensitive-regexes"]) },
    Statement { section: "9", text: "the endpoints bulkindexemployees, getdocumentcount, getdocumentstatus and getusercount", status: Checked(&["bulkindexemployees-endpoint", "getdocumentcount-endpoint", "getdocumentstatus-endpoint", "getusercount-endpoint"]) },
    Statement { section: "9", text: "the endpoint listanswers", status: Checked(&["listanswers-endpoint"]) },
    Statement { section: "9, rule", text: "an item works until its removal date, and is removed after it", status: Checked(&["chat-citations", "getanswer-tracking-token"]) },
];

/// The ids of all built-in requirements.
fn contract_ids() -> BTreeSet<String> {
    let set = RuleSet::new(
        LIBRARY
            .contracts
            .iter()
            .map(|table| table.load().unwrap())
            .collect(),
    );
    set.unwrap().ids().map(str::to_owned).collect()
}

#[test]
fn every_statement_of_the_reference_has_a_check_or_a_reason() {
    let (rules, contract) = (builtin(), contract_ids());
    let expectations = ["chromium", "mitmproxy", "pino-http"]
        .map(|name| text(&format!("testdata/captures/{name}.expected.json")));
    let cases = text("testdata/cases/contract/each-requirement/case.toml");
    let mut named = BTreeSet::new();
    for Statement {
        section,
        text,
        status,
    } in &STATEMENTS
    {
        match status {
            Checked(ids) => {
                for id in *ids {
                    assert!(rules.rule(id).is_some(), "{section}: {text}: {id}");
                    // The oracle's expectations prove that these rules find their uses, and not their look-alikes.
                    let rule = format!("\"rule\": \"{id}\"");
                    let recorded = expectations.iter().any(|text| text.contains(&rule));
                    assert!(recorded, "no recorded capture has a use of {id}");
                }
            }
            OptIn(ids) => {
                for id in *ids {
                    assert!(contract.contains(*id), "{section}: {text}: {id}");
                    // A violation and a look-alike, each in two formats.
                    let rule = format!("rule = \"{id}\"");
                    assert_eq!(cases.matches(&rule).count(), 4, "{id}");
                    named.insert((*id).to_owned());
                }
            }
            NotVisible(reason) => assert!(!reason.is_empty(), "{section}: {text}"),
        }
    }
    assert_eq!(named, contract, "each requirement belongs to a statement");
}
