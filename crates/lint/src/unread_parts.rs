//! The query and the header fields of a call in members of its record that no shape reads: those that look like them, or that have the
//! name of an element that a rule is about.

use chrono::NaiveDate;
use memchr::memmem;

use super::rule_choice::{NamedRules, RuleChoice};
use sundown_exchange::{
    Exchange, HeaderFields, Lazy, Reason, RecordValue, Side, Unread, are_disabled, has_header,
    is_flat_header,
};
use sundown_text_json::json::{Node, scan, string};
use sundown_text_json::text::Span;
use sundown_text_json::text::spelling::is_spelled;

/// How many objects may be around such a member.
const MAX_LEVELS: usize = 3;

/// The members of a record that are looked at: more than a logger writes, and few enough for many rules.
const MAX_MEMBERS: usize = 10_000;

/// The bytes of a query in a list: servers take no longer URLs.
const MAX_QUERY: usize = 8 * 1024;

/// The names of lists of names and values that are of a span or a table.
const TAGS: [&str; 4] = ["tags", "attributes", "labels", "rows"];

/// What may be the query of a call that has none, if a rule is about a parameter.
pub(super) fn query(exchange: &Exchange<'_>, rules: &NamedRules) -> Option<Unread> {
    if rules.is_empty() {
        return None;
    }
    let record = &exchange.call.unread_query;
    let is_named = |name: &str| rules.parts().any(|part| part.name == name);
    let is_query = |key: &str, value: &[u8], level: usize| {
        level > 0 && is_parameter(value) && is_named(key) && is_distinct(key)
            || !TAGS.contains(&key) && is_listed_query(value, rules)
            || exchange.call.target().has_query(value, is_named)
    };
    let known = record.get().clone();
    known.or_else(|| find(exchange, record, Reason::UnreadQuery, is_query))
}

/// Whether a value may be that of a parameter: some text, a number, a flag, or a list of these.
fn is_parameter(value: &[u8]) -> bool {
    !matches!(
        value,
        [b'{' | b'n', ..] | [b'[', b']' | b'{' | b'[', ..] | b"\"\""
    )
}

/// Whether a name says enough: a word of small letters is the name of many things.
fn is_distinct(name: &str) -> bool {
    !name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether a value is a list of names and values with a parameter that a rule is about. Most lists are none, and are not parsed.
fn is_listed_query(value: &[u8], rules: &NamedRules) -> bool {
    let names = rules.parts().map(|part| &part.name);
    let mut names = names.filter(|name| is_distinct(name));
    let may_be = value.starts_with(b"[{") && value.len() < MAX_QUERY;
    may_be
        && names.any(|name| {
            memmem::find(value, name.as_bytes()).is_some()
                && has_header(value, |listed| listed.eq_ignore_ascii_case(name))
        })
}

/// What may be the header fields of a message, if a rule is about one.
pub(super) fn headers(exchange: &Exchange<'_>, side: Side, rules: &NamedRules) -> Option<Unread> {
    if rules.is_empty() {
        return None;
    }
    let [message, other] = [side, side.other()].map(|side| exchange.message(side));
    let record = &message.unread_headers;
    // What is called that of the other message is not that of this one.
    if record.get().is_some() || other.unread_headers.get().is_some() {
        return record.get().clone();
    }
    let is_variable = |key: &str| {
        rules
            .parts()
            .any(|part| is_flat_header(key, side, &part.name))
    };
    let is_named = |key: &str| {
        let mut names = rules.parts().map(|part| &part.name);
        names.any(|name| name.contains('-') && is_spelled(key, name))
    };
    let is_read = |key: &str| {
        let mut names = rules.parts().map(|part| &part.name);
        names.any(|name| name.eq_ignore_ascii_case(key))
    };
    if let Some(found) = cookies(exchange, side, rules) {
        return Some(found);
    }
    let fields = message.fields();
    if let Some(span) = fields.span() {
        let mut read = message.headers().iter();
        let is_unread = match message.headers() {
            [] => has_content(fields.raw()) && !are_disabled(fields.raw()),
            // Gateways write `_` for `-`.
            _ => read.any(|header| {
                let name = &header.name;
                is_variable(name) || is_named(name) && !is_read(name)
            }),
        };
        return is_unread.then(|| Unread::at(Reason::UnreadHeaders, span));
    }
    // A record with header fields has no others elsewhere, but copies.
    if !other.headers().is_empty() || !message.headers().is_empty() {
        return None;
    }
    let is_header = |key: &str, value: &[u8], _| {
        let is_text = matches!(value, [b'"', ..] | [b'[', b'"', ..])
            && value != b"\"-\""
            && has_content(value);
        is_text && (is_named(key) || is_variable(key))
            || !value.starts_with(b"{")
                && has_header(value, |name| is_read(name) || is_variable(name))
    };
    find(exchange, record, Reason::UnreadHeaders, is_header)
}

/// What may be the cookies of a request, if a rule is about one of them.
fn cookies(exchange: &Exchange<'_>, side: Side, rules: &NamedRules) -> Option<Unread> {
    let message = exchange.message(side);
    let named = rules.parts().find(|part| part.name == "cookie")?;
    let is_read = message.headers().iter().any(|field| field.name == "cookie");
    if side == Side::Response || is_read {
        return None;
    }
    let record = &message.unread_headers;
    find(exchange, record, Reason::UnreadHeaders, |key, value, _| {
        let span = Span::new(0, value.len());
        let read = |node: Node<'_>, place| HeaderFields::default().with_cookies(node, place);
        let cookies = RecordValue { file: value, span };
        let is_named = is_spelled(key.trim_end_matches('s'), "cookie");
        is_named
            && has_content(value)
            && (cookies.read(read).list.iter()).any(|field| {
                let chosen =
                    named
                        .rules
                        .choose(|| field.values(), NaiveDate::MAX, RuleChoice::MostSpecific);
                !chosen.is_empty()
            })
    })
}

/// Whether something is between the brackets or quotes of a value.
fn has_content(value: &[u8]) -> bool {
    matches!(value, [b'{' | b'[' | b'"', inside @ .., _] if !inside.trim_ascii().is_empty())
}

/// Finds a member of a record outside of what was read, by its key, its value and the number of objects around it.
fn find(
    exchange: &Exchange<'_>,
    record: &Lazy<'_, Option<Unread>>,
    reason: Reason,
    is_it: impl Fn(&str, &[u8], usize) -> bool,
) -> Option<Unread> {
    let (text, start) = (record.raw(), record.span()?.start);
    let messages = Side::BOTH.map(|side| exchange.message(side));
    let read = messages.map(|message| {
        let body = message.raw_body().map(|body| body.span);
        [body, message.fields().span()]
    });
    let mut left = MAX_MEMBERS;
    let mut open = vec![(0, 0)];
    while let Some((at, level)) = open.pop() {
        for member in scan::members(text, at).map_while(Result::ok) {
            left = left.checked_sub(1)?;
            let value = member.value.slice(text);
            if read
                .as_flattened()
                .contains(&Some(member.value.shifted(start)))
            {
                continue;
            }
            let key = string::decode_bytes(text, member.key);
            if is_it(&key, value, level) {
                let unread = Unread::at(reason, member.key.shifted(start));
                return Some(unread.in_member(&key));
            }
            if value.starts_with(b"{") && level < MAX_LEVELS {
                open.push((member.value.start, level + 1));
            }
        }
    }
    None
}
