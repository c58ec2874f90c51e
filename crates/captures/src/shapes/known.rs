//! The shapes that the program knows: one file of `shapes/` each, with a sample of the same name in `testdata/formats/logs`.

use std::sync::LazyLock;

use super::shape::{LogShape, Piece};
use crate::access_log::LogFormat;
use crate::names::NAMES;
use sundown_files::toml_file::read_table;

/// Embeds the files of shapes.
macro_rules! shapes {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../shapes/", $name, ".toml")))),*]
    };
}

/// The first shape that fits a record applies, so the more general ones come last.
const SOURCES: &[(&str, &str)] = shapes![
    "access-log",
    "har",
    "charles",
    "axios",
    "nock",
    "vegeta",
    "k6",
    "structlog",
    "pino-http",
    "caddy",
    "kong",
    "apisix",
    "envoy-als",
    "envoy-tap",
    "keploy",
    "wiremock-journal",
    "mountebank",
    "thunder-client",
    "mockserver",
    "mountebank-stubs",
    "stubby",
    "sentry",
    "suricata",
    "lambda-edge",
    "exvcr",
    "caido",
    "logic-apps",
    "tower-http",
    "mockoon",
    "ocsf",
    "pact",
    "devtools",
    "hoppscotch",
    "yaak",
    "gravitee",
    "elastic-apm",
    "application-insights",
    "request",
    "datadog",
    "ecs",
    "otel-flat",
    "otlp",
    "clickhouse-otel",
    "jaeger",
    "zipkin",
    "gcp",
    "cloudflare",
    "aws-waf",
    "cloudfront",
    "azure-gateways",
    "akamai",
    "traefik",
    "lambda",
    "api-gateway",
    "envoy",
    "nginx",
    "lograge",
    "rancher",
    "kubernetes",
    "logbook",
    "apart",
    "cloudwatch",
    "elasticsearch",
    "loki",
    "container",
    "other",
    "http2",
    "spelled",
    "azure-test-proxy",
    "aws-alb",
    "aws-elb",
    "haproxy",
    "aws-s3",
];

/// All known shapes, in the order in which they are tried.
pub(super) static KNOWN: LazyLock<Vec<LogShape>> = LazyLock::new(|| read_all(SOURCES));

/// The shapes of interactions in the cassettes of tests, whose files are recognised as a whole. What they do not name is where
/// cassettes usually have it.
pub(crate) static RECORDERS: LazyLock<Vec<LogShape>> = LazyLock::new(|| {
    let mut shapes = read_all(shapes!["cassette", "vcr", "vcrpy", "go-vcr", "vcrpy-lists"]);
    let usual = shapes.remove(0);
    for shape in &mut shapes {
        shape.complete_with(&usual);
    }
    shapes
});

/// The formats of lines of all known shapes.
pub(super) fn known_formats() -> impl Iterator<Item = &'static LogFormat> {
    KNOWN.iter().flat_map(|shape| &shape.formats)
}

/// The usual places of pieces that a shape does not name. Its signs make a record without a method a call.
pub(super) static USUAL: LazyLock<LogShape> = LazyLock::new(|| {
    let mut usual = read_all(shapes!["usual"]).remove(0);
    let names = &*NAMES;
    let sent = |parts: &[&[String]]| inside(&names.requests, &parts.concat());
    let answered = |parts: &[&[String]]| inside(&names.responses, &parts.concat());
    let (parameters, headers, forms) = (&names.parameters, &names.headers, &names.forms);
    let queries = [&sent(&[&names.queries]), &*names.queries].concat();
    usual.add(
        Piece::Query,
        &queries,
        &[&sent(&[parameters]), &**parameters].concat(),
    );
    usual.add(Piece::RequestHeaders, &sent(&[headers]), headers);
    usual.add(Piece::RequestBody, &sent(&[&names.bodies, forms]), forms);
    usual.add(Piece::ResponseHeaders, &answered(&[headers]), &[]);
    usual.add(Piece::ResponseBody, &answered(&[&names.bodies]), &[]);
    usual
});

/// The names of parts of a call in a member for its side, or with the word for it.
fn inside(sides: &[String], parts: &[String]) -> Vec<String> {
    let names = parts.iter().flat_map(|part| {
        let joined = [".", ""].map(|by| sides.iter().map(move |side| format!("{side}{by}{part}")));
        joined.into_iter().flatten()
    });
    names.collect()
}

/// Reads files of shapes, each given by its name and its text.
fn read_all(sources: &[(&str, &str)]) -> Vec<LogShape> {
    let sources = sources.iter();
    sources
        .flat_map(|(name, source)| read_shapes(name, source))
        .collect()
}

fn read_shapes(name: &str, source: &str) -> Vec<LogShape> {
    let content = read_table(source, |file| {
        let tables = file.tables("log");
        tables
            .into_iter()
            .map(|table| {
                let fields = file.inner(table);
                let title = fields.required_string("title");
                let mut shape = LogShape::read(&fields);
                name.clone_into(&mut shape.name);
                let order = fields.one_or_more("order").unwrap_or_default();
                shape.order = order.iter().map(|name| name.value.to_owned()).collect();
                let ignored = fields.one_or_more("ignore").unwrap_or_default();
                shape.ignored = ignored.iter().map(|it| it.value.to_owned()).collect();
                shape.end = fields.string("end").map(|name| name.value.to_owned());
                shape.title = title.map_or_else(String::new, |title| title.value.to_owned());
                shape.formats.iter_mut().for_each(LogFormat::need_proof);
                fields.finish();
                shape
            })
            .collect::<Vec<_>>()
    });
    debug_assert!(content.mistakes.is_empty(), "{:?}", content.mistakes);
    content.value
}

/// All known shapes, in the order in which they are tried.
pub fn log_shapes() -> &'static [LogShape] {
    &KNOWN
}

/// The members in which records have the user agent outside of header fields.
pub const USER_AGENT_MEMBERS: [&str; 11] = [
    "http_user_agent",
    "user_agent.original",
    "http.user_agent",
    "user_agent",
    "userAgent",
    "http.useragent",
    "httpRequest.userAgent",
    "requestContext.http.userAgent",
    "request_User-Agent",
    "ClientRequestUserAgent",
    "attributes.http.user_agent",
];
