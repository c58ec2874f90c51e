//! Versions of the groups of a Kubernetes API.

/// Returns whether a text is the version of a group: `v1`, `v2beta1`.
pub fn is_api_version(text: &str) -> bool {
    let is_number = |text: &str| {
        (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let Some(version) = text.strip_prefix('v') else { return false };
    let stage = ["alpha", "beta"].into_iter().find_map(|stage| version.split_once(stage));
    stage.map_or_else(|| is_number(version), |(major, minor)| is_number(major) && is_number(minor))
}
