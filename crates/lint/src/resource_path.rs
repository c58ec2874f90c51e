//! Operations of Kubernetes as patterns: the names of the API are shown, those of namespaces and objects are not.

use std::sync::Arc;

use sundown_exchange::{Call, Method, is_api_version};

/// The longest name of a group, a resource or a subresource (RFC 1123).
const MAX_NAME_BYTES: usize = 253;

/// Returns the operation of a call to the API of a Kubernetes cluster, such as
/// `GET /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale`; `None` if the path has another form.
pub(super) fn resource_operation(call: &Call<'_>) -> Option<Arc<str>> {
    let segments = call.target().segments.iter();
    let segments: Vec<&str> = segments.map(|segment| &**segment).collect();
    let method = call.method.as_ref().filter(|method| method.is_registered());
    let method = method.map_or("*", Method::as_str);
    let (prefix, rest) = match segments.as_slice() {
        ["api", rest @ ..] => ("api".to_owned(), rest),
        ["apis", group, rest @ ..] if is_name(group, b".-") => (format!("apis/{group}"), rest),
        _ => return None,
    };
    let [version, rest @ ..] = rest else {
        return None;
    };
    let (watch, rest) = match rest {
        ["watch", rest @ ..] => ("/watch", rest),
        _ => ("", rest),
    };
    let (namespace, rest) = match rest {
        ["namespaces", _, after @ ..] if !after.is_empty() => ("/namespaces/{namespace}", after),
        _ => ("", rest),
    };
    let [resource, rest @ ..] = rest else {
        return None;
    };
    let name = match rest {
        [] => String::new(),
        [_] => "/{name}".to_owned(),
        [_, part] if is_name(part, b"") => format!("/{{name}}/{part}"),
        // What follows a subresource (`pods/x/proxy/…`) belongs to another service.
        [_, part, ..] if is_name(part, b"") => format!("/{{name}}/{part}/**"),
        _ => "/{name}/**".to_owned(),
    };
    let text = format!("{method} /{prefix}/{version}{watch}{namespace}/{resource}{name}");
    (is_api_version(version) && is_name(resource, b"")).then(|| text.into())
}

fn is_name(text: &str, others: &[u8]) -> bool {
    (1..=MAX_NAME_BYTES).contains(&text.len())
        && text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || others.contains(&byte)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_exchange::Target;

    #[test]
    fn names_of_the_api_are_shown_and_those_of_objects_are_not() {
        for (url, shown) in [
            (
                "/apis/batch/v1beta1/cronjobs?limit=500",
                Some("/apis/batch/v1beta1/cronjobs"),
            ),
            (
                "https://h/apis/policy/v1beta1/namespaces/acme/poddisruptionbudgets/ann/status",
                Some(
                    "/apis/policy/v1beta1/namespaces/{namespace}/poddisruptionbudgets/{name}/status",
                ),
            ),
            (
                "/api/v1/componentstatuses/x",
                Some("/api/v1/componentstatuses/{name}"),
            ),
            ("/api/v1/namespaces/acme", Some("/api/v1/namespaces/{name}")),
            (
                "/apis/networking.k8s.io/v1/watch/namespaces/acme/ingresses",
                Some("/apis/networking.k8s.io/v1/watch/namespaces/{namespace}/ingresses"),
            ),
            (
                "/api/v1/namespaces/a/pods/b/proxy/secret/x",
                Some("/api/v1/namespaces/{namespace}/pods/{name}/proxy/**"),
            ),
            ("/api/v1", None),
            ("/apis/batch/v1beta1", None),
            ("/apis/batch/vacation/cronjobs", None),
            ("/apis/Ann@x/v1/cronjobs", None),
            ("/healthz", None),
            ("/", None),
        ] {
            let call = Call::new(Method::parse("GET"), Target::parse(url), None);
            let expected = shown.map(|shown| format!("GET {shown}"));
            assert_eq!(
                resource_operation(&call).as_deref(),
                expected.as_deref(),
                "{url}"
            );
        }
    }
}
