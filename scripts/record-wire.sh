#!/usr/bin/env bash
# Records testdata/captures/wire again: sends the calls of scripts/record-captures.sh to the mock service, with
# nginx and without, while tcpdump and socat record the traffic on the loopback interface; then those of curl over HTTP/2.
# Needs root, Python 3 with venv, Node.js and curl. Installs Debian's tcpdump, wireshark-common, nginx, nghttp2-proxy and
# socat. The functions to record can be named as arguments.
# The captures contain the ports, so the ports are fixed. If one is in use, set MOCK_PORT and so on.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mock_service=$root/tests/mock-service
captures=$root/testdata/captures/wire
work=$(mktemp -d)

mock_port=${MOCK_PORT:-18480}
nginx_port=${NGINX_PORT:-18481}
socat_port=${SOCAT_PORT:-18482}
http2_port=${HTTP2_PORT:-18483}
dead_port=${DEAD_PORT:-18489}
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
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        tcpdump wireshark-common nginx-light nghttp2-proxy socat
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check requests==2.34.2 h2==4.4.1
    cp "$mock_service"/clients/drive_* "$work"
}

# Starts a program in the background and leaves its process id in $last.
start() {
    "$@" &
    last=$!
    started+=("$last")
}

stop() {
    kill -INT "$1"
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

# Each recorder signals its start differently. All of them start within this time.
settle() {
    sleep 2
}

drive() {
    sh "$work/drive_curl.sh" "$1" "$dead"
    "$work/venv/bin/python" "$work/drive_requests.py" "$1"
    node "$work/drive_fetch.mjs" "$1"
}

record_direct() {
    local filter="tcp port $mock_port"
    # As root, it would drop its privileges and could not write into this folder.
    start tcpdump -Z root -q -i lo -s 0 -U -w "$work/loopback.pcap" "$filter"
    local tcpdump_pid=$last
    settle
    drive "http://127.0.0.1:$mock_port"
    settle
    stop "$tcpdump_pid"
    # Not dumpcap, because it records a description of the machine.
    editcap -F pcapng "$work/loopback.pcap" "$work/loopback.pcapng"
}

# Through nginx, which compresses and sends chunks. The pseudo-interface `any` has its own link header. Over IPv6.
record_nginx() {
    cat >"$work/nginx.conf" <<END
daemon off;
pid $work/nginx.pid;
error_log stderr warn;
events {}
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    gzip on;
    gzip_types application/json;
    gzip_min_length 200;
    gzip_http_version 1.0;
    server {
        listen [::1]:$nginx_port;
        location / {
            proxy_pass http://127.0.0.1:$mock_port;
            proxy_http_version 1.1;
            proxy_set_header Host \$host;
            proxy_set_header Accept-Encoding identity;
        }
    }
}
END
    start nginx -p "$work" -c "$work/nginx.conf"
    local nginx_pid=$last
    start tcpdump -Z root -q -i any -s 0 -U -w "$work/nginx-any.pcap" "tcp port $nginx_port"
    local tcpdump_pid=$last
    settle
    drive "http://[::1]:$nginx_port"
    settle
    stop "$tcpdump_pid"
    kill "$nginx_pid"
    wait "$nginx_pid" || true
}

# The calls of curl over one HTTP/2 connection without encryption, with prior knowledge.
record_http2() {
    cat >"$work/nginx.conf" <<END
daemon off;
pid $work/nginx.pid;
error_log stderr warn;
events {}
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    server {
        listen 127.0.0.1:$http2_port http2;
        location / {
            proxy_pass http://127.0.0.1:$mock_port;
            proxy_http_version 1.1;
            proxy_set_header Host \$host;
        }
    }
}
END
    start nginx -p "$work" -c "$work/nginx.conf"
    local nginx_pid=$last
    settle
    capture_http2 http2 "$work/venv/bin/python" "$work/drive_h2.py" \
        "$root/testdata/captures/mitmproxy.har" 127.0.0.1 "$http2_port"
    kill "$nginx_pid"
    wait "$nginx_pid" || true
}

# curl with an upgrade from HTTP/1.1.
record_http2_upgrade() {
    start nghttpx --conf=/dev/null --workers=1 --errorlog-file="$work/nghttpx.log" \
        "--frontend=127.0.0.1,$http2_port;no-tls" "--backend=127.0.0.1,$mock_port"
    local nghttpx_pid=$last
    settle
    capture_http2 http2-upgrade env CURL_VERSION=--http2 \
        sh "$work/drive_curl.sh" "http://127.0.0.1:$http2_port" "$dead"
    kill "$nghttpx_pid"
    wait "$nghttpx_pid" || true
}

# Records what a command sends and receives.
capture_http2() {
    local name=$1
    shift
    start tcpdump -Z root -q -i lo -s 0 -U -w "$work/$name.pcap" "tcp port $http2_port"
    local tcpdump_pid=$last
    settle
    "$@"
    settle
    stop "$tcpdump_pid"
}

# The two directions that socat relays, one after the other.
record_socat() {
    start socat -r "$work/requests" -R "$work/responses" \
        "TCP-LISTEN:$socat_port,bind=127.0.0.1,reuseaddr,fork" "TCP:127.0.0.1:$mock_port"
    local pid=$last
    settle
    drive "http://127.0.0.1:$socat_port"
    stop "$pid"
    cat "$work/requests" "$work/responses" >"$work/socat.http"
}

all=(record_direct record_nginx record_socat record_http2 record_http2_upgrade)
[ $# -gt 0 ] || set -- "${all[@]}"
install_needs
for recorder in "$@"; do
    # Each recording has its own mock service, so that its markers always start at the same number.
    start_mock_service
    "$recorder"
    kill "$mock_pid"
    wait "$mock_pid" || true
done
mkdir -p "$captures"
find "$work" -maxdepth 1 \( -name '*.pcap' -o -name '*.pcapng' -o -name '*.http' \) -exec cp {} "$captures" \;
python3 "$mock_service/charles.py" "$root/testdata/captures/mitmproxy.har" >"$captures/charles.chlsj"
chmod 644 "$captures"/*
ls -l "$captures"
