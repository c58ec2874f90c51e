//! The fields of a log as the configuration of its server declares them: nginx's `log_format` or Apache's `LogFormat`.
//!
//! Lines are matched from left to right. A field ends where the text after it begins; after a field in quotes, that is a quote
//! that is not escaped. Two adjacent fields are distinguished only if the second begins with a character of its own.

use std::fmt;

use super::beginning::is_dated;
use super::escapes;
use super::line_pieces::{LineFit, LineMiss, LinePieces};
use sundown_exchange::Side;
use sundown_text_json::text::Span;

/// The format of the lines of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFormat {
    parts: Vec<LogPart>,
    /// The text after the last field.
    tail: String,
    /// Whether the client, the time and the status of a line must be such: its words may be those of any line.
    needs_proof: bool,
}

/// A field and the text before it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LogPart {
    before: String,
    field: LogField,
    /// The name as the user writes it.
    name: String,
}

/// The content of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LogField {
    /// The request line.
    Request,
    Method,
    /// Path and query.
    Url,
    Path,
    /// The query without its question mark.
    Query,
    /// The query with its question mark, or nothing.
    MarkedQuery,
    /// A question mark, or nothing.
    Mark,
    Host,
    /// The address of the client.
    Client,
    /// The name of the client's user, which looks otherwise.
    User,
    Started,
    Status,
    /// The body of the request.
    Body,
    Header(Side, String),
    /// A field that is not used.
    Other,
}

/// An error in a format, which its user has to correct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFormatError {
    pub message: String,
    /// The remedy.
    pub help: &'static str,
}

impl LogFormatError {
    fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self {
            message: message.into(),
            help,
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.parts.iter();
        parts.try_for_each(|part| write!(f, "{}{}", part.before, part.name))?;
        f.write_str(&self.tail)
    }
}

impl LogFormat {
    /// Parses a format as it is quoted in the configuration of nginx (`$request`) or Apache (`%r`).
    pub fn parse(text: &str) -> Result<Self, LogFormatError> {
        if ["log_format ", "LogFormat ", "'"]
            .iter()
            .any(|start| text.trim_start().starts_with(start))
        {
            return Err(LogFormatError::new(
                "it is more than the format itself",
                "write only the text in the quotes, and join the strings that nginx concatenates",
            ));
        }
        let format = if is_of_nginx(text) {
            nginx(text)
        } else {
            apache(text)
        }?;
        format.check()?;
        Ok(format)
    }

    /// Adds a field after the text so far.
    fn push(&mut self, field: LogField, name: &str) {
        let before = std::mem::take(&mut self.tail);
        self.parts.push(LogPart {
            before,
            field,
            name: name.to_owned(),
        });
    }

    fn check(&self) -> Result<(), LogFormatError> {
        if self.parts.is_empty() {
            return Err(LogFormatError::new(
                "it has no field",
                "write a format of nginx, as '$remote_addr \"$request\" $status', or of Apache, as '%h \"%r\" %>s'",
            ));
        }
        let calls = [LogField::Request, LogField::Url, LogField::Path];
        if !self.parts.iter().any(|part| calls.contains(&part.field)) {
            return Err(LogFormatError::new(
                "no field says what was called",
                "nginx: $request, or $request_method and $request_uri; Apache: %r, or %m, %U and %q",
            ));
        }
        for (first, second) in self.parts.iter().zip(self.parts.iter().skip(1)) {
            if second.before.is_empty()
                && second.field.sign().is_none()
                && first.field != LogField::Mark
            {
                return Err(LogFormatError::new(
                    format!(
                        "there is no text between `{}` and `{}`",
                        first.name, second.name
                    ),
                    "a field ends where the text after it begins: let the server write a space or another character between the two",
                ));
            }
        }
        Ok(())
    }

    /// Makes it a format in which no user says that lines are.
    pub(crate) fn need_proof(&mut self) {
        self.needs_proof = true;
    }

    /// Parses a line.
    pub(crate) fn read(&self, text: &[u8]) -> LineFit<'_> {
        let mut pieces = LinePieces::default();
        match self.take(text, &mut pieces) {
            Ok(()) => LineFit::Whole(pieces),
            Err(LineMiss::Begun)
                if self.needs_proof && pieces.started.is_none() && text.contains(&b'[') =>
            {
                LineFit::Missed(LineMiss::Not)
            }
            Err(miss) => LineFit::Missed(miss),
        }
    }

    fn take<'f>(&'f self, text: &[u8], pieces: &mut LinePieces<'f>) -> Result<(), LineMiss> {
        let mut rest = self.parts.as_slice();
        let Some(first) = rest.first() else {
            return Ok(());
        };
        let mut at = begins_with(text, first.before.as_bytes())?;
        if !self.may_begin(Some(first), text, at) {
            return Err(LineMiss::Not);
        }
        while let [part, others @ ..] = rest {
            // The fields up to the next text between two fields.
            let adjacent = others.iter().take_while(|part| part.before.is_empty());
            let (run, others) = rest.split_at(adjacent.count() + 1);
            let next_text = others.first().map_or(&self.tail, |part| &part.before);
            let end = self.end_of_run(part, others.first(), text, at);
            let end = end.map_err(|miss| {
                let is_open = part.before.ends_with(['[', '"']);
                let is_sure = is_open || pieces.request.or(pieces.status).is_some();
                match miss {
                    // Any few words may be the beginning of a line.
                    LineMiss::Cut if self.needs_proof && !is_sure => LineMiss::Begun,
                    miss => miss,
                }
            })?;
            match run {
                [only] => only.field.note(text, Span::new(at, end), pieces),
                _ => take_run(run, text, Span::new(at, end), pieces),
            }
            at = end + next_text.len();
            rest = others;
        }
        if self.ends_with_status() {
            pieces.after_request = pieces
                .request
                .map(|request| Span::new(request.end + 1, text.len()));
        }
        Ok(())
    }

    /// Whether it is a known format of which servers write any fields after the status. Its request may be anything.
    fn ends_with_status(&self) -> bool {
        let last = self.parts.last().map(|part| &part.field);
        self.needs_proof && matches!(last, Some(LogField::Status))
    }

    /// Returns the end of the fields from `at` on, of which `first` is the first: the beginning of the text before the next field,
    /// or the end of the line.
    fn end_of_run(
        &self,
        first: &LogPart,
        next: Option<&LogPart>,
        text: &[u8],
        at: usize,
    ) -> Result<usize, LineMiss> {
        let next_text = next.map_or(&self.tail, |part| &part.before).as_bytes();
        let rest = text.get(at..).unwrap_or_default();
        let Some(&begin) = next_text.first() else {
            let is_status = matches!(first.field, LogField::Status);
            let word = memchr::memchr(b' ', rest).filter(|_| is_status);
            let is_whole = !is_status || word.is_some() || rest == b"-" || rest.len() >= 3;
            let end = at + word.unwrap_or(rest.len());
            let is_cut = self.needs_proof && !is_whole;
            return if is_cut { Err(LineMiss::Cut) } else { Ok(end) };
        };
        for end in memchr::memchr_iter(begin, rest) {
            let after = end + next_text.len();
            let is_text = next_text.len() == 1 || rest.get(end..after) == Some(next_text);
            if !is_text || begin == b'"' && escapes::is_escaped(rest, end) {
                continue;
            }
            match next {
                // A line may have more fields than the format.
                None if !matches!(rest.get(after), None | Some(b' ')) => {}
                _ if self.may_begin(next, text, at + after) => return Ok(at + end),
                // A value may have a bracket or a quote, and no space.
                _ if next_text.len() == 1 => return Err(LineMiss::Not),
                _ => {}
            }
        }
        let is_time = self.needs_proof && matches!(first.field, LogField::Started);
        Err(if is_time && rest.len() > MAX_TIME {
            LineMiss::Not
        } else {
            LineMiss::Cut
        })
    }

    /// Whether the text at `at` may begin a field, as far as the line goes.
    fn may_begin(&self, part: Option<&LogPart>, text: &[u8], at: usize) -> bool {
        let (Some(part), true) = (part, self.needs_proof) else {
            return true;
        };
        if matches!(part.field, LogField::Request | LogField::Other) {
            return true;
        }
        let rest = text.get(at..).unwrap_or_default();
        if matches!(part.field, LogField::Started) {
            return is_dated(rest);
        }
        let end = memchr::memchr(b' ', rest);
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        match part.field {
            LogField::Client => end.is_none() || memchr::memchr2(b'.', b':', word).is_some(),
            LogField::User => memchr::memchr2(b'.', b':', word).is_none(),
            LogField::Status => {
                matches!(word, b"-" | b"-1")
                    || word.iter().all(u8::is_ascii_digit)
                        && (word.len() == 3 || word.len() < 3 && end.is_none())
            }
            _ => true,
        }
    }
}

/// The maximum length of a time with a fraction and a zone.
const MAX_TIME: usize = 40;

/// Returns the offset after the text at the beginning of a line.
fn begins_with(line: &[u8], text: &[u8]) -> Result<usize, LineMiss> {
    match line {
        _ if line.starts_with(text) => Ok(text.len()),
        _ if text.starts_with(line) => Err(LineMiss::Begun),
        _ => Err(LineMiss::Not),
    }
}

/// Records the adjacent fields in `span`. Each but the first begins with its own character.
fn take_run<'f>(run: &'f [LogPart], text: &[u8], span: Span, pieces: &mut LinePieces<'f>) {
    let mut at = span.start;
    for (number, part) in run.iter().enumerate() {
        let next = run.get(number + 1);
        let rest = text.get(at..span.end).unwrap_or_default();
        let end = match (&part.field, next) {
            (_, None) => span.end,
            (LogField::Mark, Some(_)) => at + usize::from(rest.starts_with(b"?")),
            (_, Some(next)) => {
                let sign = next
                    .field
                    .sign()
                    .and_then(|sign| memchr::memchr(sign, rest));
                sign.map_or(span.end, |sign| at + sign)
            }
        };
        part.field.note(text, Span::new(at, end), pieces);
        at = end;
    }
}

impl LogField {
    /// Returns the first character of the field if it is not empty.
    fn sign(&self) -> Option<u8> {
        match self {
            Self::MarkedQuery | Self::Mark => Some(b'?'),
            Self::Url | Self::Path => Some(b'/'),
            _ => None,
        }
    }

    /// Records the value at `span` of a line. Of several fields with the same content, the first that has a value counts.
    fn note<'f>(&'f self, text: &[u8], span: Span, pieces: &mut LinePieces<'f>) {
        let value = span.slice(text);
        if value.is_empty() || value == b"-" && !matches!(self, Self::Request) {
            return;
        }
        let piece = match self {
            Self::Request => &mut pieces.request,
            Self::Method => &mut pieces.method,
            Self::Url => &mut pieces.url,
            Self::Path => &mut pieces.path,
            Self::Query | Self::MarkedQuery => &mut pieces.query,
            Self::Host => &mut pieces.host,
            Self::Started => &mut pieces.started,
            Self::Status => &mut pieces.status,
            Self::Body => &mut pieces.body,
            Self::Header(side, name) => {
                pieces.headers.push((*side, name, span));
                if (*side, name.as_str()) != (Side::Request, "host") {
                    return;
                }
                &mut pieces.host
            }
            Self::Client | Self::User | Self::Mark | Self::Other => return,
        };
        piece.get_or_insert(span);
    }
}

/// Whether a format has a variable of nginx.
fn is_of_nginx(text: &str) -> bool {
    let begins_name = |c: char| c.is_ascii_alphabetic() || "_{".contains(c);
    let mut names = text.split('$').skip(1);
    names.any(|name| name.starts_with(begins_name))
}

/// Parses `$name` and `${name}` in other text.
fn nginx(text: &str) -> Result<LogFormat, LogFormatError> {
    let mut format = LogFormat::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        format.tail.push_str(before);
        let (name, length) = match after.strip_prefix('{') {
            Some(inner) => {
                let (name, _) = inner.split_once('}').ok_or_else(|| unclosed("${"))?;
                (name, name.len() + 2)
            }
            None => {
                let end = after
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(after.len());
                (after.get(..end).unwrap_or_default(), end)
            }
        };
        if name.is_empty() {
            format.tail.push('$');
        } else {
            format.push(variable(name), &format!("${name}"));
        }
        rest = after.get(length..).unwrap_or_default();
    }
    format.tail.push_str(rest);
    Ok(format)
}

fn unclosed(what: &str) -> LogFormatError {
    LogFormatError::new(
        format!("`{what}` is not closed"),
        "write `}` after the name",
    )
}

/// Returns the content of a variable of nginx. An unknown name may be defined by the server's configuration.
fn variable(name: &str) -> LogField {
    match name {
        "request" => LogField::Request,
        "request_method" => LogField::Method,
        "request_uri" => LogField::Url,
        "uri" | "document_uri" => LogField::Path,
        "args" | "query_string" => LogField::Query,
        "is_args" => LogField::Mark,
        "host" | "http_host" | "server_name" => LogField::Host,
        "remote_addr" => LogField::Client,
        "logname" => LogField::User,
        "time_local" | "time_iso8601" | "msec" => LogField::Started,
        "status" => LogField::Status,
        "request_body" => LogField::Body,
        _ => [
            ("http_", Side::Request),
            ("sent_http_", Side::Response),
            ("upstream_http_", Side::Response),
        ]
        .into_iter()
        .find_map(|(prefix, side)| {
            let name = name.strip_prefix(prefix)?;
            Some(LogField::Header(
                side,
                name.to_ascii_lowercase().replace('_', "-"),
            ))
        })
        .unwrap_or(LogField::Other),
    }
}

/// Parses `%h` and other directives in text whose quotes may be escaped for the configuration file.
fn apache(text: &str) -> Result<LogFormat, LogFormatError> {
    let mut format = LogFormat::default();
    let mut rest = text;
    while let Some(at) = rest.find(['%', '\\']) {
        let (before, after) = rest.split_at(at);
        format.tail.push_str(before);
        let length = if after.starts_with('\\') {
            let escaped = after.chars().nth(1);
            format.tail.push(match escaped {
                Some('t') => '\t',
                Some('n') => '\n',
                other => other.unwrap_or('\\'),
            });
            1 + escaped.map_or(0, char::len_utf8)
        } else {
            directive(after, &mut format)?
        };
        rest = after.get(length..).unwrap_or_default();
    }
    format.tail.push_str(rest);
    Ok(format)
}

/// Parses the directive at the beginning of `text`, and returns its length: `%>s`, `%{Referer}i`, `%!200,304{User-agent}i`.
fn directive(text: &str, format: &mut LogFormat) -> Result<usize, LogFormatError> {
    let mut letters = text
        .get(1..)
        .unwrap_or_default()
        .trim_start_matches(|c| matches!(c, '<' | '>' | '!' | ',') || c.is_ascii_digit());
    let mut argument = "";
    if let Some(inner) = letters.strip_prefix('{') {
        (argument, letters) = inner.split_once('}').ok_or_else(|| unclosed("%{"))?;
    }
    let letter = letters.chars().next();
    let length = match letter {
        Some('^') => letters.chars().take(3).map(char::len_utf8).sum(),
        Some(letter) => letter.len_utf8(),
        None => 0,
    };
    let end = text.len() - letters.len() + length;
    let name = text.get(..end).unwrap_or_default();
    if letter == Some('%') {
        format.tail.push('%');
        return Ok(end);
    }
    let field = meaning(letter, argument).ok_or_else(|| {
        LogFormatError::new(
            format!("`{name}` is not a directive of Apache"),
            "write a format of nginx, with variables like $request, or of Apache, with directives like %r; a percent sign itself is %%",
        )
    })?;
    format.push(field, name);
    Ok(end)
}

/// Returns the content of a directive; `None` if it does not exist.
fn meaning(letter: Option<char>, argument: &str) -> Option<LogField> {
    Some(match letter? {
        'r' => LogField::Request,
        'm' => LogField::Method,
        'U' => LogField::Path,
        'q' => LogField::MarkedQuery,
        'v' | 'V' => LogField::Host,
        't' if argument.is_empty()
            || ["sec", "msec", "usec"].contains(&argument.trim_start_matches("begin:")) =>
        {
            LogField::Started
        }
        's' => LogField::Status,
        'i' if !argument.is_empty() => {
            LogField::Header(Side::Request, argument.to_ascii_lowercase())
        }
        'o' if !argument.is_empty() => {
            LogField::Header(Side::Response, argument.to_ascii_lowercase())
        }
        letter if "aABbCDefHhIikLlnOoPpRSTtuX^".contains(letter) => LogField::Other,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn format(text: &str) -> LogFormat {
        LogFormat::parse(text).unwrap_or_else(|error| panic!("{text}: {}", error.message))
    }

    /// The pieces of a line by their names.
    fn said(format: &LogFormat, line: &str) -> Option<Vec<String>> {
        let LineFit::Whole(pieces) = format.read(line.as_bytes()) else {
            return None;
        };
        let mut said = Vec::new();
        for (name, piece) in [
            ("request", pieces.request),
            ("method", pieces.method),
            ("url", pieces.url),
            ("path", pieces.path),
            ("query", pieces.query),
            ("host", pieces.host),
            ("started", pieces.started),
            ("status", pieces.status),
            ("body", pieces.body),
        ] {
            said.extend(piece.map(|span| format!("{name} {}", &line[span.start..span.end])));
        }
        for (side, name, span) in pieces.headers {
            said.push(format!(
                "{} {name} {}",
                side.name(),
                &line[span.start..span.end]
            ));
        }
        Some(said)
    }

    #[test]
    fn the_formats_of_both_servers_are_read() {
        for (text, line, expected) in [
            (
                r#"$remote_addr - $remote_user [$time_local] "$request" $status "${http_referer}""#,
                r#"::1 - - [now] "GET /a\x22b HTTP/1.1" 200 "-""#,
                &[r"request GET /a\x22b HTTP/1.1", "started now", "status 200"][..],
            ),
            (
                r#"%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" %{X-Old}o %D"#,
                r#"h.test:80 ::1 - ann [now here] "GET /\" HTTP/1.1" 200 7 "a\"b" 1 99"#,
                &[
                    r#"request GET /\" HTTP/1.1"#,
                    "host h.test",
                    "started [now here]",
                    "status 200",
                    r#"request referer a\"b"#,
                    "response x-old 1",
                ],
            ),
            (
                "$request_method $scheme://$host$request_uri",
                "PUT https://h.test/a/b?c",
                &["method PUT", "url /a/b?c", "host h.test"],
            ),
            (
                "%m %U%q %H",
                "GET /a?b=/c HTTP/1.1",
                &["method GET", "path /a", "query ?b=/c"],
            ),
            ("%m %U%q %H", "GET /a HTTP/1.1", &["method GET", "path /a"]),
            (
                "$uri$is_args$args|$request_body|",
                "/a?b|{}|",
                &["path /a", "query b", "body {}"],
            ),
            ("$uri$is_args$args|$request_body|", "/a|-|", &["path /a"]),
            (
                "%%%U %!200,304{Host}i end",
                "%/a h.test end",
                &["path /a", "host h.test", "request host h.test"],
            ),
        ] {
            let expected: Vec<_> = expected.iter().map(|&piece| piece.to_owned()).collect();
            assert_eq!(said(&format(text), line), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_lines_do_not_fit_and_cut_ones_are_distinguished() {
        let format = format(r#"<$remote_addr> "$request" end"#);
        for (line, expected) in [
            ("", LineMiss::Begun),
            ("x", LineMiss::Not),
            ("<::1> \"GET", LineMiss::Cut),
            ("<::1> \"GET / HTTP/1.1\" en", LineMiss::Cut),
            ("<::1> \"GET / HTTP/1.1\\\" end", LineMiss::Cut),
        ] {
            assert_eq!(
                format.read(line.as_bytes()),
                LineFit::Missed(expected),
                "{line}"
            );
        }
    }

    #[test]
    fn formats_that_cannot_be_read_say_why() {
        for (text, expected) in [
            ("plain", "it has no field"),
            ("$status $remote_addr", "no field says what was called"),
            ("%h %>s", "no field says what was called"),
            (
                "$request$status",
                "there is no text between `$request` and `$status`",
            ),
            ("%Q %r", "`%Q` is not a directive of Apache"),
            ("%r %", "`%` is not a directive of Apache"),
            ("%r %{Referer", "`%{` is not closed"),
            ("$request ${status", "`${` is not closed"),
            (
                "log_format main '$request';",
                "it is more than the format itself",
            ),
        ] {
            assert_eq!(
                LogFormat::parse(text).unwrap_err().message,
                expected,
                "{text}"
            );
        }
    }

    /// Fields of both servers and their values, which do not contain the beginning of the text between fields.
    const FIELDS: &[(&str, &str, &str)] = &[
        (
            "$request",
            "%r",
            r#"(GET|post) /[a-z%?=\\x\\"]{0,9} HTTP/1\.[01]"#,
        ),
        ("$request_method", "%m", "(GET|POST|-)"),
        ("$uri", "%U", "/[a-z/]{0,9}"),
        ("$args", "%q", r"\?[a-z=&]{0,9}"),
        ("$host", "%v", "([a-z]{1,5}\\.test|-)"),
        ("$time_local", "%t", "[0-9/:]{1,9}"),
        ("$http_x_old", "%{X-Old}i", "[a-z]{0,5}"),
        ("$status", "%>s", "[0-9]{3}"),
    ];

    fn escaped(value: &str, is_of_nginx: bool) -> String {
        if is_of_nginx {
            return value.replace('\\', "\\x5C").replace('"', "\\x22");
        }
        value.replace('\\', "\\\\").replace('"', "\\\"")
    }

    proptest! {
        #[test]
        fn a_line_that_is_written_by_a_format_is_read_back(
            is_of_nginx: bool,
            chosen in proptest::sample::subsequence(FIELDS.to_vec(), 1..=8).prop_shuffle()
                .prop_flat_map(|fields| fields.into_iter().map(|field| {
                    (Just(field), proptest::string::string_regex(field.2).unwrap(), "( ; |\\|| <)")
                }).collect::<Vec<_>>()),
        ) {
            let mut layout = String::from("^");
            let mut line = String::from("^");
            let mut expected = Vec::new();
            for ((nginx, apache, _), value, between) in &chosen {
                let (name, value) = (if is_of_nginx { nginx } else { apache }, escaped(value, is_of_nginx));
                layout.extend(["\"", name, "\"", between]);
                line.extend(["\"", &value, "\"", between]);
                expected.push((*nginx, value));
            }
            let names: Vec<_> = expected.iter().map(|(name, _)| *name).collect();
            match LogFormat::parse(&layout) {
                Err(error) => {
                    prop_assert!(!names.contains(&"$request") && !names.contains(&"$uri"), "{error:?}");
                }
                Ok(format) => {
                    let said = said(&format, &line).expect("it fits");
                    let count = expected.iter().filter(|(name, value)| {
                        !value.is_empty() && (value != "-" || *name == "$request")
                    }).count();
                    prop_assert_eq!(said.len(), count, "{:?}", said);
                    for (name, value) in &expected {
                        let key = match *name {
                            "$request" => "request", "$request_method" => "method", "$uri" => "path",
                            "$args" => "query", "$host" => "host", "$time_local" => "started",
                            "$status" => "status",
                            "$http_x_old" => "request x-old", _ => continue,
                        };
                        if !value.is_empty() && value != "-" {
                            let piece = format!("{key} {value}");
                            prop_assert!(said.contains(&piece), "{} not in {:?}", piece, said);
                        }
                    }
                }
            }
        }

        #[test]
        fn no_format_and_no_line_makes_it_panic(text in "[$%a-z{}\"\\\\<>^!,?/ é]{0,40}", line: Vec<u8>) {
            if let Ok(format) = LogFormat::parse(&format!("$request {text}")) {
                format.read(&line);
            }
            if let Ok(format) = LogFormat::parse(&format!("%r {text}")) {
                format.read(&line);
            }
        }
    }
}
