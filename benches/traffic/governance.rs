//! The bodies of the policies on data: almost every member is deprecated, and so is what is inside some of them.

use super::body::Body;
use super::plan::Slot;

pub(super) fn policy_response(body: &mut Body) {
    body.token("id");
    body.text("name", 2, 6);
    body.time("createdAt");
    if body.plants(Slot::RootThreshold, "likelihoodThreshold") {
        body.json.value("LIKELY");
    }
    body.object("createdBy", Body::short_person);
    body.object("config", config);
    body.attributes();
}

pub(super) fn policies_request(body: &mut Body) {
    body.text("name", 2, 6);
    body.object("frequencyOptions", |body| body.flag("enabled"));
    body.object("config", small_config);
}

pub(super) fn policies_response(body: &mut Body) {
    body.object("report", |body| {
        body.token("id");
        body.text("name", 2, 6);
        body.one_of("status", &["ACTIVE", "INACTIVE"]);
        body.object("frequencyOptions", |body| body.flag("enabled"));
        body.object("config", config);
    });
}

fn config(body: &mut Body) {
    options(body);
    body.object("sensitiveContentOptions", |body| {
        content_options(body);
        body.fill("customSensitiveExpressions", 95, expression);
    });
}

fn small_config(body: &mut Body) {
    options(body);
    body.object("sensitiveContentOptions", |body| {
        content_options(body);
        body.list("customSensitiveExpressions", 1, expression);
    });
}

fn options(body: &mut Body) {
    body.json.string("version", "2");
    if body.plants(Slot::InfoTypes, "sensitiveInfoTypes") {
        body.inside_use(info_types);
    }
    body.object("inputOptions", |body| {
        body.json
            .literal("datasourceInstances", "[\"gdrive_1\",\"jira_2\"]");
        body.one_of("filterType", &["INCLUDE", "EXCLUDE"]);
        if body.plants(Slot::UrlGreenlist, "urlGreenlist") {
            body.json
                .out
                .extend_from_slice(b"[\"https://a.example.com\"]");
        }
        if body.plants(Slot::Datasources, "datasources") {
            body.json.out.extend_from_slice(b"[\"slack\"]");
        }
    });
    if body.plants(Slot::ExternalSharing, "externalSharingOptions") {
        body.inside_use(|body| body.object_value("externalSharingOptions", sharing));
    }
    body.object("broadSharingOptions", sharing);
}

fn sharing(body: &mut Body) {
    body.number("threshold", 100);
    body.flag("domainEnabled");
    if body.plants(Slot::SharingEnabled, "enabled") {
        body.json.out.extend_from_slice(b"true");
    }
    if body.plants(Slot::SharingByLink, "anyoneWithLinkEnabled") {
        body.json.out.extend_from_slice(b"false");
    }
}

fn content_options(body: &mut Body) {
    if body.plants(Slot::ContentInfoTypes, "sensitiveInfoTypes") {
        body.inside_use(info_types);
    }
    if body.plants(Slot::SensitiveTerms, "sensitiveTerms") {
        body.json.out.extend_from_slice(b"[\"caf\\u00e9\"]");
    }
    if body.plants(Slot::SensitiveRegexes, "sensitiveRegexes") {
        body.json
            .out
            .extend_from_slice(b"[{\"regex\":\"[0-9]+\\\\d\"}]");
    }
}

fn info_types(body: &mut Body) {
    body.list_value("sensitiveInfoTypes", 2, |body| {
        body.one_of("type", &["US_SSN", "IBAN_CODE", "PASSPORT"]);
        if body.plants(Slot::Threshold, "likelihoodThreshold") {
            body.json.value("POSSIBLE");
        }
    });
}

/// The replacement, which still has the threshold.
fn expression(body: &mut Body) {
    body.token("id");
    body.text("expression", 2, 10);
    body.object("keyword", |body| {
        body.one_of("type", &["US_SSN", "IBAN_CODE", "PASSPORT"]);
        body.json.string("likelihoodThreshold", "LIKELY");
    });
    body.text("description", 4, 30);
}
