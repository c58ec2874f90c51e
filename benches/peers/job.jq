# The peers' job (places.py) for jq: prints how many uses the input has.
#
# Usage: jq -n --rawfile places PLACES --arg format ndjson|har -f job.jq FILE

def place:
  split("\t") | (.[2] | split(" ")) as $steps
  | {operation: .[0], side: .[1], floating: ($steps[0] == ".."), steps: ($steps | if .[0] == ".." then .[1:] else . end)};

def by(key; inner): group_by(key) | map({key: (.[0] | key), value: inner}) | from_entries;

# By operation, side (`operation` for the endpoint itself) and name.
def table: [$places | split("\n")[] | select(. != "") | place] | by(.operation; by(.side; by(.steps[-1] // ""; .)));

# Operations with a variable in their path, by how many segments they have.
def templates:
  to_entries | map(select(.key | contains("{")) | .segments = (.key | split("/"))) | group_by(.segments | length)
  | map({key: (.[0].segments | length | tostring), value: .}) | from_entries;

def exchanges:
  if $format == "har" then
    .log.entries[]
    | {method: .request.method, url: .request.url, request: .request.postData.text,
       response: (.response.content | if .encoding == "base64" then .text | @base64d else .text end)}
  else {method: .req.method, url: .req.url, request: .req.body, response: .res.body} end;

def hex: explode | map(if . > 96 then . - 87 elif . > 64 then . - 55 else . - 48 end) | .[0] * 16 + .[1];

def percent_decoded:
  if contains("%") then split("%") | .[0] + (.[1:] | map(([.[0:2] | hex] | implode) + .[2:]) | add) else . end;

# As the table has it: "METHOD /path", without host, query and fragment.
def called:
  (.url | split("?")[0] | split("#")[0] | percent_decoded | split("/")
    | if .[0] | endswith(":") then .[3:] else .[1:] end
    | if .[-1] == "" then .[:-1] else . end) as $segments
  | "\(.method) /\($segments | join("/"))";

def fits($template):
  . as $segments | all(range(length); ($template[.] | startswith("{")) or $template[.] == $segments[.]);

def operation($table; $templates):
  called as $called
  | $table[$called]
    // first(($called | split("/")) as $segments | $templates[$segments | length | tostring] // [] | .[]
             | select(.segments as $template | $segments | fits($template)).value);

# A body: as JSON, or in a string; there it may be several values, one a line or one an event.
def values:
  if type == "string" then . as $text | try fromjson catch ($text | split("\n")[] | ltrimstr("data:") | fromjson?)
  else . end;

def selected($selectors):
  . as $path
  | any($selectors[]; $path[-(.steps | length):] == .steps and (.floating or ($path | length) == (.steps | length)));

def inside($opaque): any(.[:range(1; length)]; ($opaque[.[-1]] // empty) as $selectors | selected($selectors));

def members($wanted; $opaque):
  select($wanted) | values
  | path(.. | objects | .[keys_unsorted[] | select($wanted[.])])
  | $wanted[.[-1]] as $selectors
  | select(map(if type == "number" then "*" else . end) | selected($selectors) and (inside($opaque) | not));

def uses($table; $templates):
  exchanges
  | (operation($table; $templates) // empty) as $operation
  | if $operation.operation then [] else empty end,
    (.request | members($operation.request; $table["*"].opaque)),
    (.response | members($operation.response; $table["*"].opaque));

table as $table
| ($table | templates) as $templates
| reduce (inputs | uses($table; $templates)) as $pointer (0; . + 1)
