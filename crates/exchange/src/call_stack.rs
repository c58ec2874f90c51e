//! The call stack of a request in a browser, as the `DevTools` protocol of Chrome describes it (`Network.Initiator`).
//!
//! The export of Chrome's developer tools writes it into `_initiator` of an entry unchanged. chrome-har and `WebPageTest` write
//! its text into `_initiator_detail`. Lines and columns count from zero there.

use super::code_location::CodeLocation;
use super::words::WORDS;
use sundown_text_json::json::{Document, MAX_DOCUMENT_DEPTH, Node, ValueKind};

/// How many frames are read. Chrome keeps at most 200 of a call, and 32 asynchronous calls.
const MAX_FRAMES: usize = 256;

/// The frames of an initiator, innermost first, with those of the asynchronous calls before it; at most [`MAX_FRAMES`]. It is an
/// object, or a string that contains its text or a URL; anything else has no frames. Frames without a script are left out.
pub(super) fn frames_of_initiator(initiator: &[u8]) -> Vec<CodeLocation> {
    let Ok(document) = Document::parse_json(initiator, MAX_DOCUMENT_DEPTH) else {
        return Vec::new();
    };
    let node = document.root();
    let Some(text) = node.as_str().filter(|_| node.kind() == ValueKind::String) else {
        return frames_of_object(node);
    };
    if !text.starts_with('{') {
        // Other tools may write anything here, also what is secret.
        let url = text.contains("://").then(|| script_place(text)).flatten();
        return url.into_iter().collect();
    }
    let object = Document::parse_json(text.as_bytes(), MAX_DOCUMENT_DEPTH);
    object.map_or_else(|_| Vec::new(), |object| frames_of_object(object.root()))
}

fn frames_of_object(initiator: Node<'_>) -> Vec<CodeLocation> {
    let mut frames = Vec::new();
    let mut next = initiator.get("stack");
    while let Some(stack) = next.filter(|_| frames.len() < MAX_FRAMES) {
        let calls = stack.children_of("callFrames");
        let room = MAX_FRAMES - frames.len();
        frames.extend(calls.filter_map(frame).take(room));
        next = stack.get("parent");
    }
    if frames.is_empty() {
        // The parser of a page has no stack, but a line.
        frames.extend(frame(initiator));
    }
    frames
}

/// A frame, or the initiator itself; `None` without the URL of a script.
fn frame(node: Node<'_>) -> Option<CodeLocation> {
    let place = script_place(node.get("url")?.as_str()?)?;
    let line = one_based(node, "lineNumber");
    let column = line.and_then(|_| one_based(node, "columnNumber"));
    let function = node.get("functionName").and_then(Node::as_str);
    Some(CodeLocation {
        line,
        column,
        ..place.in_function(function.unwrap_or_default())
    })
}

/// A number of a frame that counts from zero, counted from one.
fn one_based(node: Node<'_>, name: &str) -> Option<u32> {
    let number = node.get(name)?.as_i64()?;
    u32::try_from(number).ok()?.checked_add(1)
}

/// The place of a script, or none if it is text with white space, which browsers encode in URLs.
fn script_place(url: &str) -> Option<CodeLocation> {
    let url = Some(url.trim()).filter(|url| !url.contains(char::is_whitespace));
    CodeLocation::new(url?)
}

/// Whether a script is not part of the application: a package, a bundle of packages, a browser extension, or the
/// bundler's own code.
pub(super) fn is_library(file: &str) -> bool {
    let path = file.strip_prefix("webpack:///").unwrap_or(file);
    WORDS
        .foreign_schemes
        .iter()
        .any(|scheme| file.starts_with(scheme))
        || path.starts_with("webpack/")
        || file
            .split(['/', '\\'])
            .any(|part| WORDS.library_folders.iter().any(|name| name == part))
        || is_library_chunk(file.rsplit(['/', '\\']).next().unwrap_or_default())
}

/// Whether a bundler named the file as one of libraries: `vendor.js`, `vendors~main.js`, `polyfills-5CFQRCPP.js`.
fn is_library_chunk(name: &str) -> bool {
    let Some((stem, _)) = name.rsplit_once('.') else {
        return false;
    };
    WORDS.library_chunks.iter().any(|chunk| {
        let Some(rest) = stem.strip_prefix(chunk) else {
            return false;
        };
        match rest.chars().next() {
            None | Some('.' | '~') => true,
            // `vendor-portal.js` belongs to an application about vendors.
            Some('-') => is_hash(rest.trim_start_matches('-')),
            Some(_) => false,
        }
    })
}

/// Whether a word looks like a hash of content.
fn is_hash(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let is_upper = word.bytes().all(|byte| !byte.is_ascii_lowercase());
    word.len() >= 6
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && (has_digit || is_upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(initiator: &str) -> Vec<String> {
        let describe = |place: &CodeLocation| {
            let number = |number: Option<u32>| number.map_or("?".to_owned(), |n| n.to_string());
            let function = place.function.as_deref().unwrap_or("-");
            format!(
                "{}:{}:{} {function}",
                place.file,
                number(place.line),
                number(place.column)
            )
        };
        frames_of_initiator(initiator.as_bytes())
            .iter()
            .map(describe)
            .collect()
    }

    const STACK: &str = r#"{"type":"script","stack":{"callFrames":[
        {"functionName":"send","scriptId":"7","url":"https://h/app.js?v=1","lineNumber":0,"columnNumber":344},
        {"functionName":"","url":"","lineNumber":1,"columnNumber":2}],
        "parent":{"description":"await","callFrames":[
        {"functionName":"","url":"https://h/app.js","lineNumber":9,"columnNumber":0}]}}}"#;

    #[test]
    fn frames_are_one_based_and_include_asynchronous_calls() {
        assert_eq!(
            frames(STACK),
            ["https://h/app.js:1:345 send", "https://h/app.js:10:1 -"]
        );
        let text = serde_json::to_string(STACK).unwrap();
        assert_eq!(
            frames(&text),
            frames(STACK),
            "as the text of `_initiator_detail`"
        );
    }

    #[test]
    fn initiators_without_a_stack_may_have_a_page_and_a_line() {
        let parser = r#"{"type":"parser","url":"https://h/?secret","lineNumber":11}"#;
        assert_eq!(frames(parser), ["https://h/:12:? -"]);
        assert_eq!(
            frames(r#""https://h/app.js?x""#),
            ["https://h/app.js:?:? -"]
        );
        for secret in [
            r#""Bearer sk-live-123""#,
            r#""//u:pw@h/app.js""#,
            r#""sk-live-123""#,
        ] {
            assert!(frames(secret).is_empty(), "{secret}");
        }
        assert!(frames(r#"{"stack":{"callFrames":[{"url":"Bearer sk-live-123"}]}}"#).is_empty());
        for none in [
            r#"{"type":"other"}"#,
            r#""""#,
            "null",
            "7",
            "[]",
            "{",
            r#""{""#,
            "",
        ] {
            assert!(frames(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn odd_numbers_are_no_lines() {
        let frame = r#"{"stack":{"callFrames":[{"url":"a.js","lineNumber":-1,"columnNumber":5},{"url":"b.js","lineNumber":4294967295,"columnNumber":1},{"url":"c.js","lineNumber":"3"}]}}"#;
        assert_eq!(frames(frame), ["a.js:?:? -", "b.js:?:? -", "c.js:?:? -"]);
    }

    #[test]
    fn the_number_of_frames_is_limited() {
        let parent =
            |inner: String| format!(r#"{{"callFrames":[{{"url":"a.js"}}],"parent":{inner}}}"#);
        let deep = (0..900).fold("{}".to_owned(), |inner, _| parent(inner));
        assert_eq!(frames(&format!(r#"{{"stack":{deep}}}"#)).len(), MAX_FRAMES);
        let wide = vec![r#"{"url":"a.js"}"#; 5_000].join(",");
        assert_eq!(
            frames(&format!(r#"{{"stack":{{"callFrames":[{wide}]}}}}"#)).len(),
            MAX_FRAMES
        );
    }

    #[test]
    fn libraries_are_recognized_by_their_places() {
        for library in [
            "https://h/node_modules/.vite/deps/axios.js",
            "node_modules/axios/lib/adapters/xhr.js",
            "..\\node_modules\\a\\b.js",
            "chrome-extension://abc/content.js",
            "node:internal/deps/undici/undici",
            "https://h/vendor.js",
            "https://h/js/chunk-vendors.1f2e3d4c.js",
            "https://h/vendors~main.js",
            "https://h/polyfills-5CFQRCPP.js",
            "webpack:///webpack/runtime/chunk",
        ] {
            assert!(is_library(library), "{library}");
        }
        for own in [
            "https://h/app.js",
            "https://h/vendor-portal.js",
            "https://h/vendor-management.js",
            "https://h/vendor/orders.js",
            "https://h/vendoring.js",
            "webpack:///./src/a.ts",
            "https://h/",
            "src/vendors/list.ts",
        ] {
            assert!(!is_library(own), "{own}");
        }
    }
}
