//! Reads the text of a `Warning` header field: dates, and whether it is about the operation or a part of the call.

use chrono::NaiveDate;

use super::pattern::pattern;
use super::stated_dates;
use super::statement::first_mention;
use super::subject::{KIND, ProseSubject, SubjectKind};
use super::words::DEPRECATED;

/// A warning about a deprecation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeprecationWarning {
    /// The date since which its subject is deprecated.
    pub introduced: Option<NaiveDate>,
    /// The date of its end.
    pub removal: Option<NaiveDate>,
    /// Whether its subject is a part of the call, such as a field or a parameter, and not the operation.
    pub is_about_part: bool,
}

pattern! {
    /// Words about the warning in brackets: `[DEPRECATED] …`, `[2026-12-01] …`.
    LABELS = r"^(?:[\s`]*\[\W*(?:(?:deprecat(?:ed|ion|ions)|obsolete|sunset(?:ted)?|removed|removal|warn(?:ing)?|notice|note|info|important|attention|caution)\b|(?:[^\]]*\W)?(?:19|20)[0-9]{2})[^\]]*\]:?)+";
    /// A path of a field, as Kubernetes has it, or a name in brackets that is no path, as Elasticsearch has it.
    FIELD = r"^[\s`]*(?:[a-z]\w*(?:\.[\w-]+|\[[^\]]*\])+:|\[[^\]/]+\])";
    SUBJECT = format!(r"(?:^|[\s`])(?:{KIND}|(?P<other>annotations?|labels?|values?|syntax|quer(?:y|ies)|tokens?|clients?|librar(?:y|ies)|sdk|tls))\b");
    /// The words before the first verb: `The field a` without the article.
    PART_NAME = format!(r"^\W*(?:(?:the|its|our|{DEPRECATED}|legacy|old) )*(?P<name>[^:,]*?)(?:[:,]|\b(?:is|are|was|were|has|have|will|shall|to|{DEPRECATED})\b)");
    /// After the word: `Deprecated field [x] used`.
    OBJECT = format!(r"^\w*\]?:? (?:the |this )?(?:{KIND})\b");
}

impl DeprecationWarning {
    /// Reads a text about a deprecation.
    pub fn of(text: &str) -> Self {
        let (before, after) = text
            .split_at_checked(first_mention(text))
            .unwrap_or_default();
        let subject = OBJECT
            .captures(after)
            .or_else(|| SUBJECT.captures_iter(before).last());
        let unlabelled = text.get(LABELS.end(text)..).unwrap_or_default();
        let is_about_part = FIELD.is_match(unlabelled)
            || subject
                .is_some_and(|found| found.name("part").is_some() || found.name("other").is_some());
        let subject = if is_about_part {
            let found = PART_NAME.captures(unlabelled);
            let name = found.as_ref().and_then(|found| found.name("name"));
            ProseSubject::new(SubjectKind::Part, name.map(|name| name.as_str()))
        } else {
            ProseSubject::new(SubjectKind::Operation, [])
        };
        let dates = stated_dates(text, &subject);
        Self {
            introduced: dates.introduced,
            removal: dates.removal,
            is_about_part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_about_the_operation_or_a_part_of_the_call() {
        for text in [
            "spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use 'kubernetes.io/os' instead",
            "metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]: deprecated since v1.30; use the 'appArmorProfile' field instead",
            "[types removal] Specifying types in search requests is deprecated.",
            "[ignore_throttled] parameter is deprecated because frozen indices have been deprecated.",
            "parameter 'sort' is deprecated, use 'order'",
            "The field name is deprecated",
            "Deprecated field [x] used, expected [y] instead",
            "The `X-Old` header will be removed",
            "Your client library is deprecated, please upgrade",
            "TLS 1.1 is deprecated",
            "[DEPRECATED] The field a will be removed",
            "[WARNING] [size] is deprecated",
            "[deprecated_size] is deprecated",
        ] {
            assert!(DeprecationWarning::of(text).is_about_part, "{text}");
        }
        for text in [
            "Deprecated API",
            "obsolete endpoint",
            "autoscaling/v2beta2 HorizontalPodAutoscaler is deprecated in v1.23+, unavailable in v1.26+; use autoscaling/v2 HorizontalPodAutoscaler",
            "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
            "[POST /_xpack/ml] is deprecated! Use [POST /_ml] instead.",
            "This API is deprecated, use the field b of the new one",
            "The options endpoint is deprecated",
            "/settings/keys is deprecated",
            "Deprecated: this API will be removed in release 4.0",
            "[DEPRECATED] Use /v2 instead",
            "[WARNING] This endpoint is deprecated",
            "[Deprecation notice] [2026-12-01] Use the deprecated search no more",
            "[since 1 Dec 2026]: deprecated",
        ] {
            assert!(!DeprecationWarning::of(text).is_about_part, "{text}");
        }
    }

    #[test]
    fn the_dates_of_a_warning_are_read_as_those_of_descriptions() {
        for text in [
            "Will be removed on 2026-12-01",
            "This endpoint will be sunset on 1 Dec 2026",
            "Deprecated, until 2026-12-01",
            "This API will be discontinued on December 1, 2026",
            "sunset 2026-12-01",
            "end-of-life 2026-12-01",
            "[DEPRECATED] This endpoint will be removed on 2026-12-01",
            "[WARNING] Will be removed on 2026-12-01",
            "The field a will be removed on 2026-12-01",
            "The `X-Old` header will be removed on 2026-12-01",
            "parameter 'sort' is deprecated and will be removed on 2026-12-01",
            "[size] parameter is deprecated, it will be removed on 2026-12-01",
            "[size] will be removed on 2026-12-01",
            "spec.externalIPs: deprecated, will be removed on 2026-12-01",
            "Deprecated field [x] will be removed on 2026-12-01",
            "The [x] parameter will be removed on 2026-12-01",
            "TLS 1.1 will be removed on 2026-12-01",
        ] {
            let removal = DeprecationWarning::of(text).removal;
            assert_eq!(removal, NaiveDate::from_ymd_opt(2026, 12, 1), "{text}");
        }
    }
}
