"""Campaigns: the cells of a suite on any executor, until each claim is decided or its budget is spent.

Look k of a study uses the first n 2^k seeds of each size, whoever computed them and when: neither the
number of workers nor an interruption can change a decision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool

from hermite_analytics.errors import HermiteAnalyticsError, InputError
from hermite_analytics.validation.campaign.batches import BatchLoop, Progress
from hermite_analytics.validation.campaign.outcomes import StudyOutcome, conclude
from hermite_analytics.validation.campaign.seeds import seed_blocks
from hermite_analytics.validation.campaign.store import Store
from hermite_analytics.validation.campaign.study_run import StudyRun, Theory
from hermite_analytics.validation.statistics.decision import FAIL_LEVEL, MAX_LOOKS
from hermite_analytics.validation.suites.study import Study

__all__ = ["Campaign", "Progress"]


class Campaign:
    """A grid of (claim, size, seed).

    Parameters
    ----------
    studies : sequence of Study
        With distinct ids and distinct (experiment, size) pairs.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hermite_analytics.validation.campaign.folder import open_folder
    >>> from hermite_analytics.executors.processes import SerialExecutor
    >>> with TemporaryDirectory() as folder, open_folder(Path(folder), code="example") as store:
    ...     Campaign([]).run(store, SerialExecutor())
    ()
    """

    def __init__(self, studies: Sequence[Study]) -> None:
        ids = [study.id for study in studies]
        if len(set(ids)) < len(ids):
            raise InputError(f"the studies {ids} must have distinct ids")
        identities = [study.experiment.identity for study in studies]
        if len(set(identities)) < len(identities):
            raise InputError(f"two of the studies {ids} are the same experiment; make them one study")
        self.studies = tuple(studies)
        self._starts = seed_blocks(studies)
        self._theories: tuple[Theory, ...] | None = None

    def solve(self, executor: Executor | None = None) -> None:
        """Solve the theories, once, and check every claim against its own; nothing is simulated.

        Parameters
        ----------
        executor : Executor, optional
            Where the theories are solved, a study a task; by default in this process.

        Raises
        ------
        InputError
            If a claim names a number or a mutant that there is not, or has no prediction or margin.
        """
        if self._theories is None:
            each = map if executor is None else executor.map
            self._theories = tuple(each(Theory.of, self.studies))
            self._runs(self._theories)

    def run(
        self,
        store: Store,
        executor: Executor,
        *,
        in_flight: int | Callable[[], int] = 1,
        progress: Callable[[Progress], None] | None = None,
    ) -> tuple[StudyOutcome, ...]:
        """Run until every claim is decided or out of budget.

        Parameters
        ----------
        store : Store
            Cells that it holds are not computed again; new ones are written batch by batch.
        executor : Executor
            Any of `concurrent.futures`; tasks and results pickle.
        in_flight : int >= 1, or a function that returns one
            Batches handed out at a time; twice the number of workers keeps them busy. A function is asked
            again each time, so that a cluster may grow and shrink.
        progress : callable, optional
            Called with a `Progress` in this thread.

        Returns
        -------
        tuple of StudyOutcome

        Raises
        ------
        KeyboardInterrupt
            After the batches in flight were kept.
        HermiteAnalyticsError
            If a worker process died. (An error of a simulation stops its study only.)
        """
        runs = self._started()
        loop = BatchLoop(
            store=store,
            executor=executor,
            in_flight=in_flight if callable(in_flight) else lambda: in_flight,
            progress=progress,
            runs=runs,
            fail_level=self._fail_level(),
        )
        try:
            loop.run()
        except KeyboardInterrupt:
            loop.keep_what_is_done()
            raise
        except BrokenProcessPool as error:
            raise HermiteAnalyticsError(
                "a worker process ended unexpectedly (out of memory, killed, or started from a script "
                "without `if __name__ == '__main__':`); what was done is kept: resume, or use one worker"
            ) from error
        return conclude(runs)

    def replay(self, store: Store) -> tuple[StudyOutcome, ...]:
        """What the cells of a store decide so far; nothing is computed or written.

        A claim whose first look is not complete is inconclusive, without numbers.
        """
        runs = self._started()
        for run in runs:
            run.replay(store, fail_level=self._fail_level())
        return conclude(runs)

    def _started(self) -> list[StudyRun]:
        self.solve()
        assert self._theories is not None
        return self._runs(self._theories)

    def _runs(self, theories: Sequence[Theory]) -> list[StudyRun]:
        return [
            StudyRun.start(study, theory, {size: self._starts[study.id, size] for size in study.sizes})
            for study, theory in zip(self.studies, theories, strict=True)
        ]

    def _fail_level(self) -> float:
        """Bonferroni over looks and claims; Holm may reject more in the end."""
        return FAIL_LEVEL / (MAX_LOOKS * max(1, sum(len(study.claims) for study in self.studies)))
