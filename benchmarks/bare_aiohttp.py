"""The fastest that could be: a bare aiohttp loop that asks the same questions, and keeps nothing."""

from __future__ import annotations

import asyncio
import sys

import aiohttp


async def main(base_url: str, number: int, concurrency: int) -> None:
    numbers = iter(range(number))
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def work() -> None:
            for i in numbers:
                text = f"Which number is the largest? Answer with one letter.\nA: {i}\nB: {i * 57}\nC: {2 * i + 1}"
                messages = [{"role": "user", "content": text}]
                body = {"model": "m", "messages": messages, "temperature": 0, "max_tokens": 16}
                async with session.post(f"{base_url}/chat/completions", json=body) as response:
                    answer = await response.json()
                    assert answer["choices"][0]["message"]["content"]

        await asyncio.gather(*(work() for _ in range(concurrency)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
