//! Made-up rules files: any number of deprecated fields over five hundred operations.

use super::operations::OPERATIONS;
use super::random::{Random, index, length};
use super::words::SHARED_NAMES;
use std::io::{self, Write};

/// The number of rules about operations of the traffic, if there are enough rules.
const RULES_OF_TRAFFIC: u32 = 400;

/// Writes a rules file with `count` rules: fewer than ninety thousand, so that all names differ.
pub(crate) fn write_rules(count: u32, seed: u64, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# {count} made-up rules.\n\napi = \"Made-up API\"")?;
    let of_traffic = RULES_OF_TRAFFIC.min(count / 2);
    for number in 0..count {
        let mut random = Random::new(seed, u64::from(number), 3);
        let operation = if number < of_traffic {
            traffic_operation(number)
        } else {
            other_operation(number - of_traffic)
        };
        write_rule(number, &operation, &mut random, out)?;
    }
    Ok(())
}

fn write_rule(
    number: u32,
    operation: &str,
    random: &mut Random,
    out: &mut impl Write,
) -> io::Result<()> {
    let field = field_name(number);
    writeln!(out, "\n[[rule]]\nid = \"{}-{number}\"", kebab(&field))?;
    writeln!(out, "operation = \"{operation}\"\nfield = \"{field}\"")?;
    writeln!(out, "at = [{}]", places(&field, random))?;
    match random.below(4) {
        0 => writeln!(out, "sides = [\"request\"]")?,
        1 => writeln!(out, "sides = [\"response\"]")?,
        _ => {}
    }
    if random.once_in(2) {
        writeln!(
            out,
            "replacement = \"{}\"",
            field_name(number.wrapping_add(30_011))
        )?;
    }
    let (month, day) = (random.between(1, 13), random.between(1, 29));
    writeln!(out, "introduced = 2024-{month:02}-{day:02}")?;
    let (year, month, day) = (
        random.between(2025, 2029),
        random.between(1, 13),
        random.between(1, 29),
    );
    writeln!(out, "removal = {year}-{month:02}-{day:02}")
}

/// One or two selectors of the field.
fn places(field: &str, random: &mut Random) -> String {
    let first = place(field, random);
    if random.once_in(4) {
        let second = place(field, random);
        if second != first {
            return format!("\"{first}\", \"{second}\"");
        }
    }
    format!("\"{first}\"")
}

fn place(field: &str, random: &mut Random) -> String {
    let parent = random.choose(&PARENTS).unwrap_or("metadata");
    let list = random.choose(&LISTS).unwrap_or("results");
    match random.below(6) {
        0 => format!("$.{field}"),
        1 => format!("$.{parent}.{field}"),
        2 => format!("$.{list}[*].{field}"),
        3 => format!("$.{list}[*].{parent}.{field}"),
        4 => format!("$..{list}[*].{field}"),
        _ => format!("$..{parent}.{field}"),
    }
}

/// Parents of fields, most of them parents in the traffic. Those of the shared names in the traffic are not among them.
#[rustfmt::skip]
const PARENTS: [&str; 16] = [
    "metadata", "document", "author", "answer", "config", "data", "permissions", "owner",
    "interactions", "viewerInfo", "structuredResult", "body", "settings", "container", "person",
    "requestOptions",
];

#[rustfmt::skip]
const LISTS: [&str; 12] = [
    "results", "messages", "items", "documents", "entries", "snippets", "values", "people",
    "events", "collections", "roles", "facetResults",
];

fn traffic_operation(number: u32) -> String {
    let called: Vec<_> = OPERATIONS
        .iter()
        .filter(|operation| operation.weight > 0)
        .collect();
    let operation = called.get(index(number % length(&called)));
    operation
        .map_or("POST /rest/api/v1/search", |operation| operation.name)
        .to_owned()
}

/// An operation that the traffic does not have; 480 of them.
fn other_operation(number: u32) -> String {
    let thing = THINGS
        .get(index(number / 8 % length(&THINGS)))
        .map_or("orders", |thing| thing);
    match number % 8 {
        0 => format!("GET /rest/api/v1/{thing}"),
        1 => format!("POST /rest/api/v1/{thing}"),
        2 => format!("GET /rest/api/v1/{thing}/{{id}}"),
        3 => format!("PATCH /rest/api/v1/{thing}/{{id}}"),
        4 => format!("POST /rest/api/v1/{thing}/{{id}}/comments"),
        5 => format!("GET /rest/api/v1/{thing}/{{id}}/history"),
        6 => format!("POST /rest/api/v1/export{thing}"),
        _ => format!("POST /api/index/v1/bulkindex{thing}"),
    }
}

#[rustfmt::skip]
const THINGS: [&str; 60] = [
    "invoices", "orders", "tickets", "shipments", "warehouses", "products", "suppliers",
    "vendors", "contracts", "customers", "accounts", "campaigns", "leads", "quotes", "payments",
    "refunds", "subscriptions", "plans", "coupons", "carts", "catalogs", "categories", "reviews",
    "ratings", "surveys", "responses", "forms", "templates", "workflows", "approvals", "tasks",
    "projects", "boards", "sprints", "releases", "deployments", "clusters", "services",
    "incidents", "alerts", "dashboards", "metrics", "reports", "payouts", "returns", "backups",
    "archives", "folders", "channels", "threads", "meetings", "rooms", "calendars", "bookings",
    "badges", "visitors", "devices", "licenses", "certificates", "webhooks",
];

/// The name of a field: two or three words in camel case, no name twice. No member of the traffic begins as they do.
fn field_name(number: u32) -> String {
    if let Some(name) = SHARED_NAMES.get(index(number)) {
        return (*name).to_owned();
    }
    let word = |list: &[&'static str], place: u32| {
        list.get(index(place % length(list)))
            .copied()
            .unwrap_or_default()
    };
    // Each eighth name has two words, as long as there are any.
    if number.is_multiple_of(8) && number / 8 < TWO_WORDS {
        let (first, second) = (
            word(&FIRST_WORDS, number / 8 / 60),
            word(&SECOND_WORDS, number / 8),
        );
        return format!("{first}{second}");
    }
    // Steps of a prime go through all combinations before one comes again.
    let combination = number % THREE_WORDS * STEP % THREE_WORDS;
    let first = word(&FIRST_WORDS, combination);
    let second = word(&SECOND_WORDS, combination / 24);
    let third = word(&THIRD_WORDS, combination / (24 * 60));
    format!("{first}{second}{third}")
}

const TWO_WORDS: u32 = 24 * 60;
const THREE_WORDS: u32 = 24 * 60 * 63;
const STEP: u32 = 40_009;

/// `legacyOwnerName` as `legacy-owner-name`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

#[rustfmt::skip]
const FIRST_WORDS: [&str; 24] = [
    "legacy", "former", "old", "obsolete", "original", "previous", "raw", "internal", "external",
    "primary", "secondary", "default", "custom", "shared", "cached", "computed", "derived",
    "inline", "nested", "remote", "local", "temporary", "alternate", "historic",
];

#[rustfmt::skip]
const SECOND_WORDS: [&str; 60] = [
    "Account", "Address", "Agent", "Alert", "Amount", "Approval", "Asset", "Audit", "Badge",
    "Batch", "Billing", "Budget", "Calendar", "Campaign", "Card", "Cart", "Catalog", "Channel",
    "Client", "Cluster", "Company", "Contact", "Contract", "Country", "Coupon", "Currency",
    "Customer", "Datacenter", "Delivery", "Department", "Device", "Discount", "Domain",
    "Employee", "Expense", "Export", "Folder", "Group", "Import", "Invoice", "Issue", "Item",
    "Job", "Ledger", "License", "Location", "Mailbox", "Manager", "Market", "Member", "Merchant",
    "Metric", "Order", "Partner", "Payment", "Phone", "Plan", "Policy", "Project", "Region",
];

#[rustfmt::skip]
const THIRD_WORDS: [&str; 63] = [
    "Address", "Alias", "Amount", "Bucket", "Category", "Checksum", "Class", "Code", "Color",
    "Count", "Counter", "Cursor", "Date", "Deadline", "Depth", "Description", "Digest",
    "Duration", "Email", "Encoding", "Filter", "Flag", "Format", "Hash", "Height", "Hint", "Icon",
    "Identifier", "Image", "Index", "Interval", "Key", "Kind", "Label", "Language", "Length",
    "Level", "Limit", "Link", "List", "Locale", "Mask", "Mode", "Name", "Note", "Number",
    "Offset", "Options", "Order", "Owner", "Path", "Pattern", "Percent", "Phase", "Priority",
    "Quota", "Rank", "Rate", "Ratio", "Reason", "Score", "Status", "Token",
];
