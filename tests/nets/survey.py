"""Many random targets: how many answers are right, open, or wrong. `python -m tests.nets.survey --help`.

Each target is a line of JSON in the file of `--out`; a second run skips the seeds that stand there, so a run
that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import multiprocessing
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.nets.answers import ask
from tests.nets.judge import judge
from tests.nets.noisy_targets import noisy_label
from tests.nets.pair_agreement import judge_pair
from tests.nets.rewriting import rewritten
from tests.nets.trees import is_noisy, label_text

NETS = ("noise", "rewriting")


def surveyed(net: str, seed: int, seconds: float) -> dict[str, Any]:
    """The verdict on one target, JSON-ready."""
    if net == "rewriting":
        pair = rewritten(seed)
        start = time.perf_counter()
        verdict, spent = judge_pair(pair, seconds)
        text, noisy, kind = pair.text, "xi" in pair.text, pair.kind
    else:
        tree = noisy_label(seed)
        text, noisy, kind = label_text(tree), is_noisy(tree), "noise" if is_noisy(tree) else "no noise"
        answers = ask(text, seconds)
        spent = answers.seconds
        start = time.perf_counter()
        verdict = judge(tree, answers)
    return {
        "net": net,
        "seed": seed,
        "text": text,
        "kind": kind,
        "noisy": noisy,
        "checked": verdict.checked,
        "wrong": verdict.wrong,
        "doubtful": verdict.doubtful,
        "open": sorted(set(verdict.open)),
        "refused": verdict.refused,
        "seconds": {name: round(s, 3) for name, s in spent.items()},
        "reference_seconds": round(time.perf_counter() - start, 3),
    }


def _failed(net: str, seed: int, seconds: float) -> dict[str, Any]:
    """As `surveyed`; an exception of the survey itself is a line of its own kind."""
    try:
        return surveyed(net, seed, seconds)
    except Exception as error:
        return {"net": net, "seed": seed, "failed": f"{type(error).__name__}: {error}"}


def run(net: str, seeds: list[int], seconds: float, processes: int) -> Iterator[dict[str, Any]]:
    """Verdicts as they come."""
    if processes == 1:
        yield from (_failed(net, seed, seconds) for seed in seeds)
        return
    # a worker is replaced after some hundred targets, for the caches of sympy grow
    with multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=200) as pool:
        yield from pool.imap_unordered(functools.partial(_in_pool, net, seconds), seeds)


def _in_pool(net: str, seconds: float, seed: int) -> dict[str, Any]:
    return _failed(net, seed, seconds)


def read(path: Path, net: str) -> dict[int, dict[str, Any]]:
    """The verdicts of a net in a file, by seed."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
    return {row["seed"]: row for row in lines if row["net"] == net}


def table(rows: list[dict[str, Any]], most: int = 60) -> str:
    """What was tried and found, as text."""
    failed = [r for r in rows if "failed" in r]
    rows = [r for r in rows if "failed" not in r]
    wrong = [r for r in rows if r["wrong"]]
    opened = [r for r in rows if r["open"] and not r["wrong"]]
    refused = [r for r in rows if r["refused"] and not r["wrong"] and not r["open"]]
    right = len(rows) - len(wrong) - len(opened) - len(refused)
    lines = [f"tried {len(rows)} targets, {sum(r['checked'] for r in rows)} statements checked"]
    lines += [
        f"  all answered, none contradicted  {right}",
        f"  something left open              {len(opened)}",
    ]
    lines += [
        f"  something refused                {len(refused)}",
        f"  something wrong                  {len(wrong)}",
    ]
    for title, counts in (
        ("open", collections.Counter(k for r in rows for k in r["open"])),
        ("wrong", collections.Counter(k for r in rows for k in {_kind(w[0]) for w in r["wrong"]})),
        ("doubtful", collections.Counter(k for r in rows for k in {_kind(w[0]) for w in r["doubtful"]})),
    ):
        lines += [f"{title}, targets by kind"] if counts else []
        lines += [f"  {name:32s} {count}" for name, count in counts.most_common()]
    if wrong:
        lines.append(f"wrong ({min(most, len(wrong))} of {len(wrong)})")
    for r in wrong[:most]:
        lines.append(f"  {r['seed']}: {r['text']}")
        lines += [f"      {kind}: said {said}; right {value}" for kind, said, value in r["wrong"][:3]]
    lines.append("slowest")
    for r in sorted(rows, key=lambda r: -max(r["seconds"].values(), default=0))[:8]:
        name, spent = max(r["seconds"].items(), key=lambda item: item[1], default=("", 0.0))
        lines.append(f"  {spent:6.1f} s  {name}  {r['text']}")
    lines += [f"  the survey itself failed on {r['seed']}: {r['failed']}" for r in failed]
    return "\n".join(lines)


def _kind(name: str) -> str:
    return "coefficient" if name.startswith("c_") else name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="targets")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each call of the library")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--net", choices=NETS, default="noise")
    parser.add_argument("--out", type=Path, default=Path("survey.jsonl"), help="JSON lines, appended to")
    options = parser.parse_args()
    wanted = range(options.seed, options.seed + options.count)
    known = read(options.out, options.net)
    missing = [seed for seed in wanted if seed not in known]
    start = time.perf_counter()
    with options.out.open("a") as out:
        verdicts = run(options.net, missing, options.seconds, options.processes)
        for i, row in enumerate(verdicts, 1):
            known[row["seed"]] = row
            out.write(json.dumps(row) + "\n")
            out.flush()
            if i % 20 == 0 or i == len(missing):
                wrong = sum(bool(r.get("wrong")) for r in known.values())
                print(f"{i}/{len(missing)}, {time.perf_counter() - start:.0f} s, wrong {wrong}", flush=True)
    print(table([known[seed] for seed in wanted if seed in known]))


if __name__ == "__main__":
    main()
