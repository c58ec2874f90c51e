//! Reads the text of a `Warning` header field: dates, and whether it is about the operation or a part of the call.

use chrono::NaiveDate;

use super::patterns::{PART_OF_CALL, plain};
use super::statement::{ProseSubject, stated_dates};

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

impl DeprecationWarning {
    /// Reads a text about a deprecation.
    pub fn of(text: &str) -> Self {
        let dates = stated_dates(text, &ProseSubject::default());
        Self {
            introduced: dates.introduced,
            removal: dates.removal,
            is_about_part: PART_OF_CALL
                .find_map(&plain(text), |_, _| Some(()))
                .is_some(),
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
