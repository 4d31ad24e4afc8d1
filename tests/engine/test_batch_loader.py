"""Concurrent look-ups share one statement; a failure or a cancellation affects nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from scrapersky.engine.batch_loader import BatchLoader


class Oracle:
    """Answers with the square of each number, when it is let; 13 makes it fail."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def __call__(self, numbers: list[int]) -> Mapping[int, int]:
        self.asked.append(numbers)
        await self.may_answer.wait()
        if 13 in numbers:
            raise ConnectionError("the database is away")
        return {number: number**2 for number in numbers if number >= 0}


async def test_questions_of_one_moment_share_one_statement() -> None:
    oracle = Oracle()
    loader = BatchLoader(oracle)

    answers = await asyncio.gather(*(loader.load(number) for number in [3, 4, 3, -1]))

    assert (answers, oracle.asked) == ([9, 16, 9, None], [[3, 4, -1]])


async def test_an_answer_is_never_older_than_its_question() -> None:
    oracle = Oracle()
    loader = BatchLoader(oracle)
    oracle.may_answer.clear()
    early = asyncio.create_task(loader.load(3))
    await asyncio.sleep(0.01)
    late = [asyncio.create_task(loader.load(number)) for number in (3, 5)]
    await asyncio.sleep(0.01)
    assert oracle.asked == [[3]]
    oracle.may_answer.set()

    assert [await early, *await asyncio.gather(*late)] == [9, 9, 25]
    assert oracle.asked == [[3], [3, 5]]
    assert await loader.load(6) == 36


async def test_an_error_reaches_everybody_who_asked_and_nobody_after_them() -> None:
    loader = BatchLoader(Oracle())

    outcomes = await asyncio.gather(*(loader.load(number) for number in (3, 13)), return_exceptions=True)

    assert [type(one) for one in outcomes] == [ConnectionError, ConnectionError]
    assert await loader.load(3) == 9


async def test_who_goes_away_takes_nobody_along() -> None:
    oracle = Oracle()
    loader = BatchLoader(oracle)
    oracle.may_answer.clear()
    gone, staying = (asyncio.create_task(loader.load(3)) for _ in range(2))
    await asyncio.sleep(0.01)
    gone.cancel()
    await asyncio.sleep(0.01)
    oracle.may_answer.set()

    assert await asyncio.wait_for(staying, 2) == 9
    assert gone.cancelled()


async def test_nobody_waits_for_ever_when_the_statement_is_ended() -> None:
    oracle = Oracle()
    loader = BatchLoader(oracle)
    oracle.may_answer.clear()
    first = asyncio.create_task(loader.load(3))
    await asyncio.sleep(0.01)
    second = asyncio.create_task(loader.load(4))
    await asyncio.sleep(0.01)
    assert loader._task is not None
    loader._task.cancel()

    for waiting in (first, second):
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(waiting, 2)
    oracle.may_answer.set()
    assert await loader.load(5) == 25
