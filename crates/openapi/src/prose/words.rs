//! Words that several patterns have in common.

/// Words for "deprecated". Some descriptions misspell it.
pub(super) const DEPRECATED: &str = "(?:deprecated|depricated|obsoleted?|closing down)";

/// Words for "ended".
pub(super) const ENDED: &str = "(?:removed|sunset(?:ted)?|retired|shut ?down|shut off|turned off|switched off|discontinued|deleted|decommissioned|disabled|deactivated|dropped|withdrawn|eliminated|phased out|unavailable|unsupported|inaccessible)";

/// The beginnings of the names of months, in order.
pub(super) const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

pub(super) const MONTH: &str = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?";

/// A method of HTTP.
pub(super) const METHOD: &str = "(?:GET|PUT|POST|PATCH|DELETE|HEAD|OPTIONS)";

/// Words before a date.
pub(super) const PREPOSITION: &str = r"(?:on|by|after|from|as (?:of|from)|since|starting(?: on| from| in| with)?|beginning(?: on| from| in)?|effective(?: on| from| as of)?|in|at|until|till)[:,]? (?:the )?";

/// Directly after a word such as `Deprecated` that is about the element by itself, and not about what the next noun names.
pub(super) const AFTER_ANNOTATION: &str = concat!(
    r"(?:$|\s*[:.,!;)\]–—|/]|\s+-|\s*-\s|\s+\(",
    r"|\s+(?:in|since|as of|as|by|from|with|due to|because|on)\b\s*(?:the\s+)?(?:v?\d|version|favou?r|api|release|[a-z]+ v?\d|this|it\b|all\b|of\b)",
    r"|\s+(?:use|please|see|replaced|no longer|do not|don't|will|since|as of|because|due to|in favou?r|at version)\b",
    r"|\s+notice\s*(?:$|[.,;:!])",
    r"|\s+and\s+(?:will|should|is|has|no longer|replaced|not|may|can|does|ignored|removed|unused|superseded|scheduled)\b",
    r"|\s+(?:field|property|parameter|attribute|option|endpoint|method|operation)\s*(?:$|[.,;:!]))",
);
