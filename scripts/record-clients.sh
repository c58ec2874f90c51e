#!/usr/bin/env bash
# Writes testdata/formats again: the exchanges of testdata/captures/mitmproxy.har, and the commands of
# tests/mock-service/clients/drive_curl.sh, in the formats of API clients. Needs Node.js with npm and bash. Sends no requests.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
formats=$root/testdata/formats
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

install_needs() {
    # Node.js searches modules next to the program, so the program is copied next to its modules.
    cp "$root/tests/mock-service/clients/export_clients.mjs" "$work"
    (cd "$work" && npm init --yes >/dev/null && npm install --silent --no-package-lock --no-audit --no-fund \
        postman-collection@5.3.1 @usebruno/lang@0.39.0 yaml@2.8.1)
}

# A `curl` that only records its arguments, quoted by bash: $1 is the format of a word.
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
    PATH=$work/bin:$PATH sh "$root/tests/mock-service/clients/drive_curl.sh" http://127.0.0.1:18080 http://127.0.0.1:18089
}

write_curl() {
    mkdir -p "$formats/curl"
    # The quoting of bash: backslashes, and \$'…' for non-ASCII text.
    # shellcheck disable=SC2016 # it is what the pretended program does
    pretend_curl 'printf "%q " "$word"'
    { printf '#!/bin/bash\nset -eu\n\n'; LC_ALL=C commands; } >"$formats/curl/escaped.sh"
    # In single quotes, one word per line.
    # shellcheck disable=SC2016 # it is what the pretended program does
    pretend_curl 'printf "%s " "${word@Q}"'
    { printf '# Calls\n\nAs they are made:\n\n```sh\n'; commands; printf '```\n'; } >"$formats/curl/calls.md"
}

install_needs
write_curl
node "$work/export_clients.mjs" "$root/testdata/captures/mitmproxy.har" "$formats"
ls -R "$formats"
