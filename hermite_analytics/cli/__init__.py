"""The command line: thin rooms over the library, no mathematics here.

Exit status: 0 done; 1 a check failed or a solver did not converge; 2 bad input; 130 interrupted.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import threading

import click

from hermite_analytics import __version__
from hermite_analytics.cli.lazy import ModuleGroup
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.foundation.excused import interrupted

__all__ = ["cli", "main"]

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_OBJECTS = 400_000  # made between two collections of garbage: packages that load leave none
_COMMANDS = {
    "analyze": ("analyze", "Everything about a target: exponents, staircases, thresholds, with evidence."),
    "staircase": ("staircase", "What is learned in which order, what unlocks each step, why it ends."),
    "hermite": ("hermite", "Hermite coefficients of a target, each exact or proved."),
    "expect": ("expect", "Gaussian expectation of an expression, parameters left free."),
    "mu": ("mu", "Conditional coefficients mu0, mu1, mu2^2 of an activation."),
    "second-layer": ("second_layer", "What the second layer fits, and the error that is left."),
    "complexities": ("complexities", "Samples that each class of algorithms needs."),
    "design": ("design", "Find small targets with the exponents, staircases or threshold asked for."),
    "solve": ("solve", "Solve a model at d -> infinity: learning curves, bounds, spectra, flows."),
    "export": ("export", "Print one file of Python that solves a model and needs numpy only."),
    "simulate": ("simulate", "Simulate a protocol at finite size, over independent seeds."),
    "validate": ("validate", "Check theory against simulation and write a report."),
    "explore": ("explore", "Serve the explorer: a local page for targets, activations and curves."),
    "doctor": ("doctor", "Report versions, threads, devices, and the cache."),
    "cache": ("cache", "Show or clear the compiled kernels that are kept on disk."),
}


@click.group(
    cls=ModuleGroup,
    module="hermite_analytics.cli",
    commands=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="hermite-analytics")
def cli() -> None:
    """Exponents and sharp asymptotics of feature learning on Gaussian data."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; errors of input become one line and exit status 2."""
    here = threading.current_thread() is threading.main_thread()
    if here and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupted)
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)  # a process that ends need not look for it either
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    # before numpy loads: threads of its matrix products then sleep where they would wait, a core each, for
    # the next product, beside our own threads
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "10")
    try:
        result = cli.main(args=arguments, prog_name="hermite-analytics", standalone_mode=False)
        sys.stdout.flush()
    except HermiteAnalyticsError as error:
        return _complain(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        return _complain(_one_line(error))
    except (click.Abort, KeyboardInterrupt):
        echoed = "\n" if sys.stderr.isatty() else ""  # a terminal has just written ^C
        click.echo(f"{echoed}hermite-analytics: interrupted", err=True)
        return 130
    except BrokenPipeError:
        _write_no_more()  # the reader went away (a pipe into head): nothing is left to say
        return 0
    except OSError as error:
        if error.errno not in _NO_ROOM or error.filename is not None:
            raise
        _write_no_more()
        return _complain(f"the output cannot be written: {error.strerror or error}")
    return result if isinstance(result, int) else 0


def _write_no_more() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> int:
    click.echo(f"hermite-analytics: {message}", err=True)
    return 2


def _one_line(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split())
    context: click.Context | None = getattr(error, "ctx", None)
    parameters = [] if context is None else context.command.params
    is_short = isinstance(error, click.NoSuchOption) and not error.option_name.startswith("--")
    if is_short and any(isinstance(p, click.Argument) for p in parameters):
        message += " An expression that starts with - goes behind --, as in analyze -- -z1"
    where = "" if context is None else f" (see {context.command_path} --help)"
    return message.rstrip(".") + where
