//! The words that texts, titles and names are made of.

use super::random::{Random, index, length};

/// The field names of the first generated rules. The traffic uses them too, where no selector matches.
pub(super) const SHARED_NAMES: [&str; 8] = [
    "legacyOwnerName",
    "legacyViewCount",
    "formerTeamLabel",
    "formerParentId",
    "oldAccessLevel",
    "oldDisplayUrl",
    "obsoleteSortKey",
    "obsoleteSyncState",
];

/// Writes `count` words with a space after each but the last.
pub(super) fn write_words(out: &mut Vec<u8>, random: &mut Random, count: u32) {
    let mut bits = 0;
    for word in 0..count {
        // One random number is enough for four words.
        if word % 4 == 0 {
            bits = random.next();
        }
        if let Some(padded) = PADDED.get(scaled(bits, PADDED.len())) {
            // A copy of fixed length is one instruction, and most of the traffic is words.
            out.extend_from_slice(&padded.bytes);
            out.truncate(out.len() - WIDTH + padded.length);
        }
        bits >>= 16;
    }
    if out.last() == Some(&b' ') {
        out.pop();
    }
}

/// Writes a person's name.
pub(super) fn write_name(out: &mut Vec<u8>, person: u32) {
    let given = FIRST_NAMES.get(index(person % length(&FIRST_NAMES)));
    let family = LAST_NAMES.get(index(person / length(&FIRST_NAMES) % length(&LAST_NAMES)));
    out.extend_from_slice(given.map_or("Ada", |name| name).as_bytes());
    out.push(b' ');
    out.extend_from_slice(family.map_or("Chen", |name| name).as_bytes());
}

/// Scales the lowest 16 bits to an index into a list of this length.
fn scaled(bits: u64, count: usize) -> usize {
    (usize::try_from(bits & 0xffff).unwrap_or(0) * count) >> 16
}

/// A word and the space after it, padded to the longest word.
#[derive(Clone, Copy)]
struct Padded {
    bytes: [u8; WIDTH],
    length: usize,
}

const WIDTH: usize = 16;

static PADDED: [Padded; WORDS.len()] = pad(&WORDS);

const fn pad<const COUNT: usize>(words: &[&str; COUNT]) -> [Padded; COUNT] {
    let mut padded = [Padded {
        bytes: [b' '; WIDTH],
        length: 0,
    }; COUNT];
    let mut word = 0;
    while word < COUNT {
        let text = words[word].as_bytes();
        let mut place = 0;
        while place < text.len() {
            padded[word].bytes[place] = text[place];
            place += 1;
        }
        padded[word].length = text.len() + 1;
        word += 1;
    }
    padded
}

/// Words as spelled in JSON: the last lines hold escapes, and text that looks like a key except that its quotes are
/// escaped. At most fifteen bytes.
#[rustfmt::skip]
const WORDS: [&str; 354] = [
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "with", "on", "be",
    "at", "by", "this", "from", "or", "have", "an", "they", "which", "one", "you", "were",
    "all", "we", "there", "been", "if", "more", "when", "will", "would", "who", "so", "no",
    "out", "up", "into", "than", "them", "can", "only", "other", "time", "new", "some", "could",
    "these", "two", "may", "then", "do", "first", "any", "my", "now", "such", "like", "our",
    "over", "even", "most", "after", "also", "made", "did", "many", "before", "must", "through",
    "back", "years", "where", "much", "your", "way", "well", "down", "should", "because",
    "each", "just", "those", "people", "how", "too", "little", "state", "good", "very", "make",
    "world", "still", "own", "see", "work", "long", "here", "get", "both", "between", "life",
    "being", "under", "never", "day", "same", "another", "know", "while", "last", "might", "us",
    "great", "old", "year", "off", "come", "since", "go", "against", "came", "right", "used",
    "take", "three", "quarter", "roadmap", "budget", "invoice", "customer", "renewal",
    "pipeline", "forecast", "onboarding", "handbook", "policy", "benefits", "travel", "expense",
    "report", "review", "launch", "checklist", "incident", "postmortem", "deploy", "rollback",
    "release", "branch", "migration", "schema", "database", "cluster", "latency", "throughput",
    "capacity", "outage", "alert", "runbook", "escalation", "owner", "reviewer", "approver",
    "deadline", "milestone", "sprint", "backlog", "planning", "retrospective", "standup",
    "meeting", "agenda", "minutes", "decision", "proposal", "draft", "final", "version",
    "changelog", "summary", "overview", "appendix", "figure", "table", "chart", "spreadsheet",
    "slide", "deck", "template", "example", "guide", "tutorial", "reference", "glossary",
    "question", "answer", "office", "building", "floor", "desk", "badge", "visitor", "security",
    "access", "password", "token", "session", "login", "account", "profile", "team", "manager",
    "director", "engineer", "designer", "analyst", "recruiter", "candidate", "interview",
    "offer", "salary", "payroll", "vacation", "holiday", "calendar", "product", "feature",
    "experiment", "metric", "dashboard", "conversion", "retention", "churn", "revenue",
    "margin", "growth", "region", "country", "currency", "contract", "vendor", "supplier",
    "purchase", "order", "shipment", "warehouse", "inventory", "support", "ticket", "priority",
    "severity", "status", "open", "closed", "search", "query", "result", "ranking", "document",
    "folder", "channel", "thread", "message", "mention", "comment", "reaction", "attachment",
    "image", "video", "audio", "transcript", "translation", "summary-page", "notes", "wiki",
    "archive", "backup", "restore", "encryption", "compliance", "audit", "privacy", "legal",
    "marketing", "campaign", "brand", "website", "newsletter", "event", "webinar", "conference",
    "speaker", "sponsor", "booth", "sales", "quota", "territory", "partner", "location", "role",
    "citations", "snippet", "documents", "trackingToken", "reactions", "café", "résumé",
    "naïve", "Zürich", "München", "Málaga", "São", "Kraków", "Ørsted", "über", "für", "après",
    "déjà", "façade", "señor", "mañana", "Größe", "niño", "Ελλάδα", "Москва", "東京", "会議", "資料",
    "서울", "문서", "🚀", "🎉", "✓", "–", "…", "€",
    "\\\"quoted\\\"", "\\\"role\\\":", "\\\"citations\\\":", "\\n", "\\n\\n", "\\u003cb\\u003e",
    "\\u003c/b\\u003e", "\\u0026amp;", "caf\\u00e9", "\\ud83d\\ude80", "\\u201cso\\u201d",
    "C:\\\\temp", "a\\/b", "\\t",
];

#[rustfmt::skip]
const FIRST_NAMES: [&str; 40] = [
    "Ada", "Alan", "Amélie", "Ana", "Björn", "Chloé", "Dmitri", "Elif", "Emma", "Fatima",
    "Grace", "Hana", "Henrik", "Ingrid", "Ivan", "Jürgen", "José", "Kenji", "Lars", "Leïla",
    "Linus", "Łukasz", "Mai", "Maria", "Mateo", "Nadia", "Noor", "Olga", "Omar", "Priya",
    "Rosa", "Samuel", "Sofía", "Tariq", "Uma", "Víctor", "Wei", "Yusuf", "Zoë", "美咲",
];

#[rustfmt::skip]
const LAST_NAMES: [&str; 30] = [
    "Ångström", "Becker", "Chen", "Díaz", "Eriksen", "Fischer", "García", "Haddad", "Ivanova",
    "Jensen", "Kowalczyk", "Kim", "Larsen", "Müller", "Nakamura", "Nguyễn", "Okafor", "O'Neil",
    "Patel", "Quispe", "Rossi", "Schäfer", "Silva", "Tanaka", "Ueda", "Vargas", "Weber", "Xu",
    "Yılmaz", "Zhang",
];
