#!/usr/bin/env bash
# Runs each recipe of docs/recipes.md and docs/tests.md as it is written there, with the program that it is for. Each must find the
# use that is planted in its input. One whose program is missing is skipped, with a line that says so.
# Usage: scripts/validate-recipes.sh [PROGRAM]
# Needs Python 3, Node.js with npm, Java with JUnit 5, Go, and Chromium: set CHROMIUM if it is not /usr/bin/chromium. The packages go
# into a temporary folder. Recording packets needs root.
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
export PATH=$scratch/bin:$scratch/python/bin:$scratch/mitmproxy/bin:$PATH
export PIP_NO_CACHE_DIR=1 npm_config_cache=$scratch/npm-cache PYTHONDONTWRITEBYTECODE=1

# Prints the blocks in a language of a recipe.
block() {
  awk -v heading="## $recipe" -v fence="\`\`\`$1" '
    /^## / { is_here = $0 == heading }
    $0 == "```" { is_open = 0 }
    is_open { print }
    is_here && $0 == fence { is_open = 1 }' "$repository/docs/recipes.md" "$repository/docs/tests.md"
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
  # A colon in a folder's name would end an entry of PATH.
  mkdir "$scratch/${recipe//:/}"
  cd "$scratch/${recipe//:/}"
  cp "$repository/testdata/usage/rules.toml" .
  # The days left of its rules are none of the recipe's business.
  echo 'fail-on = "warning"' >sundown.toml
}

# Runs the commands of the recipe, changed by a command of sed.
finds() {
  block sh | sed "${1:-}" >commands.sh
  [ -s commands.sh ] || { echo "$recipe has no commands" >&2; exit 1; }
  bash commands.sh >output 2>&1 || true
  has_found
}

# Runs tests that pass, but for the check after them.
fails() {
  if "$@" >output 2>&1; then echo "$recipe: $* does not fail" >&2; cat output >&2; exit 1; fi
  has_found
}

has_found() {
  grep -Eq '^  request +POST /v1/orders +in use|(error|warning)\[order-legacy-id\]' output ||
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
  duckdb-cli==1.5.6 chdb==4.4.0 pytest==9.2.0 requests==2.34.2 httpx==0.28.1
# Its dependencies are not those of the others.
python3 -m venv "$scratch/mitmproxy"
"$scratch/mitmproxy/bin/pip" install --quiet --disable-pip-version-check mitmproxy==11.0.2
npm install --silent --no-package-lock --no-audit --no-fund --prefix "$scratch/node" @playwright/test@1.65.1 wiremock@3.13.2

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

  begin "Python: pytest with requests and httpx"
  block python >conftest.py
  cat >test_orders.py <<'END'
import asyncio, os, httpx, requests
ORDERS = os.environ["WIREMOCK"] + "/v1/orders"
def test_requests():
    assert requests.post(ORDERS, json={"legacyId": 7}).ok
def test_httpx():
    assert httpx.post(ORDERS, json={"legacyId": 7}).is_success
def test_async():
    async def post():
        async with httpx.AsyncClient() as client:
            return await client.post(ORDERS, json={"legacyId": 7})
    assert asyncio.run(post()).is_success
END
  fails pytest
  grep -q '^3 passed' output && grep -q 'and 2 more like it' output
  echo 'def test_nothing(): pass' >test_orders.py
  if pytest >output 2>&1; then echo "$recipe: a run without calls does not fail" >&2; exit 1; fi

  if begin "Browsers: Playwright" "$CHROMIUM=chromium" node=nodejs; then
    ln -s "$scratch/node/node_modules" .
    block js >record.js
    block json >package.json
    # The browser of the machine takes the place of the one that Playwright downloads.
    cat >playwright.config.js <<'END'
const launchOptions = { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] };
export default { testMatch: "*.spec.js", use: { launchOptions } };
END
    cat >orders.spec.js <<'END'
import { test } from "./record.js";
test("order", async ({ page }) => {
  const answer = page.waitForResponse("**/v1/orders");
  await page.goto(process.env.APP);
  await answer;
});
END
    fails npm test
  fi

  if begin "Node.js: fetch" node=nodejs; then
    block js >record.mjs
    block json >package.json
    cat >orders.test.mjs <<'END'
import test from "node:test";
test("order", async () => {
  const answer = await fetch(`${process.env.WIREMOCK}/v1/orders`, { method: "POST", body: '{"legacyId": 7}' });
  await answer.json();
});
END
    fails npm test
  fi

  if begin Go go=golang-go; then
    block go >main_test.go
    printf 'module shop\n\ngo 1.19\n' >go.mod
    cat >orders_test.go <<'END'
package shop

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestOrder(t *testing.T) {
	answer, err := http.Post(os.Getenv("WIREMOCK")+"/v1/orders", "application/json", strings.NewReader(`{"legacyId": 7}`))
	if err != nil || answer.StatusCode != 200 {
		t.Fatal(answer, err)
	}
}
END
    [ -z "$(gofmt -l .)" ] || { echo "$recipe is not formatted" >&2; exit 1; }
    fails go test ./...
  fi

  launcher=/usr/share/java/junit-platform-console.jar
  if begin "Java: JUnit with WireMock" javac=default-jdk-headless && [ -e "$launcher" ]; then
    {
      cat <<'END'
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import java.io.InputStream;
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.RegisterExtension;

class OrdersTest {
END
      block java
      cat <<'END'
  @Test
  void order() throws Exception {
    service.stubFor(post("/v1/orders").willReturn(okJson("{}")));
    URI orders = URI.create(service.baseUrl() + "/v1/orders");
    HttpRequest call = HttpRequest.newBuilder(orders).POST(HttpRequest.BodyPublishers.ofString("{\"legacyId\": 7}")).build();
    Assertions.assertEquals(200, HttpClient.newHttpClient().send(call, HttpResponse.BodyHandlers.ofString()).statusCode());
  }
}
END
    } >OrdersTest.java
    # Maven's place is taken by the launcher of JUnit, which Debian has.
    jars=$(printf '%s:' "$scratch"/node/node_modules/wiremock/build/*.jar /usr/share/java/{junit-{jupiter,platform}-*,opentest4j,apiguardian-api,picocli}.jar)
    cat >"$scratch/bin/mvn" <<END
#!/bin/sh
set -e
javac -cp "$jars" -d classes OrdersTest.java
java -cp "classes:$jars" org.junit.platform.console.ConsoleLauncher --scan-classpath classes --disable-banner
END
    chmod +x "$scratch/bin/mvn"
    finds
  else
    echo "skipped: Java: JUnit with WireMock: $launcher is missing: apt-get install junit5"
  fi

  if begin "Any other language" make=make; then
    # shellcheck disable=SC2016 # make expands it.
    printf 'test:\n\tcurl -x "$$HTTP_PROXY" %s\n' "${order[*]@Q} $WIREMOCK/v1/orders" >Makefile
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
