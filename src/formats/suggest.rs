//! What a file that is in no format comes closest to, and what it lacks: each format has marks, and some of them speak for it.

use super::registry::Format;
use crate::formats::file_head::FileHead;
use crate::json::scan;
use crate::text::Block;

/// Something that files of a format have.
struct FormatMark {
    sign: MarkSign,
    /// What it is, for people; follows "has no".
    what: &'static str,
    weight: MarkWeight,
}

/// How a mark is seen. Keys are those at the top of a document in JSON or YAML.
enum MarkSign {
    /// A key.
    Key(&'static str),
    /// A key whose value is a list.
    List(&'static str),
    /// A key whose value is an object.
    Object(&'static str),
    /// One of these texts, anywhere.
    Says(&'static [&'static str]),
    /// A line that begins with one of these.
    Line(&'static [&'static str]),
}

/// How much a mark says.
#[derive(PartialEq, Eq)]
enum MarkWeight {
    /// Few others have it.
    Telling,
    /// Many have it.
    Common,
}

const fn telling(sign: MarkSign, what: &'static str) -> FormatMark {
    FormatMark { sign, what, weight: MarkWeight::Telling }
}

const fn common(sign: MarkSign, what: &'static str) -> FormatMark {
    FormatMark { sign, what, weight: MarkWeight::Common }
}

/// The marks of each format that is known by some. A bare body and a document of any kind have none, and captures of packets
/// begin with a number or are none.
const MARKS: &[(Format, &[FormatMark])] = &[
    (
        Format::Har,
        &[
            telling(MarkSign::Object("log"), "object `log` at the top"),
            telling(MarkSign::Says(&["\"entries\""]), "list `entries`"),
            common(MarkSign::Says(&["\"startedDateTime\""]), "`startedDateTime`"),
        ],
    ),
    (
        Format::Ndjson,
        &[
            telling(MarkSign::Line(&["{"]), "lines that are JSON objects"),
            common(MarkSign::Says(&["\"method\"", "\"verb\""]), "`method`"),
        ],
    ),
    (
        Format::OpenApi,
        &[
            telling(MarkSign::Key("openapi"), "`openapi` at the top"),
            telling(MarkSign::Key("paths"), "`paths` at the top"),
            common(MarkSign::Key("info"), "`info` at the top"),
        ],
    ),
    (
        Format::WireMock,
        &[
            common(MarkSign::Object("request"), "object `request` at the top"),
            common(MarkSign::Object("response"), "object `response` at the top"),
            telling(
                MarkSign::Says(&[
                    "\"urlPath",
                    "\"urlPattern\"",
                    "\"jsonBody\"",
                    "\"bodyPatterns\"",
                ]),
                "pattern of a URL (`urlPath`, `urlPattern`, …)",
            ),
        ],
    ),
    (
        Format::Pact,
        &[
            telling(MarkSign::Object("consumer"), "object `consumer` at the top"),
            telling(MarkSign::Object("provider"), "object `provider` at the top"),
            telling(MarkSign::List("interactions"), "list `interactions` at the top"),
        ],
    ),
    (
        Format::Hoverfly,
        &[
            common(MarkSign::Object("data"), "object `data` at the top"),
            telling(MarkSign::Says(&["\"pairs\""]), "list `pairs` in `data`"),
            common(MarkSign::Object("meta"), "object `meta` at the top"),
        ],
    ),
    (
        Format::Postman,
        &[
            common(MarkSign::Object("info"), "object `info` at the top"),
            telling(MarkSign::List("item"), "list `item` at the top"),
            telling(MarkSign::Says(&["postman.com/", "\"_postman_id\""]), "schema of Postman's"),
        ],
    ),
    (
        Format::Insomnia,
        &[
            telling(MarkSign::Key("__export_format"), "`__export_format` at the top"),
            common(MarkSign::Key("_type"), "`_type` at the top"),
            telling(MarkSign::List("resources"), "list `resources` at the top"),
        ],
    ),
    (
        Format::InsomniaYaml,
        &[
            telling(
                MarkSign::Says(&[".insomnia.rest/5"]),
                "`type` of `.insomnia.rest/5` at the top",
            ),
            common(MarkSign::Key("collection"), "`collection` at the top"),
        ],
    ),
    (
        Format::Bruno,
        &[
            telling(MarkSign::Line(&["meta {"]), "block `meta`"),
            telling(
                MarkSign::Line(&["get {", "post {", "put {", "patch {", "delete {"]),
                "block of a method",
            ),
            common(MarkSign::Says(&["url:"]), "`url`"),
        ],
    ),
    (
        Format::HttpFile,
        &[
            telling(MarkSign::Line(&["###"]), "line that begins with three number signs"),
            telling(
                MarkSign::Line(&["GET ", "POST ", "PUT ", "PATCH ", "DELETE "]),
                "line of a method and a URL",
            ),
        ],
    ),
    (
        Format::Curl,
        &[
            common(MarkSign::Line(&["#!", "```"]), "`#!` and a shell, or code block for one"),
            telling(MarkSign::Says(&["curl "]), "call of curl"),
        ],
    ),
    (
        Format::Vcr,
        &[
            telling(MarkSign::Key("http_interactions"), "list `http_interactions` at the top"),
            telling(MarkSign::Key("recorded_with"), "`recorded_with` at the top"),
            common(MarkSign::Says(&["uri"]), "`uri`"),
        ],
    ),
    (
        Format::Vcrpy,
        &[
            telling(MarkSign::List("interactions"), "list `interactions` at the top"),
            common(MarkSign::Says(&["request"]), "`request` in an interaction"),
            common(MarkSign::Says(&["\"uri\"", "uri:"]), "`uri` in the first request"),
        ],
    ),
    (
        Format::GoVcr,
        &[
            telling(MarkSign::List("interactions"), "list `interactions` at the top"),
            common(MarkSign::Key("version"), "`version` at the top"),
            common(MarkSign::Says(&["url:"]), "`url` in the first request"),
        ],
    ),
    (
        Format::AccessLog,
        &[
            telling(MarkSign::Says(&[" HTTP/1.", " HTTP/2."]), "request like `GET /path HTTP/1.1`"),
            common(MarkSign::Says(&["] \""]), "time in brackets in front of a quote"),
            common(MarkSign::Says(&["\" 2", "\" 3", "\" 4", "\" 5"]), "status behind a quote"),
        ],
    ),
    (
        Format::Mitmproxy,
        &[
            telling(MarkSign::Says(&["7:request;"]), "`request` in a tnetstring"),
            common(MarkSign::Says(&["8:response;"]), "`response` in a tnetstring"),
            common(MarkSign::Says(&["7:version;"]), "`version` in a tnetstring"),
        ],
    ),
    (
        Format::RawHttp,
        &[
            telling(MarkSign::Line(&["HTTP/1."]), "line like `HTTP/1.1 200 OK`"),
            common(MarkSign::Says(&[" HTTP/1."]), "line like `POST /path HTTP/1.1`"),
            common(MarkSign::Line(&["Host:", "host:"]), "header field `Host`"),
        ],
    ),
    (
        Format::Charles,
        &[
            telling(
                MarkSign::Says(&["\"keptAlive\"", "\"durations\""]),
                "`keptAlive`, or `durations`",
            ),
            common(MarkSign::Says(&["\"host\""]), "`host`"),
            common(MarkSign::Says(&["\"totalSize\""]), "`totalSize`"),
        ],
    ),
];

/// How many formats are named.
const MOST: usize = 2;

/// How near a file must come to a format to be describe so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closeness {
    /// It has a mark that speaks for it.
    Any,
    /// It has most of the marks.
    Most,
}

/// The formats that a file comes closest to, and what it lacks of each.
pub fn suggest_format(file: Block<'_>, nearness: Closeness) -> Option<String> {
    let clues = FormatClues::new(file);
    let mut near: Vec<NearFormat> =
        MARKS.iter().filter_map(|entry| clues.near(entry, nearness)).collect();
    near.sort_by(|one, other| other.share().total_cmp(&one.share()));
    let best = near.first()?.share();
    let names: Vec<_> = near
        .iter()
        .filter(|near| near.share() >= best)
        .take(MOST)
        .map(NearFormat::describe)
        .collect();
    Some(format!("it comes closest to {}", names.join("; and to ")))
}

/// A format, and its marks that a file has and lacks.
struct NearFormat {
    format: Format,
    has: usize,
    lacks: Vec<&'static str>,
}

impl NearFormat {
    fn share(&self) -> f64 {
        let count = |many: usize| f64::from(u32::try_from(many).unwrap_or(u32::MAX));
        count(self.has) / count(self.has + self.lacks.len())
    }

    fn describe(&self) -> String {
        let name = self.format.info().name;
        // Its lines may be whole, and in an order of their own.
        let remedy = match self.format {
            Format::AccessLog => " (`log-format` under `[[log]]` says the order of its fields)",
            _ => "",
        };
        match self.lacks.as_slice() {
            [] => format!("`{name}`, but does not begin like it{remedy}"),
            lacks => format!("`{name}`, but has no {}{remedy}", lacks.join(", and no ")),
        }
    }
}

/// What there is to see in a file.
struct FormatClues<'a> {
    look: FileHead<'a>,
    /// The keys at the top of a document in YAML.
    lines: Vec<&'a [u8]>,
}

impl<'a> FormatClues<'a> {
    fn new(file: Block<'a>) -> Self {
        let start = scan::skip_whitespace(file.bytes, file.text_start());
        let look = FileHead::new(file.bytes, start);
        let text = file.bytes.get(start..).unwrap_or_default();
        Self { look, lines: text.split(|&byte| byte == b'\n').collect() }
    }

    fn near(
        &self,
        (format, marks): &(Format, &[FormatMark]),
        nearness: Closeness,
    ) -> Option<NearFormat> {
        let (has, lacks): (Vec<_>, Vec<_>) = marks.iter().partition(|mark| self.has(&mark.sign));
        let is_near = match nearness {
            Closeness::Any => true,
            Closeness::Most => has.len() >= 2 && has.len() > lacks.len(),
        };
        let speaks = has.iter().any(|mark| mark.weight == MarkWeight::Telling);
        (is_near && speaks).then(|| NearFormat {
            format: *format,
            has: has.len(),
            lacks: lacks.iter().map(|mark| mark.what).collect(),
        })
    }

    fn has(&self, sign: &MarkSign) -> bool {
        let begins = |starts: &[&str]| {
            let begins = |line: &&[u8]| starts.iter().any(|it| line.starts_with(it.as_bytes()));
            self.lines.iter().any(begins)
        };
        let is_in_json = self.look.bytes.get(self.look.start) == Some(&b'{');
        match sign {
            MarkSign::Says(texts) => texts
                .iter()
                .any(|text| memchr::memmem::find(self.look.bytes, text.as_bytes()).is_some()),
            MarkSign::Line(starts) => begins(starts),
            MarkSign::Object(key) if is_in_json => self.look.has(key, b'{'),
            MarkSign::List(key) if is_in_json => self.look.has(key, b'['),
            MarkSign::Key(key) if is_in_json => self.look.has_key(key),
            MarkSign::Key(key) | MarkSign::List(key) | MarkSign::Object(key) => {
                begins(&[&format!("{key}:"), &format!("\"{key}\":")])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::registry::FORMATS;
    use super::*;

    #[test]
    fn every_format_that_is_known_by_marks_has_some() {
        let without: Vec<_> = FORMATS
            .iter()
            .filter(|info| MARKS.iter().all(|(format, _)| *format != info.format))
            .map(|info| info.name)
            .collect();
        assert_eq!(without, ["json", "body", "pcap"]);
        for (format, marks) in MARKS {
            assert!(marks.iter().any(|mark| mark.weight == MarkWeight::Telling), "{format:?}");
        }
    }

    #[test]
    fn what_comes_close_to_nothing_is_said_to_be_nothing() {
        for text in ["", "plain text\n", "name: x\nversion: 3\n", "\0\u{1}"] {
            assert_eq!(
                suggest_format(Block::whole(text.as_bytes()), Closeness::Any),
                None,
                "{text}"
            );
        }
        let body = r#"{"data": {"uri": "x"}, "meta": {}, "url": 1}"#;
        assert_eq!(suggest_format(Block::whole(body.as_bytes()), Closeness::Most), None);
    }
}
