//! What a file that is in no format comes closest to, and what it lacks: each format has marks, and some of them speak for it.

use super::formats::Look;
use super::recognise::Format;
use crate::json::scan;
use crate::text::Block;

/// Something that files of a format have.
struct Mark {
    sign: Sign,
    /// What it is, for people; follows "has no".
    what: &'static str,
    weight: Weight,
}

/// How a mark is seen. Keys are those at the top of a document in JSON or YAML.
enum Sign {
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
enum Weight {
    /// Few others have it.
    Telling,
    /// Many have it.
    Common,
}

const fn telling(sign: Sign, what: &'static str) -> Mark {
    Mark { sign, what, weight: Weight::Telling }
}

const fn common(sign: Sign, what: &'static str) -> Mark {
    Mark { sign, what, weight: Weight::Common }
}

/// The marks of each format that is known by some. A bare body and a document of any kind have none, and captures of packets
/// begin with a number or are none.
const MARKS: &[(Format, &[Mark])] = &[
    (
        Format::Har,
        &[
            telling(Sign::Object("log"), "object `log` at the top"),
            telling(Sign::Says(&["\"entries\""]), "list `entries`"),
            common(Sign::Says(&["\"startedDateTime\""]), "`startedDateTime`"),
        ],
    ),
    (
        Format::Ndjson,
        &[
            telling(Sign::Line(&["{"]), "lines that are JSON objects"),
            common(Sign::Says(&["\"method\"", "\"verb\""]), "`method`"),
        ],
    ),
    (
        Format::OpenApi,
        &[
            telling(Sign::Key("openapi"), "`openapi` at the top"),
            telling(Sign::Key("paths"), "`paths` at the top"),
            common(Sign::Key("info"), "`info` at the top"),
        ],
    ),
    (
        Format::WireMock,
        &[
            common(Sign::Object("request"), "object `request` at the top"),
            common(Sign::Object("response"), "object `response` at the top"),
            telling(
                Sign::Says(&["\"urlPath", "\"urlPattern\"", "\"jsonBody\"", "\"bodyPatterns\""]),
                "pattern of a URL (`urlPath`, `urlPattern`, …)",
            ),
        ],
    ),
    (
        Format::Pact,
        &[
            telling(Sign::Object("consumer"), "object `consumer` at the top"),
            telling(Sign::Object("provider"), "object `provider` at the top"),
            telling(Sign::List("interactions"), "list `interactions` at the top"),
        ],
    ),
    (
        Format::Hoverfly,
        &[
            common(Sign::Object("data"), "object `data` at the top"),
            telling(Sign::Says(&["\"pairs\""]), "list `pairs` in `data`"),
            common(Sign::Object("meta"), "object `meta` at the top"),
        ],
    ),
    (
        Format::Postman,
        &[
            common(Sign::Object("info"), "object `info` at the top"),
            telling(Sign::List("item"), "list `item` at the top"),
            telling(Sign::Says(&["postman.com/", "\"_postman_id\""]), "schema of Postman's"),
        ],
    ),
    (
        Format::Insomnia,
        &[
            telling(Sign::Key("__export_format"), "`__export_format` at the top"),
            common(Sign::Key("_type"), "`_type` at the top"),
            telling(Sign::List("resources"), "list `resources` at the top"),
        ],
    ),
    (
        Format::InsomniaYaml,
        &[
            telling(Sign::Says(&[".insomnia.rest/5"]), "`type` of `.insomnia.rest/5` at the top"),
            common(Sign::Key("collection"), "`collection` at the top"),
        ],
    ),
    (
        Format::Bruno,
        &[
            telling(Sign::Line(&["meta {"]), "block `meta`"),
            telling(
                Sign::Line(&["get {", "post {", "put {", "patch {", "delete {"]),
                "block of a method",
            ),
            common(Sign::Says(&["url:"]), "`url`"),
        ],
    ),
    (
        Format::HttpFile,
        &[
            telling(Sign::Line(&["###"]), "line that begins with three number signs"),
            telling(
                Sign::Line(&["GET ", "POST ", "PUT ", "PATCH ", "DELETE "]),
                "line of a method and a URL",
            ),
        ],
    ),
    (
        Format::Curl,
        &[
            common(Sign::Line(&["#!", "```"]), "`#!` and a shell, or code block for one"),
            telling(Sign::Says(&["curl "]), "call of curl"),
        ],
    ),
    (
        Format::Vcr,
        &[
            telling(Sign::Key("http_interactions"), "list `http_interactions` at the top"),
            telling(Sign::Key("recorded_with"), "`recorded_with` at the top"),
            common(Sign::Says(&["uri"]), "`uri`"),
        ],
    ),
    (
        Format::Vcrpy,
        &[
            telling(Sign::List("interactions"), "list `interactions` at the top"),
            common(Sign::Says(&["request"]), "`request` in an interaction"),
            common(Sign::Says(&["\"uri\"", "uri:"]), "`uri` in the first request"),
        ],
    ),
    (
        Format::GoVcr,
        &[
            telling(Sign::List("interactions"), "list `interactions` at the top"),
            common(Sign::Key("version"), "`version` at the top"),
            common(Sign::Says(&["url:"]), "`url` in the first request"),
        ],
    ),
    (
        Format::AccessLog,
        &[
            telling(Sign::Says(&[" HTTP/1.", " HTTP/2."]), "request like `GET /path HTTP/1.1`"),
            common(Sign::Says(&["] \""]), "time in brackets in front of a quote"),
            common(Sign::Says(&["\" 2", "\" 3", "\" 4", "\" 5"]), "status behind a quote"),
        ],
    ),
    (
        Format::Mitmproxy,
        &[
            telling(Sign::Says(&["7:request;"]), "`request` in a tnetstring"),
            common(Sign::Says(&["8:response;"]), "`response` in a tnetstring"),
            common(Sign::Says(&["7:version;"]), "`version` in a tnetstring"),
        ],
    ),
    (
        Format::RawHttp,
        &[
            telling(Sign::Line(&["HTTP/1."]), "line like `HTTP/1.1 200 OK`"),
            common(Sign::Says(&[" HTTP/1."]), "line like `POST /path HTTP/1.1`"),
            common(Sign::Line(&["Host:", "host:"]), "header field `Host`"),
        ],
    ),
    (
        Format::Charles,
        &[
            telling(Sign::Says(&["\"keptAlive\"", "\"durations\""]), "`keptAlive`, or `durations`"),
            common(Sign::Says(&["\"host\""]), "`host`"),
            common(Sign::Says(&["\"totalSize\""]), "`totalSize`"),
        ],
    ),
];

/// How many formats are named.
const MOST: usize = 2;

/// How near a file must come to a format to be told so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearness {
    /// It has a mark that speaks for it.
    Any,
    /// It has most of the marks.
    Most,
}

/// The formats that a file comes closest to, and what it lacks of each.
pub fn closest(file: Block<'_>, nearness: Nearness) -> Option<String> {
    let clues = Clues::new(file);
    let mut near: Vec<Near> =
        MARKS.iter().filter_map(|entry| clues.near(entry, nearness)).collect();
    near.sort_by(|one, other| other.share().total_cmp(&one.share()));
    let best = near.first()?.share();
    let told: Vec<_> =
        near.iter().filter(|near| near.share() >= best).take(MOST).map(Near::told).collect();
    Some(format!("it comes closest to {}", told.join("; and to ")))
}

/// A format, and its marks that a file has and lacks.
struct Near {
    format: Format,
    has: usize,
    lacks: Vec<&'static str>,
}

impl Near {
    fn share(&self) -> f64 {
        let count = |many: usize| f64::from(u32::try_from(many).unwrap_or(u32::MAX));
        count(self.has) / count(self.has + self.lacks.len())
    }

    fn told(&self) -> String {
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
struct Clues<'a> {
    look: Look<'a>,
    /// The keys at the top of a document in YAML.
    lines: Vec<&'a [u8]>,
}

impl<'a> Clues<'a> {
    fn new(file: Block<'a>) -> Self {
        let start = scan::skip_whitespace(file.bytes, file.text_start());
        let look = Look::new(file.bytes, start);
        let text = file.bytes.get(start..).unwrap_or_default();
        Self { look, lines: text.split(|&byte| byte == b'\n').collect() }
    }

    fn near(&self, (format, marks): &(Format, &[Mark]), nearness: Nearness) -> Option<Near> {
        let (has, lacks): (Vec<_>, Vec<_>) = marks.iter().partition(|mark| self.has(&mark.sign));
        let is_near = match nearness {
            Nearness::Any => true,
            Nearness::Most => has.len() >= 2 && has.len() > lacks.len(),
        };
        let speaks = has.iter().any(|mark| mark.weight == Weight::Telling);
        (is_near && speaks).then(|| Near {
            format: *format,
            has: has.len(),
            lacks: lacks.iter().map(|mark| mark.what).collect(),
        })
    }

    fn has(&self, sign: &Sign) -> bool {
        let begins = |starts: &[&str]| {
            let begins = |line: &&[u8]| starts.iter().any(|it| line.starts_with(it.as_bytes()));
            self.lines.iter().any(begins)
        };
        let is_in_json = self.look.bytes.get(self.look.start) == Some(&b'{');
        match sign {
            Sign::Says(texts) => texts
                .iter()
                .any(|text| memchr::memmem::find(self.look.bytes, text.as_bytes()).is_some()),
            Sign::Line(starts) => begins(starts),
            Sign::Object(key) if is_in_json => self.look.has(key, b'{'),
            Sign::List(key) if is_in_json => self.look.has(key, b'['),
            Sign::Key(key) if is_in_json => self.look.has_key(key),
            Sign::Key(key) | Sign::List(key) | Sign::Object(key) => {
                begins(&[&format!("{key}:"), &format!("\"{key}\":")])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::formats::FORMATS;
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
            assert!(marks.iter().any(|mark| mark.weight == Weight::Telling), "{format:?}");
        }
    }

    #[test]
    fn what_comes_close_to_nothing_is_said_to_be_nothing() {
        for text in ["", "plain text\n", "name: x\nversion: 3\n", "\0\u{1}"] {
            assert_eq!(closest(Block::whole(text.as_bytes()), Nearness::Any), None, "{text}");
        }
        let body = r#"{"data": {"uri": "x"}, "meta": {}, "url": 1}"#;
        assert_eq!(closest(Block::whole(body.as_bytes()), Nearness::Most), None);
    }
}
