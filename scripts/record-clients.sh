#!/usr/bin/env bash
# Makes testdata/formats anew for API clients: the exchanges of testdata/captures/mitmproxy.har, and the commands of
# tests/standin/clients/drive_curl.sh, as these clients keep them. Needs Node.js with npm and bash. Nothing is called.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
formats=$root/testdata/formats
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

install_needs() {
    # Modules are looked for beside the program, so the program goes where its modules are.
    cp "$root/tests/standin/clients/export_clients.mjs" "$work"
    (cd "$work" && npm init --yes >/dev/null && npm install --silent --no-package-lock --no-audit --no-fund \
        postman-collection@5.3.1 @usebruno/lang@0.39.0 yaml@2.8.1)
}

# A curl that writes down how it was called, in the quoting that bash itself gives: $1 is the format of a word.
pretend_curl() {
    mkdir -p "$work/bin"
    cat >"$work/bin/curl" <<END
#!/usr/bin/env bash
printf 'curl '
for word in "\$@"; do $1; done
printf '\n'
END
    chmod +x "$work/bin/curl"
}

# Writes the commands of drive_curl.sh.
commands() {
    PATH=$work/bin:$PATH sh "$root/tests/standin/clients/drive_curl.sh" http://127.0.0.1:18080 http://127.0.0.1:18089
}

write_curl() {
    mkdir -p "$formats/curl"
    # As bash quotes words for itself: backslashes, and \$'…' for what is not ASCII.
    # shellcheck disable=SC2016 # it is what the pretended program does
    pretend_curl 'printf "%q " "$word"'
    { printf '#!/bin/bash\nset -eu\n\n'; LC_ALL=C commands; } >"$formats/curl/escaped.sh"
    # In single quotes, a word a line.
    # shellcheck disable=SC2016 # it is what the pretended program does
    pretend_curl 'printf "%s " "${word@Q}"'
    { printf '# Calls\n\nAs they are made:\n\n```sh\n'; commands; printf '```\n'; } >"$formats/curl/calls.md"
}

install_needs
write_curl
node "$work/export_clients.mjs" "$root/testdata/captures/mitmproxy.har" "$formats"
ls -R "$formats"
