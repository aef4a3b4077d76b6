"""Runs queries of DuckDB over files of JSON lines, one for each line of standard input.

Argument: how many threads. Prints {"version": ...}, then {"numbers": [...]} or {"error": ...} for each {"query": ..., "path": ...}.
"""

import json
import sys

import duckdb

QUERIES = {
    # Every line as a value, none of which is looked into.
    "count": "SELECT count(*) FROM read_ndjson_objects(?)",
    # A JSON function on each line; bytes, which are there already, not characters, which would have to be counted.
    "text": "SELECT count(*), sum(strlen(json ->> '$.text')) FROM read_ndjson_objects(?)",
    # The same by a column of its reader.
    "column": "SELECT count(*), sum(strlen(text)) FROM read_ndjson(?, columns = {'text': 'VARCHAR'})",
}


def say(answer):
    print(json.dumps(answer), flush=True)


def main():
    connection = duckdb.connect(config={"threads": int(sys.argv[1])})
    say({"version": duckdb.__version__})
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            row = connection.execute(QUERIES[asked["query"]], [asked["path"]]).fetchone()
            say({"numbers": [int(number) for number in row]})
        except duckdb.Error as error:
            say({"error": str(error).splitlines()[0]})


main()
