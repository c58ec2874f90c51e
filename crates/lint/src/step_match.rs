//! Compares patterns with the steps of a path, of which a part may be any number of steps.

/// Whether a pattern matches all steps: each of its parts is one step that `fits`, and an open one is any number of steps.
pub(crate) fn matches_steps<P, S>(
    pattern: &[P],
    steps: &[S],
    is_open: impl Fn(&P) -> bool,
    fits: impl Fn(&P, &S) -> bool,
) -> bool {
    let (mut at, mut step) = (0, 0);
    // The last open part, and the steps up to its end: one more each time the rest of the pattern does not match.
    let mut rest: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), steps.get(step)) {
            (None, None) => return true,
            (Some(part), _) if is_open(part) => {
                rest = Some((at, step));
                at += 1;
                continue;
            }
            (Some(part), Some(own)) if fits(part, own) => {
                (at, step) = (at + 1, step + 1);
                continue;
            }
            _ => {}
        }
        let Some((open, taken)) = rest.filter(|(_, taken)| *taken < steps.len()) else {
            return false;
        };
        rest = Some((open, taken + 1));
        (at, step) = (open + 1, taken + 1);
    }
}
