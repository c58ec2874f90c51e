"""The peers' job (places.py) as SQL for DuckDB: prints how many uses a capture has.

Usage: duckdb_peer.py PLACES ndjson|har|usage FILE

With `usage`, it prints what `sundown usage --by user-agent` counts, for each operation instead of each element: the calls
and uses by caller and day, and the number of rows.

One thread, as the other peers have; two for `usage`. Places are JSON paths, one set for all operations that share it; what is found in
free-form maps is counted, too, and then taken off. (`json_tree`, which gives the position of each member, took five times
as long and four times the memory.)
"""

import os
import re
import sys
from collections import defaultdict
from pathlib import Path

import duckdb

NDJSON = """
SELECT req.method AS method, req.url AS url, req.body AS request, res.body AS response, false AS encoded
FROM read_ndjson($file, ignore_errors = true, columns = {
  req: 'STRUCT(method VARCHAR, url VARCHAR, body JSON)', res: 'STRUCT(body JSON)'})
"""

USAGE = """
SELECT req.method AS method, req.url AS url, req.body AS request, res.body AS response, false AS encoded,
  req.headers."user-agent" AS caller, make_timestamp(time * 1000)::DATE AS day
FROM read_ndjson($file, ignore_errors = true, columns = {
  time: 'BIGINT', req: 'STRUCT(method VARCHAR, url VARCHAR, body JSON, headers STRUCT("user-agent" VARCHAR))',
  res: 'STRUCT(body JSON)'})
"""

HAR = """
SELECT entry.request.method AS method, entry.request.url AS url, entry.request.postData.text AS request,
  entry.response.content.text AS response, entry.response.content.encoding = 'base64' AS encoded
FROM (
  SELECT unnest(log.entries) AS entry
  FROM read_json($file, maximum_object_size = {size}, columns = {
    log: 'STRUCT(entries STRUCT(
      request STRUCT(method VARCHAR, url VARCHAR, postData STRUCT(text JSON)),
      response STRUCT(content STRUCT(text JSON, encoding VARCHAR)))[])'}))
"""

# The exchanges of operations in the table, each with its row there.
KNOWN = """
WITH exchange AS ({exchanges}),
called AS (
  SELECT method || ' ' || rtrim(url_decode(regexp_replace(url, '^\\w+://[^/]*|[?#].*', '', 'g')), '/') AS called, *
  FROM exchange),
known AS (
  SELECT * FROM called JOIN operation ON name = called
  UNION ALL
  SELECT called.*, template.* FROM called JOIN template ON regexp_full_match(called, name)
  WHERE called NOT IN (SELECT name FROM operation)),"""

USES = KNOWN + """
body AS (
  SELECT request_set AS place_set, request AS body, false AS encoded FROM known
  UNION ALL SELECT response_set, response, encoded FROM known),
held AS (
  SELECT place_set,
    CASE WHEN json_type(body) != 'VARCHAR' THEN [body::VARCHAR]
         WHEN encoded THEN values_of(decode(from_base64(body->>'$')))
         ELSE values_of(body->>'$') END AS texts
  FROM body WHERE place_set IS NOT NULL AND body IS NOT NULL),
document AS (SELECT place_set, unnest(texts)::JSON AS value FROM held)
SELECT (SELECT count(*) FROM known WHERE deprecated)
  + (SELECT coalesce(sum(CASE place_set {cases} END), 0) FROM document)
"""

TABLE = KNOWN + """
counted AS (
  SELECT name, caller, day, deprecated::INT + uses_of(request_set, request) + uses_of(response_set, response) AS uses
  FROM known),
row AS (
  SELECT name, caller, day, count(*) AS calls, count(*) FILTER (uses > 0) AS calls_with_use, sum(uses) AS uses
  FROM counted GROUP BY ALL)
SELECT count(*), sum(calls), sum(calls_with_use), sum(uses) FROM row
"""

# Of a body with one value, as all bodies of the generator are.
USES_OF = """
CREATE MACRO uses_of(place_set, body) AS (
  SELECT coalesce(CASE place_set {cases} END, 0)
  FROM (SELECT CASE WHEN json_type(body) = 'VARCHAR' AND json_valid(body->>'$') THEN (body->>'$')::JSON ELSE body END AS value))
"""

# A body of several values: one a line, or one an event.
VALUES_OF = """
CREATE MACRO values_of(text) AS CASE
  WHEN json_valid(text) THEN [text]
  ELSE list_filter(
    list_transform(string_split(text, chr(10)), lambda line: regexp_replace(line, '^data:', '')),
    lambda line: json_valid(line)) END
"""


class Table:
    def __init__(self, text):
        places, self.endpoints, self.opaque = defaultdict(set), set(), []
        for operation, side, selector in (line.split("\t") for line in text.splitlines()):
            if side == "opaque":
                self.opaque.append(path_of(selector))
            elif side == "operation":
                self.endpoints.add(operation)
            else:
                places[operation, side].add(selector)
        self.sets = sorted({tuple(sorted(selectors)) for selectors in places.values()})
        self.set_of = {place: self.sets.index(tuple(sorted(selectors))) for place, selectors in places.items()}
        self.operations = self.endpoints | {operation for operation, _ in places}

    def create(self, connection):
        columns = "(name VARCHAR, deprecated BOOL, request_set INT, response_set INT)"
        for name in ("operation", "template"):
            connection.execute(f"CREATE TABLE {name} {columns}")
        for operation in self.operations:
            table = "template" if "{" in operation else "operation"
            sets = [self.set_of.get((operation, side)) for side in ("request", "response")]
            row = [re.sub(r"\{\w+\}", "[^/]+", operation), operation in self.endpoints, *sets]
            connection.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", row)

    def cases(self):
        """For each set of places, what counts them in `value`."""
        return "\n".join(f"WHEN {number} THEN {self.uses(selectors)}" for number, selectors in enumerate(self.sets))

    def uses(self, selectors):
        paths = [path_of(selector) for selector in selectors]
        inside = [opaque + path[1:] for opaque in self.opaque for path in paths if path.startswith("$..")]
        # Only where there is something to take off.
        return f"CASE WHEN {total(paths)} > 0 THEN {total(paths)} - {total(inside)} ELSE 0 END"


def path_of(selector):
    steps = selector.removeprefix(".. ").split(" ")
    path = "".join("[*]" if step == "*" else f".{step}" for step in steps)
    return ("$." if selector.startswith(".. ") else "$") + path


def total(paths):
    """A path without a wildcard selects a value or nothing, others a list."""
    counts = [
        f"len(json_extract(value, '{path}'))" if ".." in path or "*" in path else f"json_exists(value, '{path}')::INT"
        for path in paths
    ]
    return f"({' + '.join(counts or ['0'])})"


def main():
    places, format, file = sys.argv[1:]
    table = Table(Path(places).read_text("utf-8"))
    connection = duckdb.connect()
    connection.execute(f"SET threads = {2 if format == 'usage' else 1}")
    connection.execute(VALUES_OF)
    table.create(connection)
    if format == "usage":
        connection.execute(USES_OF.replace("{cases}", table.cases()))
        print(connection.execute(TABLE.replace("{exchanges}", USAGE), {"file": file}).fetchone())
        return
    # The whole archive is one object to DuckDB.
    exchanges = HAR.replace("{size}", str(os.path.getsize(file))) if format == "har" else NDJSON
    query = USES.replace("{exchanges}", exchanges).replace("{cases}", table.cases())
    print(connection.execute(query, {"file": file}).fetchone()[0])


if __name__ == "__main__":
    main()
