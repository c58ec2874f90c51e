#!/usr/bin/env bash
# Runs each recipe of docs/recipes.md as it is written there, with the program that it is for. Each must find the use that is
# planted in its input. One whose program is missing is skipped, with a line that says so.
# Usage: scripts/validate-recipes.sh [PROGRAM]
# Needs Python 3, Node.js with npm, Java, and Chromium: set CHROMIUM if it is not /usr/bin/chromium. The packages go into a
# temporary folder. Recording packets needs root.
set -euo pipefail
cd "$(dirname "$0")/.."

repository=$PWD
program=$(realpath "${1:-target/debug/sundown}")
export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
scratch=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/sundown"
export PATH=$scratch/bin:$scratch/python/bin:$PATH
export PIP_NO_CACHE_DIR=1 npm_config_cache=$scratch/npm-cache PYTHONDONTWRITEBYTECODE=1

# Prints the blocks in a language of a recipe.
block() {
  awk -v heading="## $recipe" -v fence="\`\`\`$1" '
    /^## / { is_here = $0 == heading }
    $0 == "```" { is_open = 0 }
    is_open { print }
    is_here && $0 == fence { is_open = 1 }' "$repository/docs/recipes.md"
}

# Begins a recipe in a folder of its own, if its programs are there: COMMAND=PACKAGE.
begin() {
  recipe=$1
  shift
  local pair
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null ||
      { echo "skipped: $recipe: ${pair%%=*} is missing: apt-get install ${pair##*=}"; return 1; }
  done
  mkdir "$scratch/$recipe"
  cd "$scratch/$recipe"
  cp "$repository/testdata/usage/rules.toml" .
}

# Runs the commands of the recipe, changed by a command of sed.
finds() {
  block sh | sed "${1:-}" >commands.sh
  [ -s commands.sh ] || { echo "$recipe has no commands" >&2; exit 1; }
  bash commands.sh >output 2>&1 || true
  grep -Eq '^  request +POST /v1/orders +in use|^(error|warning)\[order-legacy-id\]' output ||
    { echo "$recipe found nothing:" >&2; cat output >&2; exit 1; }
  echo "$recipe: found"
}

# Waits until a command succeeds, which a program that has just been started makes possible.
wait_for() {
  for _ in $(seq 100); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  echo "$recipe: $* does not succeed" >&2
  exit 1
}

python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" install --quiet --disable-pip-version-check \
  duckdb-cli==1.5.6 chdb==4.4.0 pytest==9.2.0 requests==2.34.2
npm install --silent --no-package-lock --no-audit --no-fund --prefix "$scratch/node" playwright-core@1.65.1 wiremock@3.13.2

# A client of ClickHouse that runs its queries in itself.
cat >"$scratch/bin/clickhouse" <<'END'
#!/usr/bin/env python3
import sys
from chdb import session
database = session.Session()
database.query("CREATE DATABASE gateway")
database.query("CREATE VIEW gateway.calls AS SELECT * FROM file('calls.csv', CSVWithNames)")
sys.stdout.write(str(database.query(sys.argv[-1])))
END
chmod +x "$scratch/bin/clickhouse"

calls() {
  echo 'time,method,url,status,user_agent,request_body'
  echo '2026-11-02 10:00:00.5,POST,https://shop.example/v1/orders,200,shop-app/2.1,"{""legacyId"": 7}"'
}

begin "Tables in files"
mkdir logs
calls >calls.csv
duckdb -c "COPY (FROM 'calls.csv') TO 'logs/calls.parquet'"
finds
grep -q '^1 call.* 2026-11-02 10:00' output || { echo "$recipe: the time was not read" >&2; cat output >&2; exit 1; }

begin ClickHouse
calls >calls.csv
finds
grep -q '^1 call.* 2026-11-02 10:00' output || { echo "$recipe: the time was not read" >&2; cat output >&2; exit 1; }

if begin Kafka kcat=kcat; then
  # The library of kcat has a broker for tests, which lives as long as its process.
  sleep 60 | kcat -P -X test.mock.num.brokers=1 -d mock -b unused -t calls 2>broker.log &
  started+=($!)
  wait_for grep -q 'bootstrap.servers=' broker.log
  BROKER=$(grep -om1 '127.0.0.1:[0-9]*' broker.log)
  export BROKER
  head -n 3 "$repository/testdata/usage/orders-2026-09.ndjson" | kcat -P -b "$BROKER" -t calls
  finds
fi

# One server answers the calls of all other recipes.
if begin WireMock java=default-jre-headless curl=curl; then
  read -r port tls_port < <(python3 -c '
import socket
free = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in free))')
  java -jar "$scratch"/node/node_modules/wiremock/build/wiremock-standalone-*.jar \
    --port "$port" --https-port "$tls_port" --root-dir "$PWD" >server.log 2>&1 &
  started+=($!)
  export WIREMOCK=http://localhost:$port APP=http://localhost:$port/app
  wait_for curl -sf "$WIREMOCK/__admin/mappings"
  order=(-sf -H 'Content-Type: application/json' -d '{"legacyId": 7}')
  while IFS= read -r stub; do
    curl -sf "$WIREMOCK/__admin/mappings" -d "$stub" >/dev/null
  done <<'END'
{"request": {"method": "POST", "url": "/v1/orders"}, "response": {"status": 200, "jsonBody": {"id": "7"}}}
{"request": {"url": "/app"}, "response": {"headers": {"Content-Type": "text/html"}, "body": "<script>fetch(`/v1/orders`, {method: `POST`, body: `{\"legacyId\": 7}`})</script>"}}
END
  curl "${order[@]}" "$WIREMOCK/v1/orders" >/dev/null
  finds

  begin "Tests with pytest"
  block python >conftest.py
  [ "$(wc -l <conftest.py)" -lt 40 ]
  cat >test_orders.py <<'END'
import os, requests
def test_an_order():
    assert requests.post(os.environ["WIREMOCK"] + "/v1/orders", json={"legacyId": 7}).ok
END
  finds

  if begin "Tests with Playwright" "$CHROMIUM=chromium" node=nodejs; then
    # The browser of the machine takes the place of the one that Playwright downloads.
    block js | sed 's/"playwright"/"playwright-core"/; s/launch()/launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] })/' \
      >"$scratch/node/record.mjs"
    node "$scratch/node/record.mjs"
    finds
  fi

  if begin "Encrypted and tunnelled packets" tshark=tshark; then
    block toml >sundown.toml
    tshark -q -i lo -f "tcp port $tls_port" -w capture.pcapng >tshark.log 2>&1 &
    recorder=$!
    wait_for test -s capture.pcapng
    sleep 1
    SSLKEYLOGFILE=$PWD/keys.log curl -k --http1.1 "${order[@]}" "https://localhost:$tls_port/v1/orders" >/dev/null
    sleep 1
    kill -INT "$recorder"
    wait "$recorder" || true
    finds "s/-Y/-o http.tls.port:443,$tls_port -Y/"
  fi
fi
echo "skipped: OpenTelemetry collector: it cannot be installed here"
