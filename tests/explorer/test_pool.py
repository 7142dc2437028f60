"""Workers past their budget are killed, whatever they do, and replaced."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal

import pytest

from hermite_analytics.explorer import pool as pools
from hermite_analytics.explorer.pool import Busy, Late, Lost, Pool
from tests.explorer.processes import all_end
from tests.explorer.stubborn import counting, forgotten, never_ready, stubborn


def run(work, *, workers=1, seconds=0.5, serve=stubborn):
    """work(pool, ask) with a pool that is closed at the end."""

    async def whole():
        async with Pool(workers=workers, seconds=seconds, serve=serve) as pool:

            async def ask(how=None, *, topic="", gone=None, **rest):
                event = gone or asyncio.Event()
                parameters = {"how": how, **rest}
                return json.loads((await pool.ask("target", parameters, topic=topic, abandoned=event)).body)

            return await work(pool, ask)

    before = set(multiprocessing.active_children())
    result = asyncio.run(whole())
    assert set(multiprocessing.active_children()) <= before
    return result


@pytest.mark.parametrize("how", ["hangs", "holds the interpreter"])
def test_a_worker_past_its_budget_is_killed(how):
    async def work(pool, ask):
        pid = (await ask())["pid"]
        with pytest.raises(Late) as late:
            await ask(how)
        assert json.loads(late.value.known) == {"so": "far"}
        other = await ask(number=3)  # waits for the new worker
        assert other["number"] == 3 and other["pid"] != pid
        assert all_end([pid])

    run(work)


def test_a_worker_that_dies_is_replaced():
    async def work(pool, ask):
        with pytest.raises(Lost):
            await ask("dies")
        return await ask(number=1)

    assert run(work, seconds=20)["number"] == 1


def test_a_worker_that_is_killed_from_outside_is_replaced():
    async def work(pool, ask):
        pid = (await ask())["pid"]
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(Lost):
            await ask()
        assert (await ask())["pid"] != pid

    run(work, seconds=20)


def test_a_worker_with_much_memory_retires():
    async def work(pool, ask):
        first = await ask("retires")
        second = await ask()
        assert first["pid"] != second["pid"]

    run(work, seconds=20)


def test_an_abandoned_question_ends_early():
    async def work(pool, ask):
        await ask()
        gone = asyncio.Event()
        gone.set()
        with pytest.raises(Late):
            await asyncio.wait_for(ask("hangs", gone=gone), 30)
        assert (await ask("sleeps a little", gone=gone))["how"] == "sleeps a little"  # within its grace

    run(work, seconds=600)


def test_a_topic_stays_with_its_worker():
    async def work(pool, ask):
        pids = set()
        for _ in range(3):  # until both workers are there
            found = await asyncio.gather(ask("sleeps a little", topic="a"), ask("sleeps a little", topic="b"))
            pids = {answer["pid"] for answer in found}
            if len(pids) == 2:
                break
        by_topic = {"a": found[0]["pid"], "b": found[1]["pid"]}
        for topic in "abbaab":
            assert (await ask(topic=topic))["pid"] == by_topic[topic]

    run(work, workers=2, seconds=20)


def test_too_many_questions_are_told_so():
    async def work(pool, ask):
        await ask()
        return await asyncio.gather(ask("hangs"), ask(), ask(), return_exceptions=True)

    first, *others = run(work, seconds=0.3)
    assert isinstance(first, Late)
    assert all(isinstance(other, Busy | dict) for other in others)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no alarms")
def test_a_forgotten_worker_is_ended_by_the_system():
    process = multiprocessing.get_context("spawn").Process(target=forgotten, args=(None, 0.2))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGALRM


def test_workers_that_cannot_start():
    async def work(pool, ask):
        for _ in range(2):  # each question after the first makes one more try
            with pytest.raises(Lost):
                await ask()

    run(work, serve=never_ready)


def test_workers_warm_up_again_in_the_pause_after_an_answer(monkeypatch):
    """Not only once, when they start: what was asked for meanwhile may be worth compiling."""
    monkeypatch.setattr(pools, "_REST", 0.05)

    async def work(pool, ask):
        seen = []
        for _ in range(3):
            await asyncio.sleep(1.0)
            seen.append((await ask(topic="curve"))["warmed"])
        return seen

    first, second, third = run(work, workers=2, seconds=20, serve=counting)
    assert 1 <= first < second < third
