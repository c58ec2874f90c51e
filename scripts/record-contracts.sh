#!/usr/bin/env bash
# Records testdata/captures/contracts again: the calls of testdata/captures/cassettes/vcrpy-json.json through Pact's library,
# through WireMock as a recording proxy of the mock service, and as Hoverfly simulations.
# Needs Python 3 with venv, Node.js with npm, and Java.
# The recordings contain the ports, so the ports are fixed. If one is in use, set MOCK_PORT; WireMock uses the next port.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mock_service=$root/tests/mock-service
cassette=$root/testdata/captures/cassettes/vcrpy-json.json
contracts=$root/testdata/captures/contracts
work=$(mktemp -d)
port=${MOCK_PORT:-18380}
wiremock_port=$((port + 1))
pids=()

finish() {
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT

install_needs() {
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check pact-python==4.2.0 pact-python-ffi==0.5.12.1 requests==2.34.2
    (cd "$work" && npm install --silent --no-save --no-package-lock --no-audit --no-fund wiremock@3.13.2)
}

wait_for() {
    for _ in $(seq 200); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    echo "nothing answers on port $1" >&2
    exit 1
}

drive() {
    "$work/venv/bin/python" "$mock_service/clients/drive_contracts.py" "$@"
}

record_wiremock() {
    python3 "$mock_service/server.py" "$port" &
    pids+=($!)
    java -jar "$work"/node_modules/wiremock/build/wiremock-standalone-*.jar \
        --port "$wiremock_port" --bind-address 127.0.0.1 --root-dir "$work/wiremock" --disable-banner &
    pids+=($!)
    wait_for "$port"
    wait_for "$wiremock_port"
    drive wiremock "$cassette" "http://127.0.0.1:$wiremock_port" "http://127.0.0.1:$port" "$contracts/wiremock"
}

install_needs
mkdir -p "$work/wiremock" "$contracts"/{pact,wiremock,hoverfly}
drive pact "$cassette" "$contracts/pact"
drive hoverfly "$cassette" "$contracts/hoverfly"
record_wiremock
ls -l "$contracts"/*
