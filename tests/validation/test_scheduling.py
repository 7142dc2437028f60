"""The simulation of a large cluster: what is known on paper, at both ends."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from hermite_analytics.validation.benchmarks import cluster
from hermite_analytics.validation.benchmarks.cluster import Costs, busy_share, main, most_workers


@pytest.mark.parametrize("size", [64, 1024])
def test_many_workers_wait_for_the_coordinator(size):
    """All its time is taken by pieces: busy workers are as many as on paper."""
    costs = Costs(task=5e-3, entry=1e-6)
    most = most_workers(size, 1e-3, costs)
    workers = round(20 * most)
    assert busy_share(workers, size, 1e-3, costs) * workers == pytest.approx(most, rel=0.05)


def test_few_workers_are_busy():
    """But for the first and the last pieces, of which each has twenty."""
    assert busy_share(8, 100, 1e-2, Costs(task=1e-4, entry=0.0)) > 0.95


def test_the_table(monkeypatch):
    """Of small clusters: simulated workers take the time of this process."""
    monkeypatch.setattr(cluster, "_WORKERS", (2, 16))
    done = CliRunner().invoke(main, [])
    assert done.exit_code == 0 and done.output.count("a state evolution") == 1
