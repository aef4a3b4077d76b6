"""What verdicts cost beside an engine's own work: `ask_engines.py ENGINES SHARDS ROUNDS COMMAND…`, where
ENGINES is some of package,ray,spark.

SHARDS holds chat records twice, as Parquet and as lines (test/engines/make_shards.py makes them). Each engine maps
the rows by a function that gives them back as they are, and by the verdicts; the rounds take turns. Prints seconds,
medians.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ENGINES, SHARDS, ROUNDS, *COMMAND = sys.argv[1:]
PATHS = sorted(str(path) for path in Path(SHARDS).glob("*.parquet"))
LINES = sorted(str(path) for path in Path(SHARDS).glob("*.jsonl"))
#: The shards are read so many times over: what starting costs counts less.
TIMES = 4


def compare(name: str, rows: int, bases: dict[str, Callable[[], object]]) -> None:
    """Times functions in turns, the first one is the base."""
    seconds: dict[str, list[float]] = {key: [] for key in bases}
    for number in range(int(ROUNDS) + 1):
        for key, work in bases.items():
            start = time.perf_counter()
            work()
            # The first round warms up.
            if number > 0:
                seconds[key].append(time.perf_counter() - start)
    base = median(next(iter(seconds.values())))
    for key, all_seconds in seconds.items():
        least, most, middle = min(all_seconds), max(all_seconds), median(all_seconds)
        print(f"{name:8} {key:22} {middle:6.2f} s ({least:.2f} to {most:.2f})  {middle / base:5.2f}  {rows} rows")


def command(*paths: str) -> Callable[[], object]:
    def work() -> None:
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([*COMMAND, "run", "--out", f"{out}/out", *paths], check=True)

    return work


def ray() -> None:
    import ray as engine
    from ray.data import ActorPoolStrategy

    import openchatml.ray

    engine.init(num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=2 << 30)
    engine.data.DataContext.get_current().enable_progress_bars = False
    # A path that is named twice is not read twice.
    part = engine.data.read_parquet(PATHS)
    rows = part.union(*[part] * (TIMES - 1)).repartition(8 * TIMES).materialize()

    class Same:
        def __call__(self, table):  # type: ignore[no-untyped-def]
            return table

    settings = {"batch_format": "pyarrow", "batch_size": 1024, "num_cpus": 0.5, "zero_copy_batch": True}
    pool = ActorPoolStrategy(size=2)
    count = rows.count()
    assert openchatml.ray.verdicts(rows, processes=2, num_cpus=0.5, command=COMMAND).count() == count
    compare("ray", count, {
        "rows as they are": lambda: rows.map_batches(Same, compute=pool, **settings).materialize(),
        "verdicts": lambda: openchatml.ray.verdicts(rows, processes=2, num_cpus=0.5, command=COMMAND).materialize(),
    })
    engine.shutdown()


def spark() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from openchatml.spark import verdicts

    session = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "3g")
        .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    rows = session.read.parquet(*PATHS * TIMES)

    def drop(frame):  # type: ignore[no-untyped-def]
        frame.write.format("noop").mode("overwrite").save()

    compare("spark", rows.count(), {
        "rows as they are": lambda: drop(rows.mapInArrow(lambda batches: batches, rows.schema)),
        "verdicts": lambda: drop(verdicts(rows, command=COMMAND)),
    })
    session.stop()


def package() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from openchatml import Filter

    judge = Filter(command=COMMAND)
    table = pa.concat_tables([pq.read_table(path) for path in PATHS] * TIMES)
    compare("package", table.num_rows, {
        "read Parquet": lambda: [pq.read_table(path) for path in PATHS * TIMES],
        "verdicts": lambda: judge(table),
        "run, of lines": command(*[path for path in LINES]),
        "run, of Parquet": command(*[path for path in PATHS]),
    })
    print(f"(the package judges {TIMES} times as many rows as `run`; {table.nbytes / 1e6:.0f} MB of Arrow)")
    judge.close()


WORK = {"package": package, "ray": ray, "spark": spark}
for chosen in ENGINES.split(","):
    WORK[chosen]()
