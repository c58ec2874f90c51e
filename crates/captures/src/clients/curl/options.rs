//! The options of curl among its words, by the list of those that take a value: all others are one word.

use super::words::ShellWord;

/// An option and its value.
pub(super) struct CurlOption {
    /// The long name, or an empty text if it does not matter here.
    pub(super) name: String,
    pub(super) value: Option<ShellWord>,
}

/// Parses the options among the words. Other words become values of `url`.
pub(super) fn parse(words: &[ShellWord]) -> Vec<CurlOption> {
    let mut given = Vec::new();
    let mut words = words.iter();
    let mut has_ended = false;
    while let Some(word) = words.next() {
        let text = word.lossy();
        if has_ended || !text.starts_with('-') || text == "-" {
            given.push(CurlOption {
                name: "url".to_owned(),
                value: Some(word.clone()),
            });
        } else if text == "--" {
            has_ended = true;
        } else if let Some(name) = text.strip_prefix("--") {
            // Since 8.3, values may have variables of curl's own: `{{name}}`.
            let name = name.strip_prefix("expand-").unwrap_or(name);
            // curl itself refuses `--data=x`, but scripts have it, and other programs accept it.
            let (name, value) = match name.split_once('=') {
                Some((name, _)) if has_value(name) => {
                    let equals = memchr::memchr(b'=', &word.text).unwrap_or_default();
                    (name, Some(word.part(equals + 1, word.text.len())))
                }
                _ if has_value(name) => (name, words.next().cloned()),
                _ => (name, None),
            };
            given.push(CurlOption {
                name: name.to_owned(),
                value,
            });
        } else {
            parse_letters(word, &mut words, &mut given);
        }
    }
    given
}

/// Parses options of one letter, several in a word. The rest of the word after an option with a value is its value.
fn parse_letters<'w>(
    word: &ShellWord,
    words: &mut impl Iterator<Item = &'w ShellWord>,
    given: &mut Vec<CurlOption>,
) {
    for (at, &letter) in word.text.iter().enumerate().skip(1) {
        let name = long_name(letter).to_owned();
        if !LETTERS.contains(&letter) {
            given.push(CurlOption { name, value: None });
            continue;
        }
        let rest = ShellWord {
            span: word.span,
            ..word.part(at + 1, word.text.len())
        };
        let value = if rest.text.is_empty() {
            words.next().cloned()
        } else {
            Some(rest)
        };
        return given.push(CurlOption { name, value });
    }
}

/// Whether a long option takes a value.
fn has_value(name: &str) -> bool {
    WORDS.binary_search(&name).is_ok()
}

/// The options of one letter that take a value, after `curl --help all` of 7.88 and the manual of 8.16.
const LETTERS: &[u8] = b"AbcCdDeEFHKmoPQrtTuUwxXyYz";

/// The long options that take a value, in alphabetical order.
const WORDS: &[&str] = &[
    "abstract-unix-socket",
    "alt-svc",
    "aws-sigv4",
    "cacert",
    "capath",
    "cert",
    "cert-type",
    "ciphers",
    "config",
    "connect-timeout",
    "connect-to",
    "continue-at",
    "cookie",
    "cookie-jar",
    "create-file-mode",
    "crlfile",
    "curves",
    "data",
    "data-ascii",
    "data-binary",
    "data-raw",
    "data-urlencode",
    "delegation",
    "dns-interface",
    "dns-ipv4-addr",
    "dns-ipv6-addr",
    "dns-servers",
    "doh-url",
    "dump-header",
    "ech",
    "egd-file",
    "engine",
    "etag-compare",
    "etag-save",
    "expect100-timeout",
    "form",
    "form-string",
    "ftp-account",
    "ftp-alternative-to-user",
    "ftp-method",
    "ftp-port",
    "ftp-ssl-ccc-mode",
    "happy-eyeballs-timeout-ms",
    "haproxy-clientip",
    "header",
    "hostpubmd5",
    "hostpubsha256",
    "hsts",
    "interface",
    "ip-tos",
    "ipfs-gateway",
    "json",
    "keepalive-cnt",
    "keepalive-time",
    "key",
    "key-type",
    "krb",
    "libcurl",
    "limit-rate",
    "local-port",
    "login-options",
    "mail-auth",
    "mail-from",
    "mail-rcpt",
    "max-filesize",
    "max-redirs",
    "max-time",
    "netrc-file",
    "noproxy",
    "oauth2-bearer",
    "output",
    "output-dir",
    "parallel-max",
    "parallel-max-host",
    "pass",
    "pinnedpubkey",
    "preproxy",
    "proto",
    "proto-default",
    "proto-redir",
    "proxy",
    "proxy-cacert",
    "proxy-capath",
    "proxy-cert",
    "proxy-cert-type",
    "proxy-ciphers",
    "proxy-crlfile",
    "proxy-header",
    "proxy-key",
    "proxy-key-type",
    "proxy-pass",
    "proxy-pinnedpubkey",
    "proxy-service-name",
    "proxy-tls13-ciphers",
    "proxy-tlsauthtype",
    "proxy-tlspassword",
    "proxy-tlsuser",
    "proxy-user",
    "proxy1.0",
    "pubkey",
    "quote",
    "random-file",
    "range",
    "rate",
    "referer",
    "request",
    "request-target",
    "resolve",
    "retry",
    "retry-delay",
    "retry-max-time",
    "sasl-authzid",
    "service-name",
    "sigalgs",
    "socks4",
    "socks4a",
    "socks5",
    "socks5-gssapi-service",
    "socks5-hostname",
    "speed-limit",
    "speed-time",
    "stderr",
    "telnet-option",
    "tftp-blksize",
    "time-cond",
    "tls-max",
    "tls13-ciphers",
    "tlsauthtype",
    "tlspassword",
    "tlsuser",
    "trace",
    "trace-ascii",
    "trace-config",
    "unix-socket",
    "upload-file",
    "upload-flags",
    "url",
    "url-query",
    "user",
    "user-agent",
    "variable",
    "vlan-priority",
    "write-out",
];

/// The long option for a letter, if it matters here.
fn long_name(letter: u8) -> &'static str {
    match letter {
        b'A' => "user-agent",
        b'd' => "data",
        b'F' => "form",
        b'G' => "get",
        b'H' => "header",
        b'I' => "head",
        b'K' => "config",
        b'T' => "upload-file",
        b'X' => "request",
        b':' => "next",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_options_is_in_order_so_that_it_can_be_searched() {
        assert!(WORDS.is_sorted());
    }
}
