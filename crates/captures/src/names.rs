//! The names of members that show what an object in a record is, and which part of a call: those of `names.toml`.

use sundown_text_json::text::spelling::with_letters;

sundown_text_json::word_lists! {
    NAMES: MemberNames = include_str!("../names.toml");
    requests,
    responses,
    queries,
    parameters,
    headers,
    bodies,
    forms,
    other_bodies,
    answers,
    sent,
    query_parts,
    header_parts,
    fields,
    methods,
    urls,
    other_urls,
    times,
    statuses,
    hosts,
    hosts_beside,
    elsewhere,
    base64_signs,
    about_bodies,
    message_parts,
    message_signs,
    left_out_signs,
    left_out_details,
    route_members,
    route_details,
    body_texts,
    body_descriptions,
    earlier_stages,
    tool_folders,
    archived,
    mentions,
    text_programs,
    http_programs,
    bruno_methods,
    flow_keys,
    form_members,
    form_words,
    structures,
    recorded_texts,
    contents,
    archive_members,
    dates,
    bruno_rest,
    common_texts,
    charles_keys,
    wiremock_urls,
    levels,
    shells,
    powershell,
    raw_requests,
    languages,
    code_beginnings,
    wiremock_marks,
    cluster_kinds,
    zip_endings;
}

/// Whether a list has the name of a member in some spelling.
pub(crate) fn has_name(list: &[String], key: impl AsRef<[u8]>) -> bool {
    with_letters(key.as_ref(), |letters| is_one_of(letters, list))
}

/// Whether a list has a name as it is.
pub(crate) fn is_one_of(name: impl AsRef<[u8]>, list: &[String]) -> bool {
    list.iter().any(|known| known.as_bytes() == name.as_ref())
}
