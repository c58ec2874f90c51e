//! Names in the paths of a Kubernetes API: versions of groups, and resources.

/// Whether a text is the version of a group: `v1`, `v2beta1`.
pub fn is_api_version(text: &str) -> bool {
    let Some(version) = text.strip_prefix('v') else {
        return false;
    };
    let (major, minor) = ["alpha", "beta"]
        .into_iter()
        .find_map(|stage| version.split_once(stage))
        .unwrap_or((version, version));
    [major, minor].iter().all(|number| {
        (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The name of a resource in paths, as Kubernetes derives it from the kind (`UnsafeGuessKindToResource`), which is right for all
/// kinds of its own.
pub fn resource_name(kind: &str) -> String {
    let name = kind.to_ascii_lowercase();
    if name.ends_with("endpoints") {
        return name;
    }
    match name.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if name.ends_with('s') => format!("{name}es"),
        None => format!("{name}s"),
    }
}
