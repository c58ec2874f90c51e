#!/usr/bin/env bash
# Records testdata/captures again: starts the mock service (tests/mock-service), calls it with real clients, records
# with mitmproxy, Chromium and pino-http, and computes the expected findings of each capture.
# Needs Python 3 with venv, Node.js with npm, and curl. Installs Debian's chromium if it is missing (as root).
# The captures contain the ports, so the ports are fixed. If one is in use, set MOCK_PORT and so on.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mock_service=$root/tests/mock-service
captures=$root/testdata/captures
work=$(mktemp -d)

mock_port=${MOCK_PORT:-18080}
proxy_port=${PROXY_PORT:-18081}
reverse_port=${REVERSE_PORT:-18082}
relay_port=${RELAY_PORT:-18083}
dead_port=${DEAD_PORT:-18089}
base=http://127.0.0.1:$mock_port
dead=http://127.0.0.1:$dead_port
started=()

finish() {
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT

install_needs() {
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check mitmproxy==11.0.2 requests==2.34.2
    # Node.js searches modules next to the program, so the programs are copied next to their modules.
    cp "$mock_service"/clients/* "$work"
    (cd "$work" && npm install --silent --no-package-lock --no-audit --no-fund)
    if ! command -v chromium >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
    fi
}

# Starts a program in the background and leaves its process id in $last.
start() {
    "$@" &
    last=$!
    started+=("$last")
}

stop() {
    kill "$1"
    wait "$1" || true
}

wait_for_port() {
    for _ in $(seq 100); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then
            return
        fi
        sleep 0.1
    done
    echo "nothing listens on port $1" >&2
    exit 1
}

start_mock_service() {
    start python3 "$mock_service/server.py" "$mock_port"
    mock_pid=$last
    wait_for_port "$mock_port"
}

record_mitmproxy() {
    start "$work/venv/bin/mitmdump" --quiet --listen-host 127.0.0.1 \
        --mode "regular@$proxy_port" --mode "reverse:$base@$reverse_port" \
        --set confdir="$work/mitmproxy" --set hardump="$work/mitmproxy.har" -w "$work/mitmproxy.flows"
    local pid=$last
    wait_for_port "$proxy_port"
    wait_for_port "$reverse_port"
    CURL_PROXY=http://127.0.0.1:$proxy_port sh "$work/drive_curl.sh" "$base" "$dead"
    "$work/venv/bin/python" "$work/drive_requests.py" "$base" "http://127.0.0.1:$proxy_port"
    node "$work/drive_fetch.mjs" "http://127.0.0.1:$reverse_port"
    # The HAR is written when mitmdump ends.
    stop "$pid"
}

record_chromium() {
    node "$work/record_browser.mjs" "$base" "$dead" "$work/chromium.har" embed
    node "$work/record_browser.mjs" "$base" "$dead" "$work/chromium-omit.har" omit
}

record_pino() {
    start node "$work/relay.mjs" "$relay_port" "$base" "$work/pino-http.ndjson"
    local pid=$last
    wait_for_port "$relay_port"
    sh "$work/drive_curl.sh" "http://127.0.0.1:$relay_port" "$dead"
    "$work/venv/bin/python" "$work/drive_requests.py" "http://127.0.0.1:$relay_port"
    node "$work/drive_fetch.mjs" "http://127.0.0.1:$relay_port"
    stop "$pid"
}

keep() {
    mkdir -p "$captures"
    cp "$work"/{mitmproxy.har,mitmproxy.flows,chromium.har,chromium-omit.har,pino-http.ndjson} "$captures"
    python3 "$mock_service/expected.py" "$captures"/*.har "$captures"/*.ndjson
}

install_needs
for recorder in record_mitmproxy record_chromium record_pino; do
    # Each recording has its own mock service, so that its markers always start at the same number.
    start_mock_service
    "$recorder"
    stop "$mock_pid"
done
keep
ls -l "$captures"
