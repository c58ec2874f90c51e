//! The API version and the kind of an object, and the path of its resource.

use crate::names::{NAMES, is_one_of};
use sundown_exchange::{is_api_version, resource_name};

/// The longest API version or kind.
const MAX_NAME_BYTES: usize = 253;

/// Whether a text is an API version: `v1`, `apps/v1beta1`.
pub(super) fn is_group_version(text: &str) -> bool {
    let (group, version) = text.split_once('/').unwrap_or(("core", text));
    is_api_version(version)
        && !group.is_empty()
        && group.len() <= MAX_NAME_BYTES
        && is_lower(group, b".-")
}

/// Whether a text has only lower-case letters, digits and these characters.
fn is_lower(text: &str, others: &[u8]) -> bool {
    let mut bytes = text.bytes();
    bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || others.contains(&byte))
}

/// Whether a text is a kind: a word in camel case.
pub(super) fn is_kind(text: &str) -> bool {
    text.len() <= MAX_NAME_BYTES
        && text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The path of the resource of a kind, in the namespace of an object if it has one.
pub(super) fn resource_path(api_version: &str, kind: &str, namespace: Option<&str>) -> String {
    let (root, group) = match api_version.split_once('/') {
        Some((group, _)) => ("apis", group),
        None => ("api", ""),
    };
    // Without a namespace, kubectl uses that of its context, which is mostly `default`.
    let is_own = !group.contains('.') || group.ends_with(".k8s.io");
    let default = Some("default").filter(|_| is_own || namespace.is_some());
    let namespace = namespace
        .filter(|text| (1..=63).contains(&text.len()) && is_lower(text, b"-"))
        .or(default);
    let resource = resource_name(kind);
    match namespace.filter(|_| !(is_own && is_one_of(kind, &NAMES.cluster_kinds))) {
        Some(namespace) => format!("/{root}/{api_version}/namespaces/{namespace}/{resource}"),
        None => format!("/{root}/{api_version}/{resource}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_versions_and_kinds_have_their_form() {
        for text in [
            "v1",
            "v2beta2",
            "apps/v1",
            "networking.k8s.io/v1alpha1",
            "extensions/v1beta1",
        ] {
            assert!(is_group_version(text), "{text}");
        }
        for text in [
            "", "1", "v", "v1x", "vbeta1", "v1beta", "/v1", "Apps/v1", "a/b/v1", "apps/", "v1.0",
            "${V}",
        ] {
            assert!(!is_group_version(text), "{text}");
        }
        assert!(is_kind("PodSecurityPolicy") && is_kind("Cron2Tab"));
        assert!(!is_kind("pod") && !is_kind("") && !is_kind("A B") && !is_kind("youtube#video"));
    }

    #[test]
    fn paths_are_those_of_the_api() {
        for (version, kind, namespace, path) in [
            ("v1", "Pod", None, "/api/v1/namespaces/default/pods"),
            (
                "v1",
                "Endpoints",
                Some("a"),
                "/api/v1/namespaces/a/endpoints",
            ),
            ("v1", "Namespace", None, "/api/v1/namespaces"),
            (
                "policy/v1beta1",
                "PodSecurityPolicy",
                None,
                "/apis/policy/v1beta1/podsecuritypolicies",
            ),
            (
                "networking.k8s.io/v1",
                "Ingress",
                Some("a/../b"),
                "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            ),
            (
                "storage.k8s.io/v1",
                "StorageClass",
                Some("a"),
                "/apis/storage.k8s.io/v1/storageclasses",
            ),
            ("example.com/v1", "Node", None, "/apis/example.com/v1/nodes"),
            (
                "example.com/v1",
                "Node",
                Some("a"),
                "/apis/example.com/v1/namespaces/a/nodes",
            ),
        ] {
            assert_eq!(resource_path(version, kind, namespace), path);
        }
    }
}
