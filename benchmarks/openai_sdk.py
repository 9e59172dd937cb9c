"""What a user would write instead: the same questions through the openai package, keeping nothing."""

from __future__ import annotations

import asyncio
import sys

from openai import AsyncOpenAI


async def main(base_url: str, number: int, concurrency: int) -> None:
    numbers = iter(range(number))
    async with AsyncOpenAI(base_url=base_url, api_key="none") as client:

        async def work() -> None:
            for i in numbers:
                text = f"Which number is the largest? Answer with one letter.\nA: {i}\nB: {i * 57}\nC: {2 * i + 1}"
                messages = [{"role": "user", "content": text}]
                answer = await client.chat.completions.create(
                    model="m",
                    messages=messages,  # type: ignore[arg-type]
                    temperature=0,
                    max_tokens=16,
                )
                assert answer.choices[0].message.content

        await asyncio.gather(*(work() for _ in range(concurrency)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
