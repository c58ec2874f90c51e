//! Words and names by which calls and their parts are understood. `words.toml` has and describes them.

sundown_text_json::word_lists! {
    WORDS: Words = include_str!("../words.toml");
    registered_methods,
    method_overrides,
    private_domains,
    common_domains,
    single_fields,
    other_announcements,
    in_warnings,
    test_endings,
    script_schemes,
    foreign_schemes,
    library_chunks,
    library_folders,
    attribute_holders,
    tests;
    other_kinds,
    notations
}
