#!/usr/bin/env bash
# Runs fuzz targets, each for SECONDS on one processor: fuzz/run.sh SECONDS [TARGET...]
# Without a target, it runs all targets in sequence. Needs a nightly compiler and cargo-fuzz. Failing inputs are kept in
# fuzz/artifacts. The last lines show the progress of each target.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?how many seconds each target is to run}
shift
targets=("$@")
if ((${#targets[@]} == 0)); then
    mapfile -t targets < <(sed -n 's/^name = "\([a-z_]*\)"$/\1/p' fuzz/Cargo.toml)
fi

# Initial inputs, by file extension. Larger files add little coverage and slow the search down.
seeds() {
    local target=$1 where=$2 ends=$3
    local folder=fuzz/seeds/$target number=0
    rm -rf "$folder"
    mkdir -p "$folder" "fuzz/corpus/$target"
    # shellcheck disable=SC2086 # several folders
    while IFS= read -r -d '' file; do
        number=$((number + 1))
        cp "$file" "$folder/$number-$(basename "$file")"
    done < <(find $where -type f -size -48k -regextype posix-extended -regex ".*($ends)" -print0)
}

# A sample of each format, after the byte by which `reader_any` chooses the format: its index in `sundown formats`.
sow_samples() {
    local folder=fuzz/seeds/$1 number=0
    rm -rf "$folder"
    mkdir -p "$folder" "fuzz/corpus/$1"
    while IFS= read -r name; do
        for file in crates/captures/samples/"$name".* testdata/formats/"$name"/*; do
            [ ! -e "$file" ] || { printf '%b' "\\x$(printf %02x "$number")"; cat "$file"; } >"$folder/$name-${file##*/}"
        done
        number=$((number + 1))
    done < <(cargo run --quiet -- formats | grep -v '^ ')
}

# Partial results of the examples.
sow_partials() {
    local folder=fuzz/seeds/$1
    rm -rf "$folder"
    mkdir -p "$folder" "fuzz/corpus/$1"
    for file in testdata/usage/*.ndjson; do
        cargo run --quiet -- usage "$file" --rules testdata/usage/rules.toml --no-builtin-rules --by user-agent \
            --partial - >"$folder/$(basename "$file").partial"
    done
}

sow() {
    case $1 in
        reader_any) sow_samples "$1" ;;
        reader_har | blocks) seeds "$1" testdata '\.har|\.ndjson' ;;
        reader_json | quick_walk) seeds "$1" 'testdata/captures crates/text-json/testdata/json-test-suite' '\.json|\.ndjson' ;;
        json_walker) seeds "$1" crates/text-json/testdata/json-test-suite '\.json' ;;
        reader_cassettes) seeds "$1" testdata/captures/cassettes '\.json|\.ya?ml' ;;
        reader_clients) seeds "$1" testdata/formats '\.json|\.yaml|\.bru|\.http|\.sh|\.md' ;;
        reader_stubs) seeds "$1" testdata/captures/contracts '\.json' ;;
        reader_logs) seeds "$1" 'testdata/captures testdata/formats/logs' '\.log|\.ndjson' ;;
        reader_wire) seeds "$1" testdata/captures '\.pcap|\.pcapng|\.flows|\.chlsj|\.http' ;;
        yaml_loader | openapi_loader) seeds "$1" 'testdata docs' '\.ya?ml|/descriptions/.*\.json' ;;
        rules_file) seeds "$1" 'rules testdata docs' '\.toml|deprecation-list\.md' ;;
        configuration) seeds "$1" 'testdata docs' '\.toml' ;;
        partials) sow_partials "$1" ;;
        jsonpath) seeds "$1" testdata/jsonpath-compliance '\.json' ;;
        *) seeds "$1" testdata '' ;;
    esac
}

failed=0
summary=()
for target in "${targets[@]}"; do
    sow "$target"
    log=$(mktemp)
    status=0
    cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -timeout=25 -rss_limit_mb=3072 -max_len=16384 -print_final_stats=1 \
        > "$log" 2>&1 || status=$?
    if ((status != 0)); then
        failed=1
        grep -E -A 3 "panicked at|ERROR: |SUMMARY: |fuzz/artifacts" "$log" | cut -c 1-300 | head -n 30
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 || true)
    summary+=("$target: ${runs:-0} runs, ${covered:-cov: 0}, exit $status")
    rm -f "$log"
done
printf '%s\n' "${summary[@]}"
exit "$failed"
