//! Words that are common in the paths of APIs, and say nothing about a person or a customer.

/// Returns whether a segment of a path consists of common words: `orders`, `bulk-upload`, `listOrders`.
///
/// Such a segment may be shown, even if it is a value: it could be that of anyone. How often a segment occurs does not count,
/// because that of a user or a customer occurs in many calls, too.
pub(super) fn is_common(segment: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphabetic() || "-_.".contains(character);
    if !segment.chars().all(is_plain) {
        return false;
    }
    let mut words = words_of(segment).peekable();
    words.peek().is_some() && words.all(|word| is_word(&word))
}

/// Splits a segment at hyphens, underscores and dots, and before capital letters.
fn words_of(segment: &str) -> impl Iterator<Item = String> {
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
    words.into_iter().filter(|word| !word.is_empty())
}

/// Returns whether a word is in the list, in the singular or the plural.
fn is_word(word: &str) -> bool {
    let is_listed = |word: &str| WORDS.binary_search(&word).is_ok();
    let singular = |end: &str| word.strip_suffix(end).is_some_and(is_listed);
    let of_y = || word.strip_suffix("ies").is_some_and(|stem| is_listed(&format!("{stem}y")));
    is_listed(word) || singular("s") || singular("es") || of_y()
}

/// The words, in order. Topics, places and names are not among them.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "access", "account", "action", "activate", "activation", "activity", "add", "address", "admin", "agent", "aggregate",
    "alert", "alias", "analytics", "annotation", "announcement", "answer", "api", "app", "application", "approval",
    "approve", "archive", "article", "asset", "assign", "assignment", "attachment", "attribute", "audit", "auth",
    "authenticate", "authentication", "authorization", "authorize", "availability", "avatar", "backup", "badge",
    "balance", "banner", "basket", "batch", "beta", "billing", "blob", "block", "blog", "board", "booking", "bookmark",
    "branch", "brand", "broadcast", "bucket", "budget", "bulk", "bundle", "cache", "calendar", "call", "callback",
    "campaign", "cancel", "candidate", "capture", "card", "cart", "catalog", "category", "channel", "charge", "chat",
    "check", "checkout", "claim", "client", "clone", "close", "cluster", "code", "collaborator", "collection", "comment",
    "commit", "company", "compare", "complete", "component", "config", "configuration", "confirm", "connect",
    "connection", "connector", "consent", "contact", "container", "content", "contract", "conversation", "convert",
    "copy", "count", "country", "coupon", "create", "credential", "credit", "currency", "customer", "dashboard", "data",
    "database", "dataset", "datasource", "date", "deactivate", "default", "definition", "delete", "delivery",
    "department", "deploy", "deployment", "detail", "device", "diff", "digest", "directory", "disable", "disconnect",
    "discount", "discovery", "dispatch", "dispute", "document", "domain", "download", "draft", "duplicate", "edit",
    "element", "email", "employee", "enable", "endpoint", "engine", "entity", "entry", "environment", "error", "estimate",
    "evaluate", "event", "example", "exchange", "execute", "execution", "expense", "experiment", "export", "facet",
    "feature", "feed", "feedback", "fetch", "field", "file", "filter", "find", "flow", "folder", "follow", "follower",
    "forecast", "form", "format", "forum", "fulfillment", "function", "gateway", "generate", "get", "global", "goal",
    "grant", "graph", "graphql", "group", "health", "help", "history", "hook", "host", "icon", "identity", "image",
    "import", "inbox", "incident", "index", "info", "ingest", "inventory", "invitation", "invite", "invoice", "issue",
    "item", "job", "journal", "key", "label", "language", "layout", "ledger", "legacy", "level", "library", "license",
    "like", "limit", "line", "link", "list", "listing", "live", "loan", "locale", "location", "lock", "log", "login",
    "logout", "lookup", "mail", "maintenance", "manage", "manifest", "mapping", "market", "media", "meeting", "member",
    "membership", "mention", "menu", "merchant", "merge", "message", "meta", "metadata", "method", "metric", "migration",
    "mobile", "mode", "model", "module", "monitor", "move", "network", "news", "node", "note", "notification", "oauth",
    "object", "offer", "office", "onboarding", "operation", "operator", "option", "order", "organisation", "organization",
    "origin", "output", "overview", "owner", "package", "page", "partner", "password", "patch", "path", "pause",
    "payload", "payment", "payout", "payroll", "people", "permission", "person", "phone", "photo", "picture", "pin",
    "ping", "pipeline", "plan", "platform", "playlist", "plugin", "point", "policy", "poll", "pool", "portal", "post",
    "preference", "preview", "price", "pricing", "print", "priority", "privacy", "private", "process", "product",
    "profile", "program", "project", "promotion", "property", "provider", "proxy", "public", "publish", "purchase",
    "push", "query", "question", "queue", "quota", "quote", "rate", "rating", "read", "ready", "recommendation", "record",
    "recover", "recovery", "redirect", "reference", "refresh", "refund", "region", "register", "registration", "registry",
    "reject", "relation", "release", "reminder", "remove", "rename", "render", "renew", "reply", "report", "repository",
    "request", "reservation", "reserve", "reset", "resolve", "resource", "response", "rest", "restart", "restore",
    "result", "resume", "retry", "return", "revenue", "review", "revoke", "role", "rollback", "root", "route", "rule",
    "run", "runtime", "sale", "sample", "save", "scan", "schedule", "schema", "scope", "score", "screen", "script",
    "search", "secret", "section", "security", "segment", "send", "sensor", "sequence", "server", "service", "session",
    "set", "setting", "settlement", "setup", "share", "shift", "shipment", "shipping", "shop", "sign", "signal",
    "signature", "signin", "signout", "signup", "site", "slot", "snapshot", "social", "sort", "source", "space", "spec",
    "stage", "standard", "start", "stat", "state", "statement", "statistics", "status", "step", "stock", "stop",
    "storage", "store", "stream", "structure", "style", "submission", "submit", "subscribe", "subscriber", "subscription",
    "suggest", "suggestion", "summary", "supplier", "supply", "support", "survey", "suspend", "sync", "system", "table",
    "tag", "target", "task", "tax", "taxonomy", "team", "telemetry", "template", "tenant", "term", "test", "text",
    "theme", "thread", "threshold", "ticket", "tier", "time", "timeline", "timezone", "token", "tool", "topic", "total",
    "trace", "track", "tracking", "trade", "transaction", "transfer", "transform", "translate", "translation", "trash",
    "tree", "trend", "trigger", "trip", "type", "unit", "unlock", "unsubscribe", "update", "upgrade", "upload", "usage",
    "user", "validate", "validation", "value", "variable", "variant", "vehicle", "vendor", "verification", "verify",
    "version", "video", "view", "visit", "visitor", "volume", "vote", "voucher", "wallet", "warehouse", "watch", "web",
    "webhook", "website", "widget", "wiki", "workflow", "workspace", "write", "zone",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(WORDS.is_sorted_by(|a, b| a < b));
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
            "3f2504e0",
            "x",
            "reportAnn",
            "sk_live_1",
            "{{base}}",
        ] {
            assert!(!is_common(segment), "{segment}");
        }
    }
}
