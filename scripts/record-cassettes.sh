#!/usr/bin/env bash
# Records testdata/captures/cassettes again: sends the calls of tests/mock-service/clients/drive_requests.py to the mock service of
# the service through vcrpy, betamax, Ruby's VCR, go-vcr and Polly.js, and computes the expected findings.
# Needs Python 3 with venv and Node.js with npm. Installs Debian's packages of VCR and go-vcr (as root).
# The recordings contain the port, so it is fixed. If it is in use, set MOCK_PORT.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mock_service=$root/tests/mock-service
cassettes=$root/testdata/captures/cassettes
work=$(mktemp -d)
out=$work/out
port=${MOCK_PORT:-18380}
base=http://127.0.0.1:$port
mock_pid=

stop_mock_service() {
    if [ -n "$mock_pid" ]; then
        kill "$mock_pid" 2>/dev/null || true
        wait "$mock_pid" || true
        mock_pid=
    fi
}

finish() {
    stop_mock_service
    rm -rf "$work"
}
trap finish EXIT

install_needs() {
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check vcrpy==9.4.2 betamax==0.9.0 requests==2.34.2 PyYAML==6.0.3
    # Node.js searches modules next to the program, so the programs are copied next to their modules.
    cp "$mock_service"/clients/drive_* "$work"
    (cd "$work" && npm install --silent --no-save --no-package-lock --no-audit --no-fund \
        @pollyjs/core@6.0.6 @pollyjs/adapter-fetch@6.0.7 @pollyjs/persister-fs@6.0.6)
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        ruby-vcr ruby-webmock ruby-multi-json golang-go golang-github-dnaeon-go-vcr-dev
    GO111MODULE=off GOPATH=/usr/share/gocode go build -o "$work/drive_go" "$work/drive_cassettes.go"
}

# Each recording has its own mock service, so that its markers always start at the same number.
record() {
    python3 "$mock_service/server.py" "$port" &
    mock_pid=$!
    for _ in $(seq 100); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
        sleep 0.1
    done
    "$@"
    stop_mock_service
}

python_drive() {
    "$work/venv/bin/python" "$work/drive_cassettes.py" "$1" "$base" "$out"
}

install_needs
mkdir -p "$out"
# The first recording defines the calls of the others.
for what in calls vcrpy-text vcrpy-json betamax; do
    record python_drive "$what"
done
record ruby "$work/drive_cassettes.rb" "$out" vcr yaml text
record ruby "$work/drive_cassettes.rb" "$out" vcr-exact yaml exact
record ruby "$work/drive_cassettes.rb" "$out" vcr-json json text
record "$work/drive_go" "$out" go-vcr
record node "$work/drive_polly.mjs" "$out"
mv "$out"/polly/*/recording.har "$out/polly.har"
mkdir -p "$cassettes"
recorded=("$out"/*.yaml "$out"/*.yml "$out"/*.json "$out"/*.har)
cp "${recorded[@]}" "$cassettes"
"$work/venv/bin/python" "$mock_service/expected.py" "${recorded[@]/#"$out"/"$cassettes"}"
ls -l "$cassettes"
