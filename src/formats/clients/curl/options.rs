//! The options of a program among its words, by the list of those that take a value: all others are one word.

use std::borrow::Cow;

use super::words::ShellWord;

/// An option and its value.
pub(super) struct ProgramOption<'w> {
    pub(super) name: Cow<'w, str>,
    pub(super) value: Option<ShellWord>,
}

/// The options of a program that take a value, and those that matter here.
pub(super) struct OptionTable {
    /// The options of one letter.
    pub(super) letters: &'static [u8],
    /// The long options, in alphabetical order.
    pub(super) words: &'static [&'static str],
    /// Returns the long option for a letter, or an empty text if it does not matter here.
    pub(super) word_of: fn(u8) -> &'static str,
}

impl OptionTable {
    /// Parses the options among the words. Other words become values of `url`.
    pub(super) fn parse<'w>(&self, words: &'w [ShellWord]) -> Vec<ProgramOption<'w>> {
        let mut given = Vec::new();
        let mut words = words.iter();
        let mut has_ended = false;
        while let Some(word) = words.next() {
            let text = String::from_utf8_lossy(&word.text);
            if has_ended || !text.starts_with('-') || text == "-" {
                given.push(ProgramOption { name: Cow::Borrowed("url"), value: Some(word.clone()) });
            } else if text == "--" {
                has_ended = true;
            } else if let Some(name) = text.strip_prefix("--") {
                // Since 8.3, values of curl may have variables of its own: `{{name}}`.
                let name = name.strip_prefix("expand-").unwrap_or(name).to_owned();
                // curl itself refuses `--data=x`, but scripts have it, and other programs accept it.
                if let Some((name, _)) =
                    name.split_once('=').filter(|(name, _)| self.has_word(name))
                {
                    let at =
                        word.text.iter().position(|&byte| byte == b'=').unwrap_or_default() + 1;
                    let value = Some(word.part(at, word.text.len()));
                    given.push(ProgramOption { name: Cow::Owned(name.to_owned()), value });
                    continue;
                }
                let value = if self.has_word(&name) { words.next().cloned() } else { None };
                given.push(ProgramOption { name: Cow::Owned(name), value });
            } else {
                self.parse_letters(word, &mut words, &mut given);
            }
        }
        given
    }

    /// Parses options of one letter, several in a word. The rest of the word after an option with a value is its value.
    fn parse_letters<'w>(
        &self,
        word: &ShellWord,
        words: &mut impl Iterator<Item = &'w ShellWord>,
        given: &mut Vec<ProgramOption<'w>>,
    ) {
        for (at, &letter) in word.text.iter().enumerate().skip(1) {
            let name = Cow::Borrowed((self.word_of)(letter));
            if !self.letters.contains(&letter) {
                given.push(ProgramOption { name, value: None });
                continue;
            }
            let rest = ShellWord { span: word.span, ..word.part(at + 1, word.text.len()) };
            let value = if rest.text.is_empty() { words.next().cloned() } else { Some(rest) };
            return given.push(ProgramOption { name, value });
        }
    }

    fn has_word(&self, name: &str) -> bool {
        self.words.binary_search(&name).is_ok()
    }
}

/// The options of curl, after `curl --help all` of 7.88 and the manual of 8.16.
pub(super) const CURL: OptionTable =
    OptionTable { letters: b"AbcCdDeEFHKmoPQrtTuUwxXyYz", words: CURL_WORDS, word_of: curl_word };

const CURL_WORDS: &[&str] = &[
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
fn curl_word(letter: u8) -> &'static str {
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
