"""Where large work runs: threads here, processes here, or the workers of a Dask cluster."""

from kinegen.cluster.tasks import LostWorkersError, each, in_order
from kinegen.cluster.workers import Executors, Workers, missing_extra, open_workers

__all__ = [
    "Executors",
    "LostWorkersError",
    "Workers",
    "each",
    "in_order",
    "missing_extra",
    "open_workers",
]
