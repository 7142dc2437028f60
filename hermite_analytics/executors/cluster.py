"""Work on a Dask cluster: `dask.distributed` gives an executor of `concurrent.futures`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from typing import ParamSpec, Protocol, TypeVar

import hermite_analytics as ha
from hermite_analytics.errors import HermiteAnalyticsError, InputError

__all__ = ["ClusterExecutor", "cluster_pool", "library_version"]

P = ParamSpec("P")
T = TypeVar("T")
_CONNECT_SECONDS = 10
# How often a batch may meet a dying worker before it is blamed for it.
_RETRIES = 5


class _Client(Protocol):
    """What is asked of `distributed.Client`."""

    def get_executor(self, *, pure: bool, retries: int) -> Executor:
        """An executor of `concurrent.futures`."""

    def ncores(self) -> dict[str, int]:
        """Threads of each worker."""

    def close(self, timeout: float) -> None:
        """Let go of the scheduler."""


class ClusterExecutor(Executor):
    """An executor that checks on the worker that it runs the coordinator's code.

    Parameters
    ----------
    client : distributed.Client
    code : callable
        Names the code, here and on a worker.
    """

    def __init__(self, client: _Client, code: Callable[[], str]) -> None:
        self._client = client
        self._inner = client.get_executor(pure=False, retries=_RETRIES)
        self._code, self._here = code, code()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run on any worker; a batch whose worker dies runs on another one."""
        return self._inner.submit(_checked, self._code, self._here, fn, *args, **kwargs)

    def slots(self) -> int:
        """Threads of all workers now, at least one."""
        return max(1, sum(self._client.ncores().values()))


def library_version() -> str:
    """Of this package."""
    return ha.__version__


def _checked(
    code: Callable[[], str], coordinator: str, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Refuse to compute with other code than results would be stored under."""
    if code() != coordinator:
        raise InputError(
            f"a worker runs version {code()} of this library, the coordinator {coordinator}; "
            "install the same version everywhere"
        )
    return fn(*args, **kwargs)


@contextlib.contextmanager
def cluster_pool(address: str, *, code: Callable[[], str] = library_version) -> Iterator[ClusterExecutor]:
    """Connect to a running scheduler.

    Parameters
    ----------
    address : str
        As ``dask scheduler`` prints it, for example ``tcp://10.0.0.1:8786``.
    code : callable, importable by name
        Names the code, which must be the same on a worker.

    Raises
    ------
    InputError
        If dask.distributed is not installed, the address is not one, or nobody answers there.
    HermiteAnalyticsError
        If the cluster is lost, or workers keep dying on the same batch.
    """
    client = _connect(address)
    try:
        yield ClusterExecutor(client, code)
    except (CancelledError, OSError) as error:
        if isinstance(error, HermiteAnalyticsError):
            raise
        raise _lost(address, error) from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise _lost(address, error) from error
        raise
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)


def _connect(address: str) -> _Client:
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "a scheduler needs dask.distributed; install hermite-analytics[distributed]"
        ) from None
    try:
        client: _Client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        return client
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InputError(
            f"the scheduler {address!r} does not answer ({reason}); "
            "an address such as 'tcp://10.0.0.1:8786' is needed"
        ) from error


def _lost(address: str, error: BaseException) -> HermiteAnalyticsError:
    reason = " ".join(str(error).split())[:120] or type(error).__name__
    return HermiteAnalyticsError(
        f"the cluster at {address} was lost ({reason}); what was done is kept: resume"
    )
