//! Suggests known names for misspelled ones.

/// The similarity above which a known name is suggested.
const SUGGESTED: f64 = 0.75;

/// Returns the known name that is most similar to `name`; of equally similar ones, the first in alphabetical order.
pub fn most_similar<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    rank(name, known).map(|(_, known)| known)
}

/// Returns the known name that `name` is probably a misspelling of, if one is similar enough.
pub fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    rank(name, known)
        .filter(|(similarity, _)| *similarity > SUGGESTED)
        .map(|(_, known)| known)
}

fn rank<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<(f64, &'n str)> {
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(known, name), known))
        .max_by(|(a, a_name), (b, b_name)| a.total_cmp(b).then(b_name.cmp(a_name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_suggested_if_it_is_similar_enough() {
        assert_eq!(did_you_mean("pathes", ["rules", "paths"]), Some("paths"));
        assert_eq!(did_you_mean("zzz", ["rules", "paths"]), None);
        assert_eq!(most_similar("zzz", ["rules", "paths"]), Some("paths"));
        assert_eq!(most_similar("ab", ["abd", "abc"]), Some("abc"));
        assert_eq!(most_similar("ab", []), None);
    }
}
