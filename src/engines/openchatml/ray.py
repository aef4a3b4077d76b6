"""Ray Data: an actor for each process of the command.

    import ray, openchatml.ray

    rows = ray.data.read_parquet("chats/")
    openchatml.ray.verdicts(rows, processes=2).write_parquet("judged/")
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import ray.data
from ray.data import ActorPoolStrategy, Dataset

from .filter import Filter


class _Actor:
    """One per actor: Ray makes it where it runs."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._filter = Filter(**settings)

    def __call__(self, table: pa.Table) -> pa.Table:
        return self._filter(table)


def verdicts(
    dataset: Dataset,
    *,
    processes: int = 1,
    num_cpus: float = 1,
    batch_size: int | None = 1024,
    **settings: Any,
) -> Dataset:
    """The rows with their verdicts, or those that are kept; `settings` are those of `Filter`.

    Args:
        processes: Actors, each with a process of the command.
        num_cpus: Cores that an actor takes of those that Ray knows of. Where actors take all of them, none is left for
            reading, and the job hangs: on two cores give 0.5.
        batch_size: Rows that an actor takes at once; None: blocks as they are.
    """
    return dataset.map_batches(
        _Actor,
        fn_constructor_args=(settings,),
        batch_format="pyarrow",
        batch_size=batch_size,
        zero_copy_batch=True,
        compute=ActorPoolStrategy(size=processes),
        num_cpus=num_cpus,
    )
