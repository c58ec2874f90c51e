//! The names of members that show what an object in a record is, and which part of a call: those of `names.toml`.

use std::sync::LazyLock;

use sundown_files::toml_file::read_table;
use sundown_text_json::text::spelling::with_letters;

/// Makes [`Names`] and the function that reads them.
macro_rules! names {
    ($($name:ident: $key:literal;)*) => {
        /// Lists of names. `names.toml` says what each is.
        #[derive(Debug)]
        #[allow(missing_docs, reason = "the file of the names describes them")]
        pub(crate) struct Names {
            $(pub $name: Vec<String>,)*
        }

        /// The lists.
        pub(crate) static NAMES: LazyLock<Names> = LazyLock::new(|| {
            let content = read_table(include_str!("../names.toml"), |mut file| {
                let mut list = |key| {
                    let names = file.one_or_more(key).unwrap_or_default();
                    names.iter().map(|name| name.value.to_owned()).collect()
                };
                Names {
                    $($name: list($key),)*
                }
            });
            debug_assert!(content.mistakes.is_empty(), "{:?}", content.mistakes);
            content.value
        });
    };
}

names! {
    requests: "requests";
    responses: "responses";
    queries: "queries";
    parameters: "parameters";
    headers: "headers";
    bodies: "bodies";
    forms: "forms";
    other_bodies: "other-bodies";
    answers: "answers";
    sent: "sent";
    query_parts: "query-parts";
    header_parts: "header-parts";
    fields: "fields";
    methods: "methods";
    urls: "urls";
    other_urls: "other-urls";
    times: "times";
    statuses: "statuses";
    hosts: "hosts";
    elsewhere: "elsewhere";
    base64_signs: "base64-signs";
    about_bodies: "about-bodies";
    message_parts: "message-parts";
    message_signs: "message-signs";
    left_out_signs: "left-out-signs";
    left_out_details: "left-out-details";
    route_members: "route-members";
    route_details: "route-details";
    body_texts: "body-texts";
    body_descriptions: "body-descriptions";
    earlier_stages: "earlier-stages";
    tool_folders: "tool-folders";
    archived: "archived";
    mentions: "mentions";
    text_programs: "text-programs";
    bruno_methods: "bruno-methods";
    flow_keys: "flow-keys";
    form_members: "form-members";
    levels: "levels";
    shells: "shells";
    code_beginnings: "code-beginnings";
    wiremock_marks: "wiremock-marks";
    cluster_kinds: "cluster-kinds";
}

/// Whether a list has the name of a member in some spelling.
pub(crate) fn has_name(list: &[String], key: &str) -> bool {
    with_letters(key.as_bytes(), |letters| {
        list.iter().any(|name| name.as_bytes() == letters)
    })
}
