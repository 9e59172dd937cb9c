"""The ledger: what was handed on is there, whatever happens; what is no ledger is left alone."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from msgspec.structs import replace

from counterfoil.asking.ask import Ask, Message, Reply, TokenChoice
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.ledger import file as ledger_file
from counterfoil.asking.ledger import lookup as lookup_module
from counterfoil.asking.ledger.admin import prune
from counterfoil.errors import UserError

REPLY = Reply(
    status="ok",
    text="정답은 B\x00입니다",
    reasoning="because",
    finish_reason="stop",
    served_model="m-1",
    input_tokens=7,
    cached_tokens=3,
    output_tokens=2,
    reasoning_tokens=1,
    logprobs=(TokenChoice("B", -0.1, {"B": -0.1, "A": -2.5}),),
    latency=0.125,
    attempts=2,
)


def ask(number: int) -> Ask:
    return Ask(provider="vllm", model="m", messages=(Message("user", f"question {number}"),))


def put_all(ledger: Ledger, asks: list[Ask], reply: Reply = REPLY) -> list[Reply]:
    async def put() -> list[Reply]:
        return await asyncio.gather(*(ledger.put(one, "vllm/m", reply) for one in asks))

    return asyncio.run(put())


def test_a_reply_comes_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.sqlite"
    with Ledger(path) as ledger:
        assert put_all(ledger, [ask(1)]) == [REPLY]
        assert ledger.get([ask(1).key, ask(2).key]) == {ask(1).key: REPLY}
    with Ledger(path) as ledger:
        assert ledger.get([ask(1).key]) == {ask(1).key: REPLY}


def test_a_reply_is_durable_before_it_is_handed_on(tmp_path: Path) -> None:
    # As soon as the future is done, another process must see the reply, though this one is still running.
    path = tmp_path / "ledger.sqlite"

    async def put() -> None:
        with Ledger(path) as ledger:
            await ledger.put(ask(1), "vllm/m", REPLY)
            code = (
                f"import sqlite3; rows = sqlite3.connect({str(path)!r}).execute('SELECT count(*) FROM replies')\n"
                "print(rows.fetchone()[0])"
            )
            seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            assert seen.stdout.strip() == "1"
            connection = sqlite3.connect(path)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            connection.close()

    asyncio.run(put())


def test_failures_are_kept_with_their_reason_and_asked_again(tmp_path: Path) -> None:
    failed = Reply(status="failed", error="no reply within 2 seconds", attempts=8)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        put_all(ledger, [ask(1)], failed)
        assert ledger.get([ask(1).key]) == {}
        put_all(ledger, [ask(1)])
        assert ledger.get([ask(1).key]) == {ask(1).key: REPLY}
    connection = sqlite3.connect(tmp_path / "ledger.sqlite")
    assert connection.execute("SELECT model, reason, attempts FROM failures").fetchall() == [
        ("vllm/m", "no reply within 2 seconds", 8)
    ]
    connection.close()


def test_the_first_reply_stays(tmp_path: Path) -> None:
    second = Reply(status="ok", text="C")
    with Ledger(tmp_path / "ledger.sqlite") as ledger, Ledger(tmp_path / "ledger.sqlite") as other:
        put_all(ledger, [ask(1)])
        assert put_all(other, [ask(1), ask(1)], second) == [REPLY, REPLY]
        assert ledger.get([ask(1).key]) == {ask(1).key: REPLY}
        assert put_all(other, [ask(2), ask(2)], second) == [second, second]
        # A failure of a second process does not hide the first one's reply either.
        assert put_all(other, [ask(1)], Reply(status="failed", error="x")) == [REPLY]


def test_replies_are_found_in_the_tail_and_in_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup_module, "LONGEST_TAIL", 50)
    asks = [ask(number) for number in range(330)]
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as reader, Ledger(path) as writer:
        assert reader.get([asks[0].key]) == {}
        for start in range(0, 330, 30):
            put_all(writer, asks[start : start + 30])
            # 1,000 keys are more than one query takes; all that were put, and nothing else, is there.
            wanted = [one.key for one in asks] + [ask(number).key for number in range(1_000, 1_670)]
            assert set(reader.get(wanted)) == {one.key for one in asks[: start + 30]}
    connection = sqlite3.connect(path)
    (taken_in,) = connection.execute("SELECT count(*) FROM lookup").fetchone()
    assert 250 <= taken_in <= 330  # bulk by bulk, each of at least 50, so at most 49 and a batch are left
    connection.close()
    with Ledger(path) as ledger:
        assert len(ledger.get([one.key for one in asks])) == 330


def test_two_processes_write_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    code = textwrap.dedent(f"""
        import asyncio, sys
        from pathlib import Path
        from counterfoil.asking.ask import Ask, Message, Reply
        from counterfoil.asking.ledger import Ledger

        async def main(who):
            with Ledger(Path({str(path)!r})) as ledger:
                for start in range(0, 600, 20):
                    await asyncio.gather(*(
                        ledger.put(
                            Ask(provider="p", model="m", messages=(Message("user", str(number)),)),
                            "p/m", Reply(status="ok", text=who),
                        )
                        for number in range(start, start + 20)
                    ))

        asyncio.run(main(sys.argv[1]))
    """)
    both = [subprocess.Popen([sys.executable, "-c", code, who]) for who in ("one", "other")]
    assert [process.wait(60) for process in both] == [0, 0]
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*), count(DISTINCT key) FROM replies").fetchone() == (600, 600)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_missing_ledger_stays_missing_where_none_is_to_be_made(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path, create=False) as ledger:
        assert ledger.get([ask(1).key]) == {}
    assert not path.exists()


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes, and they are long enough to be read as a header\n" * 10)
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"notes\.txt is not a ledger.*--ledger"):
        Ledger(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE customers (name TEXT)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="database of another program"):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_ledger_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        put_all(ledger, [ask(1)])
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO migrations VALUES ('0099-from-the-future', 0)")
    connection.commit()
    connection.close()
    with pytest.raises(UserError, match=r"newer version of counterfoil \(it has 0099-from-the-future\)"):
        Ledger(path)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM replies").fetchone() == (1,)
    connection.close()


def test_an_older_ledger_is_brought_up_to_date_without_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        put_all(ledger, [ask(1)])
    newer = ledger_file.MIGRATIONS | {"0099-labels": "CREATE TABLE labels (name TEXT)"}
    monkeypatch.setattr(ledger_file, "MIGRATIONS", newer)
    with Ledger(path) as ledger:
        assert ledger.get([ask(1).key]) == {ask(1).key: REPLY}
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM labels").fetchone() == (0,)
    assert [row[0] for row in connection.execute("SELECT name FROM migrations ORDER BY name")] == list(newer)
    connection.close()


def test_an_older_ledger_is_read_as_it_is_and_written_after_an_update(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        put_all(ledger, [ask(1)])
    connection = sqlite3.connect(path)  # as it was before thoughts were counted
    connection.execute("ALTER TABLE replies DROP COLUMN reasoning_tokens")
    connection.execute("ALTER TABLE replies DROP COLUMN check_sum")
    connection.execute("DELETE FROM migrations WHERE name >= '0004'")
    connection.commit()
    connection.close()
    older, before = replace(REPLY, reasoning_tokens=None), path.read_bytes()
    with Ledger(path, create=False) as ledger:
        assert ledger.get([ask(1).key]) == {ask(1).key: older}
    assert path.read_bytes() == before
    with Ledger(path) as ledger:
        put_all(ledger, [ask(2)])
        assert ledger.get([ask(1).key, ask(2).key]) == {ask(1).key: older, ask(2).key: REPLY}


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder"):
        Ledger(tmp_path)


def test_a_damaged_ledger_is_said_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        put_all(ledger, [ask(number) for number in range(200)])
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(UserError, match="is damaged"), Ledger(path) as ledger:
        ledger.get([ask(1).key])
    assert path.read_bytes()[:4096] == content[:4096]


def test_a_reply_that_can_not_be_kept_ends_the_wait_with_a_sentence(tmp_path: Path) -> None:
    # Half of a surrogate pair is no text to SQLite, and a number of 100 bits no integer: nobody may wait for ever.
    for reply in (Reply(status="ok", text="\ud83d"), Reply(status="ok", text="A", input_tokens=2**100)):
        with Ledger(tmp_path / "ledger.sqlite") as ledger:
            with pytest.raises(UserError, match="could not keep a reply"):
                put_all(ledger, [ask(1)], reply)
            with pytest.raises(UserError, match="could not keep a reply"):
                put_all(ledger, [ask(2)])


def test_reading_changes_nothing(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    with Ledger(empty, create=False) as ledger:
        assert ledger.get([ask(1).key]) == {}
    assert empty.stat().st_size == 0
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        put_all(ledger, [ask(1)])
    before = path.read_bytes()
    with Ledger(path, create=False) as ledger:
        assert ledger.get([ask(1).key]) == {ask(1).key: REPLY}
    assert path.read_bytes() == before


def test_replies_after_a_prune_are_found_by_a_process_that_was_there_before(tmp_path: Path) -> None:
    # The row ids of what was removed must not come again: the other process has seen them.
    path = tmp_path / "ledger.sqlite"
    old, new = ([ask(number) for number in numbers] for numbers in (range(50), range(50, 100)))
    with Ledger(path) as other, Ledger(path) as writer:
        put_all(writer, old)
        assert len(other.get([one.key for one in old])) == 50
        assert prune(path, model="vllm/m", before=None, dry=False) == (50, 0)
        put_all(writer, new)
        assert len(other.get([one.key for one in new])) == 50
        assert other.get([one.key for one in old]) == {}


def test_nothing_is_sent_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_file, "LEAST_ROOM", 10**18)  # no disk has so much
    with Ledger(tmp_path / "ledger.sqlite") as ledger, pytest.raises(UserError, match="the disk is full"):
        ledger.make_sure()
