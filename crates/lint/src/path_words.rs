//! Words that are common in the paths of APIs, and say nothing about a person or a customer.

/// Whether a segment of a path consists of common words: `orders`, `bulk-upload`, `listOrders`.
///
/// Such a segment may be shown, even if it is a value: it could be that of anyone. How often a segment occurs does not count,
/// because that of a user or a customer occurs in many calls, too.
pub(super) fn is_common(segment: &str) -> bool {
    if segment.len() > MAX_SEGMENT_BYTES
        || !segment
            .chars()
            .all(|character| character.is_ascii_alphabetic() || "-_.".contains(character))
    {
        return false;
    }
    let words = words_of(segment);
    (1..=MAX_WORDS).contains(&words.len()) && words.iter().all(|word| is_in(word, WORDS))
}

/// Whether a value probably follows a segment: the name of someone, or an id.
pub(super) fn precedes_value(segment: &str) -> bool {
    segment.ends_with('s')
        || segment.len() <= MAX_SEGMENT_BYTES
            && words_of(segment)
                .last()
                .is_some_and(|word| is_in(word, OWNERS))
}

/// The length of a segment in bytes up to which it is shown.
const MAX_SEGMENT_BYTES: usize = 32;

/// The number of its words up to which it is shown. More words could be a passphrase.
const MAX_WORDS: usize = 2;

/// People and organisations, in order. What follows them in a path is one of them.
#[rustfmt::skip]
const OWNERS: &[&str] = &[
    "account", "admin", "agent", "candidate", "client", "company", "contact", "customer", "department", "device",
    "domain", "employee", "group", "guest", "host", "invitation", "invite", "member", "merchant", "org", "organisation",
    "organization", "owner", "partner", "people", "person", "profile", "project", "role", "shop", "site", "subscriber",
    "supplier", "team", "tenant", "user", "vendor", "visitor", "workspace",
];

/// Splits a segment at hyphens, underscores and dots, and before capital letters.
fn words_of(segment: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in segment.chars() {
        let is_end = !character.is_ascii_alphabetic();
        if is_end || was_lower && character.is_ascii_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| !is_end) {
            word.push(character.to_ascii_lowercase());
        }
        was_lower = character.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a word is in a list, in the singular or the plural.
fn is_in(word: &str, list: &[&str]) -> bool {
    let is_listed = |word: &str| list.binary_search(&word).is_ok();
    is_listed(word)
        || ["s", "es"]
            .iter()
            .any(|end| word.strip_suffix(end).is_some_and(is_listed))
        || word
            .strip_suffix("ies")
            .is_some_and(|stem| is_listed(&format!("{stem}y")))
}

/// The words, in order. Topics, places and names are not among them.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "access", "account", "action", "activate", "activation", "activity", "add", "address", "admin", "agent", "aggregate",
    "alert", "alias", "analytics", "annotation", "announcement", "answer", "api", "app", "application", "approval",
    "approve", "archive", "article", "asset", "assign", "assignment", "attachment", "attribute", "audit", "auth",
    "authenticate", "authentication", "authorization", "authorize", "availability", "avatar", "backup", "badge",
    "balance", "banner", "basket", "batch", "billing", "blob", "blog", "bookmark", "broadcast", "bucket", "budget",
    "bulk", "bundle", "cache", "calendar", "call", "callback", "campaign", "cancel", "candidate", "capture", "card",
    "cart", "catalog", "category", "channel", "charge", "chat", "check", "checkout", "claim", "client", "clone", "close",
    "cluster", "code", "collaborator", "collection", "comment", "commit", "company", "compare", "complete", "component",
    "config", "configuration", "confirm", "connect", "connection", "connector", "consent", "contact", "container",
    "content", "contract", "conversation", "convert", "copy", "count", "country", "coupon", "create", "credential",
    "credit", "currency", "customer", "dashboard", "data", "database", "dataset", "datasource", "date", "deactivate",
    "default", "definition", "delete", "delivery", "department", "deploy", "deployment", "detail", "device", "diff",
    "digest", "directory", "disable", "disconnect", "discount", "dispatch", "dispute", "document", "domain", "download",
    "draft", "duplicate", "edit", "element", "email", "employee", "enable", "endpoint", "engine", "entity", "entry",
    "environment", "error", "estimate", "evaluate", "event", "example", "exchange", "execute", "execution", "expense",
    "experiment", "export", "facet", "feature", "feed", "feedback", "fetch", "file", "filter", "find", "flow", "folder",
    "follow", "follower", "forecast", "form", "format", "forum", "fulfillment", "function", "generate", "get", "global",
    "goal", "graph", "graphql", "group", "health", "help", "history", "icon", "identity", "image", "import", "inbox",
    "incident", "index", "info", "ingest", "inventory", "invitation", "invite", "invoice", "issue", "item", "job",
    "journal", "key", "label", "language", "layout", "ledger", "legacy", "level", "library", "license", "like", "limit",
    "line", "link", "list", "listing", "live", "loan", "locale", "location", "log", "login", "logout", "lookup",
    "maintenance", "manage", "manifest", "mapping", "market", "meeting", "member", "membership", "mention", "menu",
    "merchant", "merge", "message", "metadata", "method", "metric", "migration", "mobile", "mode", "model", "module",
    "move", "news", "node", "note", "notification", "oauth", "object", "offer", "office", "onboarding", "operation",
    "operator", "option", "order", "organisation", "organization", "origin", "output", "overview", "owner", "package",
    "partner", "password", "patch", "path", "pause", "payload", "payment", "payout", "payroll", "people", "permission",
    "person", "phone", "photo", "picture", "pin", "ping", "pipeline", "plan", "playlist", "plugin", "point", "policy",
    "poll", "pool", "portal", "post", "preference", "preview", "pricing", "print", "priority", "privacy", "private",
    "process", "product", "profile", "program", "project", "promotion", "property", "provider", "proxy", "publish",
    "purchase", "push", "query", "question", "queue", "quota", "quote", "rate", "rating", "read", "ready",
    "recommendation", "record", "recover", "recovery", "redirect", "reference", "refresh", "refund", "region", "register",
    "registration", "registry", "reject", "relation", "release", "reminder", "remove", "rename", "render", "renew",
    "reply", "report", "repository", "request", "reservation", "reserve", "reset", "resolve", "resource", "response",
    "rest", "restart", "restore", "result", "resume", "retry", "return", "revenue", "review", "revoke", "role",
    "rollback", "route", "rule", "run", "runtime", "sale", "sample", "save", "scan", "schedule", "schema", "scope",
    "score", "screen", "script", "search", "section", "security", "segment", "send", "sensor", "sequence", "server",
    "service", "session", "set", "setting", "settlement", "setup", "share", "shift", "shipment", "shipping", "shop",
    "sign", "signal", "signature", "signin", "signout", "signup", "site", "slot", "snapshot", "social", "sort", "source",
    "space", "spec", "stage", "standard", "start", "stat", "state", "statement", "statistics", "status", "step", "stock",
    "stop", "storage", "store", "stream", "structure", "style", "submission", "submit", "subscribe", "subscriber",
    "subscription", "suggest", "suggestion", "summary", "supplier", "supply", "support", "survey", "suspend", "sync",
    "system", "table", "tag", "task", "tax", "taxonomy", "team", "telemetry", "template", "tenant", "term", "theme",
    "thread", "threshold", "ticket", "tier", "time", "timeline", "timezone", "token", "tool", "topic", "total", "trace",
    "track", "tracking", "trade", "transaction", "transfer", "transform", "translate", "translation", "trash", "tree",
    "trend", "trigger", "trip", "type", "unit", "unlock", "unsubscribe", "update", "upgrade", "upload", "usage", "user",
    "validate", "validation", "value", "variable", "variant", "vehicle", "vendor", "verification", "verify", "version",
    "video", "view", "visitor", "volume", "vote", "wallet", "warehouse", "watch", "web", "webhook", "website", "widget",
    "wiki", "workflow", "workspace", "write", "zone",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        for list in [WORDS, OWNERS] {
            assert!(list.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn segments_of_common_words_are_recognised() {
        for segment in [
            "orders",
            "bulk-upload",
            "listOrders",
            "search_results",
            "policies",
            "addresses",
            "API",
        ] {
            assert!(is_common(segment), "{segment}");
        }
    }

    #[test]
    fn names_ids_and_topics_are_not_common() {
        for segment in [
            "",
            "-",
            "ann",
            "mary-ann",
            "user-ann",
            "u1",
            "order7",
            "smith.report",
            "zürich",
            "a@b.test",
            "diabetes",
            "acme",
            "grant-price",
            "target",
            "record-metric-wallet",
            "3f2504e0",
            "x",
            "reportAnn",
            "sk_live_1",
            "{{base}}",
        ] {
            assert!(!is_common(segment), "{segment}");
        }
        assert!(!is_common(&"report-".repeat(10_000)));
    }
}
