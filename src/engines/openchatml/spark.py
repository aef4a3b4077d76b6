"""Spark: `mapInArrow`, with a process of the command beside each of its Python workers.

    from openchatml.spark import verdicts

    verdicts(spark.read.parquet("chats")).write.parquet("judged")
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from .filter import Filter
from .verdict import VERDICT_TYPE

#: Of a Python worker, which Spark uses for one partition after the other.
_filters: dict[str, Filter] = {}


def verdicts(frame: DataFrame, **settings: Any) -> DataFrame:
    """The rows with their verdicts, or those that are kept; `settings` are those of `Filter`."""
    # Wrong settings are told here and not by a worker.
    settled = Filter(**settings)
    schema = frame.schema
    if settled.keep == "all":
        schema = StructType([*frame.schema.fields, StructField(settled.column, from_arrow_type(VERDICT_TYPE))])

    def judge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        key = json.dumps(settings, sort_keys=True)
        judged = _filters.setdefault(key, Filter(**settings))
        for batch in batches:
            yield from judged(pa.Table.from_batches([batch])).to_batches()

    return frame.mapInArrow(judge, schema)
