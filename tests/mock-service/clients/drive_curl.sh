#!/bin/sh
# Drives the mock service with curl. Marker numbers 100 to 199.
# Usage: drive_curl.sh BASE_URL DEAD_URL; CURL_PROXY names a proxy to go through, CURL_VERSION is an option for the version of
# HTTP.
# DEAD_URL is a loopback address where nothing listens: captures also hold exchanges without an answer.
set -eu

base=$1
dead=$2
client_token=made-up-token-client-4b1d
index_token=made-up-token-index-77ce

call() {
    # --noproxy '' because curl would otherwise go around the proxy for loopback addresses where the environment says so.
    if [ -n "${CURL_PROXY:-}" ]; then
        curl ${CURL_VERSION:-} --silent --show-error --output /dev/null --proxy "$CURL_PROXY" --noproxy '' "$@"
    else
        curl ${CURL_VERSION:-} --silent --show-error --output /dev/null "$@"
    fi
}

client() {
    call --header "Authorization: Bearer $client_token" --header 'Content-Type: application/json' "$@"
}

index() {
    call --header "Authorization: Bearer $index_token" --header 'Content-Type: application/json' "$@"
}

client "$base/rest/api/v1/search?locale=fr&timezoneOffset=-60" --compressed --data '{
  "query": "caf\u00e9 \"plan\" 🚀",
  "pageSize": 10,
  "trackingToken": "alive-100",
  "requestOptions": {
    "facetFilters": [
      { "fieldName": "type", "values": [{ "value": "Spreadsheet", "relationType": "alive-101", "isNegated": "planted-102" }, { "value": "Été", "isNeg\u0061ted": "planted-103" }] }
    ]
  }
}'
call "$base/rest/api/v1/search" --header 'Authorization: Bearer made-up-token-expired-0000' --header 'Content-Type: application/json' --data '{"query":"plan","pageSize":5,"values":[{"isNegated":"planted-104"}]}'
client "$base/rest/api/v1/ch%61t" --data '{"messages":[{"author":"USER","fragments":[{"text":"Où est le plan ?"}],"citations":[{"sourceDocument":{"id":"planted-110"},"trackingToken":"alive-111"}]}],"stream":false}'
client "$base/rest/api/v1/chat" --no-buffer --data '{"messages":[{"author":"USER","fragments":[{"text":"Where?"}]}],"stream":true}'
client "$base/rest/api/v1/chat?stream=sse" --no-buffer --header 'Accept: text/event-stream' --data '{"messages":[{"author":"USER","fragments":[{"text":"And now?"}]}],"stream":true}'
client "$base/rest/api/v1/getanswer/" --data '{"id":3,"docId":"ANSWERS_3","trackingToken":"planted-120"}'
client "$base/rest/api/v1/governance/data/policies/pol-7f3a?version=2" --compressed --request GET
client "$base/rest/api/v1/governance/data/policies/current" --location --request GET
client "$base/rest/api/v1/governance/data/policies" --request GET
client "$base/rest/api/v1/images?key=logo" --request GET
client "$base/rest/api/v1/nosuchoperation" --data '{"trackingToken":"alive-130","boardId":"alive-131"}'
client "$base/rest/api/v1/listanswers" --request GET
index "$base/api/index/v1/indexemployee" --data '{"employee":{"email":"zoe@example.com","firstName":"Zoë","location":"planted-140","structuredLocation":{"city":"Paris"},"additionalFields":[{"key":"location","value":["alive-141"]}],"customData":{"location":"alive-142"}},"version":3}'
index "$base/api/index/v1/bulkindexemployees" --data '{"uploadId":"up-1","isFirstPage":true,"isLastPage":true,"employees":[{"email":"zoe@example.com","location":"planted-150","structuredLocation":{"location":"alive-151"}},{"email":"ola@example.com","department":"R&D","location":"planted-152"}]}'
index "$base/api/index/v1/getdocumentcount" --data '{"datasource":"wiki"}'
index "$base/api/index/v1/getdatasourceconfig" --data '{"datasource":"wiki"}'
index "$base/api/index/v1/rotatetoken" --request POST
# No server has this address: curl fails unless a proxy answers instead.
index "$dead/api/index/v1/getdocumentcount" --data '{"datasource":"wiki"}' 2>/dev/null || true
