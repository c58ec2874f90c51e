//! Published lists into rules files: mistakes in long lines.

use crate::support::Desk;

#[test]
fn an_excerpt_of_a_long_line_shows_only_the_context_of_the_mistake() {
    let padding = " ".repeat(70_000);
    let known = r#"{"method":"GET","path":"/a","deprecations":[]}"#;
    let list = format!(r#"{{"endpoints":[{known},{padding}[7]{padding}]}}"#);
    let column = list.find("[7]").unwrap() + 1;
    let ran = Desk::new()
        .with("list.json", list)
        .run(&["rules", "import", "list.json"]);
    let reported = ran.stderr;
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2), "{reported}");
    assert!(
        reported.contains(&format!("┌─ list.json:1:{column}\n")),
        "{reported}"
    );
    let [place, shown, mark] = ["1 │ …", "[7]", "^"].map(|piece| reported.find(piece).unwrap());
    assert!(place < shown && shown < mark, "{reported}");
    assert!(reported.len() < 1_000, "{} bytes", reported.len());
}
