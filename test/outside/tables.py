"""Reads the same rows from an Arrow stream and from a Parquet file with pyarrow, Polars and DuckDB.

One JSON object on standard input: {"arrow": PATH, "parquet": PATH, "filters": [[COLUMN, VALUE], ...]}.
One JSON object a line on standard output for each way of reading:
{"reader": ..., "metadata": {...} | null, "nullable": {COLUMN: bool} | null, "types": {COLUMN: ...},
 "rows": [{...}], "counts": [...]}
where counts has, for each filter, the rows whose column has the value; Parquet readers may skip row groups for it.
"""

import json
import sys

import duckdb
import polars
import pyarrow
import pyarrow.compute
import pyarrow.ipc
import pyarrow.parquet


def print_answer(reader, types, rows, counts, schema=None):
    answer = {"reader": reader, "types": types, "rows": rows, "counts": counts, "metadata": None, "nullable": None}
    if schema is not None:
        answer["metadata"] = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
        answer["nullable"] = {field.name: field.nullable for field in schema}
    print(json.dumps(answer))


def with_pyarrow(reader, table, counts):
    table.validate(full=True)
    types = {field.name: str(field.type) for field in table.schema}
    print_answer(reader, types, table.to_pylist(), counts, table.schema)


def with_polars(reader, frame, counts):
    print_answer(reader, {name: str(kind) for name, kind in frame.schema.items()}, frame.to_dicts(), counts)


def with_duckdb(reader, source, filters, parameters):
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}", parameters).fetchall()
    names = [row[0] for row in described]
    rows = connection.execute(f"SELECT * FROM {source}", parameters).fetchall()
    counts = []
    for column, value in filters:
        query = f'SELECT count(*) FROM {source} WHERE "{column}" = ?'
        counts.append(connection.execute(query, [*parameters, value]).fetchone()[0])
    print_answer(reader, {row[0]: row[1] for row in described}, [dict(zip(names, row)) for row in rows], counts)


def main():
    request = json.load(sys.stdin)
    arrow, parquet, filters = request["arrow"], request["parquet"], request["filters"]

    with pyarrow.ipc.open_stream(arrow) as stream:
        table = stream.read_all()
    field = pyarrow.compute.field
    counts = [table.filter(field(column) == value).num_rows for column, value in filters]
    with_pyarrow("pyarrow stream", table, counts)

    read = pyarrow.parquet.read_table
    counts = [read(parquet, filters=[(column, "==", value)]).num_rows for column, value in filters]
    with_pyarrow("pyarrow parquet", read(parquet), counts)

    frame = polars.read_ipc_stream(arrow)
    counts = [frame.filter(polars.col(column) == value).height for column, value in filters]
    with_polars("polars stream", frame, counts)

    scan = polars.scan_parquet(parquet)
    counts = [scan.filter(polars.col(column) == value).collect().height for column, value in filters]
    with_polars("polars parquet", polars.read_parquet(parquet), counts)

    with_duckdb("duckdb parquet", "read_parquet(?)", filters, [parquet])
    # DuckDB finds the pyarrow table by the name of the variable.
    globals()["arrow_table"] = table
    with_duckdb("duckdb arrow", "arrow_table", filters, [])


main()
