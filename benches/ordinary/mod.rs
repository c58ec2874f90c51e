//! Made-up JSON files as any repository holds them, with nothing in them for a linter of payloads.
//!
//! Benchmarks, examples and tests include this module by its path; it is not a part of the library.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// A kind of file: its name, what it begins with, a member or element that is repeated, and what it ends with.
struct Kind {
    name: &'static str,
    head: &'static str,
    repeated: fn(usize) -> String,
    tail: &'static str,
}

const KINDS: [Kind; 8] = [
    Kind {
        name: "package.json",
        head: "{\n  \"name\": \"shop\",\n  \"version\": \"1.4.2\",\n  \"scripts\": {\"test\": \"vitest\"},\n  \"dependencies\": {\n",
        repeated: |number| format!("    \"@shop/part-{number}\": \"^{}.2.0\"", number % 9),
        tail: "\n  }\n}\n",
    },
    Kind {
        // No JSON, strictly: with comments, and a comma too many.
        name: "tsconfig.json",
        head: "{ // see the handbook\n  /* Paths, as the bundler has them. */\n  \"compilerOptions\": {\"strict\": true},\n  \"references\": [\n",
        repeated: |number| format!("    {{\"path\": \"./packages/part-{number}\"}}"),
        tail: ",\n  ],\n}\n",
    },
    Kind {
        name: "package-lock.json",
        head: "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n",
        repeated: |number| {
            format!(
                "    \"node_modules/part-{number}\": {{\n      \"version\": \"{number}.0.1\",\n      \"resolved\": \"https://registry.example/part-{number}.tgz\",\n      \"integrity\": \"sha512-{number:064x}\"\n    }}"
            )
        },
        tail: "\n  }\n}\n",
    },
    Kind {
        name: "messages.de.json",
        head: "{\n",
        repeated: |number| {
            format!(
                "  \"page.{number}.title\": \"Seite {number}: \u{dc}bersicht \u{201e}offen\u{201c}\""
            )
        },
        tail: "\n}\n",
    },
    Kind {
        // The names of deprecated fields, in a file that is not declared as a payload.
        name: "fixture.json",
        head: "[\n",
        repeated: |number| {
            format!(
                "  {{\"id\": {number}, \"boardId\": {number}, \"citations\": [], \"trackingToken\": \"t{number}\", \"role\": \"OWNER\"}}"
            )
        },
        tail: "\n]\n",
    },
    Kind {
        name: "order.schema.json",
        head: "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"type\": \"object\", \"properties\": {",
        repeated: |number| {
            format!(
                "\"part{number}\": {{\"type\": \"string\", \"deprecated\": true, \"maxLength\": {number}}}"
            )
        },
        tail: "}}",
    },
    Kind {
        name: "places.json",
        head: "{\"type\":\"FeatureCollection\",\"features\":[",
        repeated: |number| {
            format!(
                "{{\"type\":\"Feature\",\"geometry\":{{\"type\":\"Point\",\"coordinates\":[{number}.25,-{number}.5e-1]}},\"properties\":{{\"url\":\"https://places.example/{number}\"}}}}"
            )
        },
        tail: "]}",
    },
    Kind {
        // Cut off, as tests of parsers are.
        name: "broken.json",
        head: "{\"cases\": [\n",
        repeated: |number| {
            format!("  {{\"input\": \"\\u00e4{number}\", \"expected\": [1, [2, {{}}]]}}")
        },
        tail: ",\n  {\"input\": ",
    },
];

/// Writes `count` files of 2 to 20 kB into folders below `root`, and returns their names, relative to it.
pub(crate) fn write_files(root: &Path, count: usize) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for (number, kind) in KINDS.iter().cycle().take(count).enumerate() {
        let name = format!("packages/part-{}/{}", number / KINDS.len(), kind.name);
        let path = root.join(&name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        // Sizes that repeat only after eighteen thousand files.
        fs::write(path, text(kind, 2_000 + number * 7_919 % 18_000))?;
        names.push(name);
    }
    Ok(names)
}

/// A file of this kind, of about this size.
fn text(kind: &Kind, size: usize) -> String {
    let mut text = kind.head.to_owned();
    for number in 0.. {
        let before = if number == 0 { "" } else { ",\n" };
        // Writing into memory does not fail.
        let _ = write!(text, "{before}{}", (kind.repeated)(number));
        if text.len() >= size {
            break;
        }
    }
    text + kind.tail
}
