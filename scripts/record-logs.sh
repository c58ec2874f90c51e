#!/usr/bin/env bash
# Records testdata/captures/logs again: real clients call the mock service (tests/mock-service) through nginx, Apache
# and Caddy, which write their logs in the usual formats. Needs Python 3 with venv, Node.js and curl. Downloads the three
# servers with apt-get and unpacks them into a temporary folder, without installing them.
# Some logs contain the ports, so the ports are fixed. If one is in use, set MOCK_PORT and so on.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mock_service=$root/tests/mock-service
logs=$root/testdata/captures/logs
work=$(mktemp -d)

mock_port=${MOCK_PORT:-18080}
nginx_port=${NGINX_PORT:-18084}
apache_port=${APACHE_PORT:-18085}
caddy_port=${CADDY_PORT:-18086}
dead=http://127.0.0.1:${DEAD_PORT:-18089}
base=http://127.0.0.1:$mock_port
servers=$work/servers
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
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check requests==2.34.2
    cp "$mock_service"/clients/* "$work"
    mkdir -p "$work/packages" "$servers" "$work/out"
    (cd "$work/packages" && apt-get download -qq -o APT::Sandbox::User=root nginx caddy apache2-bin libapr1 libaprutil1 liblua5.3-0)
    for package in "$work"/packages/*.deb; do
        dpkg -x "$package" "$servers"
    done
    local libraries
    libraries=$(dirname "$(find "$servers" -name 'libapr-1.so.0' -print -quit)")
    export LD_LIBRARY_PATH=$libraries
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

# Sends data that is not a request to port $1: the start of a TLS handshake, the greeting of another protocol, and nothing.
send_nonsense() {
    local text
    for text in '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n' 'HELO mail.test\r\n' 'GET /caf\xe9"x HTTP/1.1\r\nHost: a.test\r\n\r\n'; do
        # shellcheck disable=SC2059 # the text is the format: it contains escapes
        (exec 3<>"/dev/tcp/127.0.0.1/$1" && printf "$text" >&3 && timeout 1 cat <&3 >/dev/null) || true
    done
}

# The same requests as in the other captures, to port $1.
drive() {
    wait_for_port "$1"
    sh "$work/drive_curl.sh" "http://127.0.0.1:$1" "$dead"
    "$work/venv/bin/python" "$work/drive_requests.py" "http://127.0.0.1:$1"
    node "$work/drive_fetch.mjs" "http://127.0.0.1:$1"
    send_nonsense "$1"
}

record_nginx() {
    mkdir -p "$work/nginx"
    cat >"$work/nginx.conf" <<END
daemon off;
master_process off;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events {}
http {
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    log_format timed '\$remote_addr - \$remote_user [\$time_local] "\$request" \$status \$body_bytes_sent "\$http_referer" "\$http_user_agent" \$request_time \$upstream_response_time';
    log_format fields '\$time_iso8601|\$request_method|\$scheme://\$host\$request_uri|\$status|"\$http_user_agent"|"\$request_body"|\$sent_http_deprecation|\$sent_http_sunset';
    log_format fields_json escape=json '{"time_iso8601":"\$time_iso8601","remote_addr":"\$remote_addr","request_method":"\$request_method",'
        '"host":"\$host","request_uri":"\$request_uri","status":"\$status","body_bytes_sent":"\$body_bytes_sent",'
        '"http_user_agent":"\$http_user_agent","request_body":"\$request_body"}';
    log_format request_json escape=json '{"time_local":"\$time_local","remote_addr":"\$remote_addr","request":"\$request",'
        '"status":\$status,"request_time":\$request_time,"http_user_agent":"\$http_user_agent"}';
    server {
        listen 127.0.0.1:$nginx_port;
        server_name api.test;
        access_log $work/out/nginx-combined.log combined;
        access_log $work/out/nginx-timed.log timed;
        access_log $work/out/nginx-fields.log fields;
        access_log $work/out/nginx-fields.ndjson fields_json;
        access_log $work/out/nginx-request.ndjson request_json;
        location / {
            proxy_pass $base;
            proxy_http_version 1.1;
        }
    }
}
END
    start "$servers/usr/sbin/nginx" -p "$work/nginx" -c "$work/nginx.conf"
    local pid=$last
    drive "$nginx_port"
    stop "$pid"
}

record_apache() {
    local modules=$servers/usr/lib/apache2/modules
    mkdir -p "$work/apache"
    cat >"$work/apache.conf" <<END
ServerRoot $work/apache
ServerName api.test
Listen 127.0.0.1:$apache_port
PidFile $work/apache/pid
ErrorLog $work/apache/error.log
DefaultRuntimeDir $work/apache
User nobody
Group nogroup
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule proxy_module $modules/mod_proxy.so
LoadModule proxy_http_module $modules/mod_proxy_http.so
LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined
LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" combined
LogFormat "%h %l %u %t \"%r\" %>s %b" common
LogFormat "%{usec}t %m %U%q %>s \"%{User-Agent}i\" \"%{Content-Type}i\" \"%{Deprecation}o\" \"%{Sunset}o\"" fields
CustomLog $work/out/apache-vhost.log vhost_combined
CustomLog $work/out/apache-combined.log combined
CustomLog $work/out/apache-common.log common
CustomLog $work/out/apache-fields.log fields
ProxyPass / $base/ nocanon
END
    start "$servers/usr/sbin/apache2" -DFOREGROUND -f "$work/apache.conf"
    local pid=$last
    drive "$apache_port"
    stop "$pid"
}

record_caddy() {
    cat >"$work/Caddyfile" <<END
{
    admin off
    auto_https off
}
http://127.0.0.1:$caddy_port {
    bind 127.0.0.1
    log {
        output file $work/out/caddy.ndjson
    }
    reverse_proxy $base
}
END
    start env HOME="$work" XDG_DATA_HOME="$work" XDG_CONFIG_HOME="$work" \
        "$servers/usr/bin/caddy" run --config "$work/Caddyfile" --adapter caddyfile 2>"$work/caddy.err"
    local pid=$last
    drive "$caddy_port"
    stop "$pid"
}

install_needs
for recorder in record_nginx record_apache record_caddy; do
    # Each recording has its own mock service, so that its markers always start at the same number.
    start python3 "$mock_service/server.py" "$mock_port"
    mock_pid=$last
    wait_for_port "$mock_port"
    "$recorder"
    stop "$mock_pid"
done
mkdir -p "$logs"
cp "$work"/out/* "$logs"
ls -l "$logs"
