"""The drivers on shards of chat records: `drivers.py ENGINE SHARDS OUT COMMAND…` writes what they answer as JSON.

SHARDS holds Parquet files of `id`, `tools` and `messages`. Each engine answers with the verdicts by id.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ENGINE, SHARDS, OUT, *COMMAND = sys.argv[1:]
OUTPUT = Path(OUT)
PATHS = sorted(str(path) for path in Path(SHARDS).glob("*.parquet"))


def brief(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Of each row what its verdict says."""
    told = {}
    for row in rows:
        verdict = row["verdict"]
        messages = [finding["message"] for finding in verdict["err"]]
        told[row["id"]] = [verdict["ok"], verdict["messages"], verdict["calls"], verdict["findings"], messages]
    if len(told) != len(rows):
        raise SystemExit(f"{len(rows)} rows have {len(told)} ids")
    return told


def plain() -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    from openchatml import Filter

    judge = Filter(command=COMMAND)
    rows = [row for path in PATHS for row in judge(pq.read_table(path)).select(["id", "verdict"]).to_pylist()]
    judge.close()
    return rows


def ray() -> list[dict[str, Any]]:
    import ray as engine

    import openchatml.ray

    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=400 << 20)
    engine.data.DataContext.get_current().enable_progress_bars = False
    try:
        rows = engine.data.read_parquet(PATHS, override_num_blocks=8)
        judged = openchatml.ray.verdicts(rows, processes=2, num_cpus=0.5, command=COMMAND, batch_size=512)
        judged.select_columns(["id", "verdict"]).write_parquet(str(OUTPUT))
    finally:
        engine.shutdown()
    return read_output()


def spark() -> list[dict[str, Any]]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from openchatml.spark import verdicts

    # A task whose worker was killed is tried again.
    session = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "512")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    try:
        judged = verdicts(session.read.parquet(*PATHS), command=COMMAND)
        judged.select("id", "verdict").write.parquet(str(OUTPUT))
    finally:
        session.stop()
    return read_output()


def read_output() -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    tables = [pq.read_table(path) for path in sorted(OUTPUT.glob("*.parquet"))]
    return [row for table in tables for row in table.to_pylist()]


def datasets() -> list[dict[str, Any]]:
    os.environ["HF_HOME"] = str(OUTPUT)
    os.environ["HF_HUB_OFFLINE"] = "1"
    import pyarrow as pa
    import pyarrow.parquet as pq
    from datasets import Dataset, disable_progress_bars

    from openchatml.datasets import verdicts

    disable_progress_bars()
    # Its own reader of Parquet fails on a file without rows.
    rows = Dataset(pa.concat_tables([pq.read_table(path) for path in PATHS]))
    judged = verdicts(rows, num_proc=2, command=COMMAND)
    streamed = verdicts(rows.to_iterable_dataset(), command=COMMAND, keep="bad")
    bad = [row["id"] for row in judged if not row["verdict"]["ok"]]
    if [row["id"] for row in streamed] != bad:
        raise SystemExit("a stream has other rows")
    return judged.select_columns(["id", "verdict"]).to_list()


def datatrove() -> list[dict[str, Any]]:
    import pyarrow.parquet as pq
    from datatrove.data import Document
    from loguru import logger

    from openchatml.datatrove import ChatFilter

    logger.remove()
    def documents(path: str) -> Iterator[Document]:
        for row in pq.read_table(path).to_pylist():
            yield Document("", row["id"], metadata={"messages": told(row["messages"]), "tools": row["tools"]})

    # Documents are objects, and take long to make: four shards.
    judge = ChatFilter(command=COMMAND, drops=False)
    judged = [document for path in [PATHS[0], *PATHS[4:6], PATHS[-1]] for document in judge.run(documents(path))]
    first = [document.id for document in documents(PATHS[0])]
    good = [document.id for document in judged[: len(first)] if document.metadata["verdict"]["ok"]]
    if [document.id for document in ChatFilter(command=COMMAND).run(documents(PATHS[0]))] != good:
        raise SystemExit("other documents are kept than have no errors")
    return [{"id": document.id, "verdict": document.metadata["verdict"]} for document in judged]


def told(value: Any) -> Any:
    """Without what is null: Arrow has every key in every struct."""
    if isinstance(value, dict):
        return {key: told(member) for key, member in value.items() if member is not None}
    return [told(member) for member in value] if isinstance(value, list) else value


ENGINES: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "plain": plain, "ray": ray, "spark": spark, "datasets": datasets, "datatrove": datatrove,
}
answer = json.dumps(brief(ENGINES[ENGINE]()))
Path(f"{OUT}.json").write_text(answer)
