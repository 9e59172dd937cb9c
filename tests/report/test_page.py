"""The page: everything is in it, nothing comes from elsewhere, and no text from a model is anything but text."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import SUITE, counterfoil
from counterfoil.errors import UserError
from counterfoil.report.html import Html, highlighted, shown, table, tag
from counterfoil.report.page.page import POLICY, page, write_report
from counterfoil.report.page.records import MOST, WHOLE, sample
from counterfoil.report.plots.marks import DARK, LIGHT
from run_folders import estimate, make_run, record

pytestmark = pytest.mark.heavy

HOSTILE = """'"><script>window.__pwned=1</script></style></title><img src=x onerror=alert(1)>&amp;<!-- ]]>"""
# All that the page is made of; an svg is drawn by a module of our own.
OURS = {
    *("html", "head", "meta", "title", "link", "style", "body", "header", "main", "nav", "section", "article"),
    *(
        "h1",
        "h2",
        "h3",
        "p",
        "a",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "div",
        "span",
        "b",
        "small",
        "sup",
        "code",
        "pre",
    ),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "details", "summary", "mark"),
    *("svg", "desc", "g", "text", "line", "path", "circle", "rect", "polyline"),
}
VOID = {"meta", "link", "br"}


class Reader(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((name, dict(attrs)))
        if name not in VOID:
            self._open.append(name)

    def handle_startendtag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((name, dict(attrs)))

    def handle_endtag(self, name: str) -> None:
        if not self._open or self._open.pop() != name:
            self.unbalanced.append(name)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def attributes(self, name: str) -> list[str]:
        return [str(attrs[name]) for _, attrs in self.tags if name in attrs]


def read(page: str) -> Reader:
    reader = Reader(page)
    assert reader.unbalanced == []
    return reader


@given(st.text(), st.text())
def test_whatever_is_no_markup_is_escaped(text: str, value: str) -> None:
    reader = read(tag("p", text, tag("b", text), title=value))
    assert [name for name, _ in reader.tags] == ["p", "b"]
    assert Html(reader.text) == Html(Reader(shown(text) * 2).text)
    assert set(reader.tags[0][1]) == {"title"}


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(-5, 40), st.integers(-5, 40), st.just("choice"))))
def test_marks_never_change_the_text(text: str, spans: list[tuple[int, int, str]]) -> None:
    marked = read(highlighted(text, spans))
    assert marked.text == Reader(shown(text)).text
    assert {name for name, _ in marked.tags} <= {"mark"}


def test_marks_stand_where_they_belong() -> None:
    # "is" lies over "B is", which comes first; 9 is behind the end.
    spans = [(7, 9, "choice"), (2, 4, "mention"), (0, 4, "choice"), (5, 6, "choice")]
    assert highlighted("B is <x>", spans) == ('<mark class="choice">B is</mark> <mark class="choice">&lt;</mark>x&gt;')


def test_what_no_page_may_hold_shows_as_a_sign() -> None:
    assert shown("a\x00b\ud800c\r\nd") == "a\ufffdb\ufffdc\nd"


def test_hostile_text_is_text_wherever_it_stands(tmp_path: Path) -> None:
    evil: dict[str, Any] = {"model": HOSTILE, "variant": HOSTILE}
    run = make_run(
        tmp_path / "run",
        [record(**evil, question_id=HOSTILE, reply=HOSTILE, reason=HOSTILE, outcome="failed", choice=HOSTILE)],
        [
            estimate(HOSTILE, 0.5, 0.4, 0.6, **evil, note=HOSTILE, method=HOSTILE),
            estimate("accuracy", None, **evil, group={HOSTILE: HOSTILE}, note=HOSTILE),
        ],
        suite=HOSTILE,
        schema={"choice": pl.String},
        summary={
            "unanswered": [
                {**evil, "question_id": HOSTILE, "repeat": 0, "outcome": "failed", "reason": HOSTILE},
            ],
        },
        data={"name": HOSTILE, "given": HOSTILE, "sha256": "", "questions": 1, "asked": 1},
        models=[_model(HOSTILE)],
        stopped=HOSTILE,
        versions={HOSTILE: HOSTILE},
    )
    reader = read(page([run, run]))
    assert {name for name, _ in reader.tags} <= OURS
    assert not [
        attrs for _, attrs in reader.tags for name in attrs if name.startswith("on") or name in ("src", "style")
    ]
    # Models, prompt and question of the card; the reply; the estimates: each run shows it well over ten times.
    assert reader.text.count(HOSTILE) > 20


def _model(name: str) -> dict[str, Any]:
    counts = dict.fromkeys(("asked", "in_ledger", "failed", "retries", "input_tokens", "output_tokens"), 1_234)
    settings: dict[str, Any] = {"params": {"temperature": 0.0}, "adjustments": [], "stopped": None, "cost": 0.0123}
    return {"name": name, **counts, **settings}


def full_run(folder: Path) -> Any:
    records = [
        record(model=model, variant=variant, question_id=f"q{i}", outcome=outcome, correct=outcome == "answered")
        for model in ("m", "n")
        for variant in ("p", "r")
        for i, outcome in enumerate(["answered", "answered", "out_of_choice"])
    ]
    pairs = [{"model": m, "variant": v} for m in ("m", "n") for v in ("p", "r")]
    estimates = [estimate("accuracy", 0.5, 0.25, 0.75, **pair, n=1_234) for pair in pairs]
    estimates += [
        estimate("accuracy", 0.5, None, None, **it, group={"topic": "t"}, note="only 2 clusters") for it in pairs
    ]
    estimates.append(
        estimate("human_pair_alpha", 0.125, 0.1, 0.2, model="all", variant="all", group={"between": "a and b"})
    )
    return make_run(
        folder,
        records,
        estimates,
        schema={"correct": pl.Boolean},
        models=[_model("m")],
        cost={"models": 0.0123, "judges": 0},
    )


def test_nothing_comes_from_elsewhere(tmp_path: Path) -> None:
    text = page([full_run(tmp_path / "run")])
    reader = read(text)
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in text
    assert POLICY.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert all(href.startswith("#") or href == "data:," for href in reader.attributes("href"))
    assert not re.findall(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", text)


def test_the_page_can_be_gone_through_by_headings_links_and_keys(tmp_path: Path) -> None:
    reader = read(page([full_run(tmp_path / "a"), full_run(tmp_path / "b")]))
    levels = [int(name[1]) for name, _ in reader.tags if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))
    ids = reader.attributes("id")
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in reader.attributes("href") if href.startswith("#")} <= set(ids)
    assert next(attrs for name, attrs in reader.tags if name == "html")["lang"] == "en"
    boxes = [attrs for _, attrs in reader.tags if str(attrs.get("class", "")).startswith("scroll")]
    assert boxes
    assert all(box["tabindex"] == "0" and box["aria-label"] for box in boxes)


def test_every_estimate_is_there_with_interval_n_clusters_and_note(tmp_path: Path) -> None:
    text = read(page([full_run(tmp_path / "run")])).text
    assert "0.500[0.250, 0.750]n 1,234 · 20 clusters" in text
    assert "0.5001no intervaln 40 · 20 clusters" in text  # 1 is the number of the note
    assert "only 2 clusters" in text
    assert "a and b0.125[0.100, 0.200]" in text
    assert "1 is full agreement" in text


@pytest.mark.parametrize("metric", ["label_kappa", "human_label_kappa"])
def test_agreement_that_a_suite_declares_is_explained(metric: str, tmp_path: Path) -> None:
    schema = {"judges": pl.List(pl.String), "judge_confusion": pl.List(pl.Float64), "mentioned": pl.List(pl.String)}
    agreement = estimate(metric, 0.125, 0.1, 0.2, model="all", variant="all", group={"between": "a and b"})
    run = make_run(tmp_path / "run", [record()], [agreement], suite="explain", schema=schema)
    text = read(page([run])).text
    assert "1 is full agreement" in text
    assert "Agreement, by between" in text


def test_without_judges_there_is_no_section_on_agreement(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [record()], [estimate("accuracy", 1.0, 0.8, 1.0)])
    assert "Agreement" not in read(page([run])).text


def test_what_is_not_defined_is_said_so(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [record()], [estimate("accuracy", None, note="no answers left", n=0, clusters=0)])
    text = read(page([run])).text
    assert "m, p: accuracy not defined (no answers left)." in text
    assert "not defined1n 0 · 0 clusters" in text


def test_costs_tokens_and_outcomes_are_told(tmp_path: Path) -> None:
    text = read(page([full_run(tmp_path / "run")])).text
    assert "$0.0123" in text
    assert "1,234" in text
    # Of the three records of each model and prompt two were answered: 2 ÷ 3 is 66.7 %.
    assert "mp32 (66.7%)1 (33.3%)" in text


def test_what_was_left_out_and_not_judged_stands_beside_the_result(tmp_path: Path) -> None:
    unanswered = [
        {"model": "m", "variant": "p", "question_id": "q7", "repeat": 0, "outcome": "not_asked", "reason": "no money"}
    ]
    records = [record(outcome="not_asked", reply=None), record(outcome="failed", reply=None)]
    run = make_run(tmp_path / "run", records, summary={"unanswered": unanswered, "unjudged": 3})
    text = read(page([run])).text
    assert "2 records failed or were not asked, and are left out, among them m, p, q7: not asked, no money." in text
    assert "3 replies could not be judged" in text
    assert "no reply" in text


def big_run(folder: Path, seed: int = 0) -> Any:
    outcomes = ["failed"] * 50 + ["out_of_choice"] * 90 + ["refused"] * 5 + ["answered"] * 1_000
    records = [
        record(
            model=f"m{i % 3}",
            variant=f"v{i % 2}",
            question_id=f"q{i}",
            outcome=outcome,
            reply=f"reply {i}",
            correct=None if outcome == "failed" else outcome == "answered" and i % 7 > 0,
        )
        for i, outcome in enumerate(reversed(outcomes))
    ]
    return make_run(folder, records, schema={"correct": pl.Boolean}, seed=seed)


def test_failures_and_what_could_not_be_read_come_first_then_a_sample_of_everything(tmp_path: Path) -> None:
    counts, records = sample(big_run(tmp_path / "run"))
    assert counts == {"failed": 50, "out_of_choice": 90, "refused": 5, "answered": 1_000}
    shown_outcomes = [it["outcome"] for it in records]
    assert list(dict.fromkeys(shown_outcomes)) == ["failed", "out_of_choice", "refused", "answered"]
    # As many as each may have, the few refused all of them, and what is left of 200 for the answers.
    expected = {"failed": MOST["failed"], "out_of_choice": MOST["out_of_choice"], "refused": 5}
    assert Counter(shown_outcomes) == {**expected, "answered": WHOLE - sum(expected.values())}
    answers = Counter((it["model"], it["variant"], it["correct"]) for it in records if it["outcome"] == "answered")
    # 95 answers in turns from 3 models × 2 prompts × right or wrong.
    assert len(answers) == 12
    assert max(answers.values()) - min(answers.values()) <= 1
    assert len({it["question_id"] for it in records}) == WHOLE


def test_the_sample_is_the_seeds(tmp_path: Path) -> None:
    first, again, other = (sample(big_run(tmp_path / name, seed))[1] for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert first == again
    assert first != other


def test_a_long_reply_is_cut_and_says_so(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [record(reply="x" * 4_003)])
    text = read(page([run])).text
    assert "x" * 4_000 in text
    assert "x" * 4_001 not in text
    assert "… 3 more characters" in text


def test_a_reply_keeps_its_lines_and_its_direction(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [record(reply="\n one\n\n two")])
    text = page([run])
    assert '<div class="reply" dir="auto">\n one\n\n two</div>' in text


@pytest.mark.parametrize("content", [None, b"nonsense"])
def test_records_that_can_not_be_read_are_one_sentence(content: bytes | None, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [record()])
    path = run.folder / "records.parquet"
    path.unlink()
    if content:
        path.write_bytes(content)
    with pytest.raises(UserError, match=r"records\.parquet can't be read: [^\n]+\.$"):
        page([run])


def test_a_report_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="at least one run"):
        write_report([], tmp_path / "report.html")


def test_a_table_names_its_rows_and_columns() -> None:
    reader = read(table("t", ["a", "b"], [["x", "1"]]))
    assert [attrs["scope"] for name, attrs in reader.tags if name == "th"] == ["col", "col", "row"]
    assert reader.text == "tabx1"


def _variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", block))


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("scheme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_all_text_has_contrast_in_light_and_dark(scheme: str, colours: dict[str, str]) -> None:
    """4.5 to 1, as WCAG 2 asks of text."""
    css = (resources.files("counterfoil.report") / "page.css").read_text(encoding="utf-8")
    light, dark = css.split("@media screen and (prefers-color-scheme: dark)")
    own = _variables(light if scheme == "light" else dark.split("* {")[0]) | colours
    pairs = [(text, ground) for text in ("ink", "muted", "link", "bad", "good") for ground in ("paper", "soft")]
    pairs += [("ink", ground) for ground in ("mention", "choice", "answer", "warn")]
    assert {
        pair: _contrast(own[pair[0]], own[pair[1]]) for pair in pairs if _contrast(own[pair[0]], own[pair[1]]) < 4.5
    } == {}


def test_the_command_writes_the_page_beside_the_run_or_where_it_is_told(tmp_path: Path) -> None:
    planted = "planted/three_choice:suite?right=0.8&unreadable=0.1"
    assert counterfoil("run", SUITE, "--model", planted, "--out", "r", cwd=tmp_path).returncode == 0
    done = counterfoil("report", "r", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"The report is {Path('r') / 'report.html'}.\n"
    text = read((tmp_path / "r" / "report.html").read_text(encoding="utf-8")).text
    # A suite without plots of its own has its first estimates as the headline.
    assert f"{planted}, plain: accuracy 0." in text
    done = counterfoil("report", "r", "r", "--out", "page.html", "--plots", "plots", "--json", cwd=tmp_path)
    assert json.loads(done.stdout) == {"report": "page.html", "plots": []}
    # The same run twice is one run.
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "r" / "report.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "The following arguments are required: RUN"),
        (("nix",), "nix is not a run folder"),
        (("r", "--out", "r/summary.json/page.html"), "can't be written: "),
    ],
)
def test_wrong_use_is_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    make_run(tmp_path / "r", [record()])
    done = counterfoil("report", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_every_plot_is_written_as_svg_and_png(tmp_path: Path) -> None:
    estimates = [estimate("out_of_choice", 0.5, 0.4, 0.6), estimate("accuracy_ambiguous", 0.5, 0.4, 0.6)]
    make_run(tmp_path / "r", [record(order=0)], estimates, suite="bias", schema={"order": pl.Int64})
    done = counterfoil("report", "r", "--plots", "p/q", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)["plots"]
    assert written == [str(Path("p/q") / f"1-replies-without-a-choice.{kind}") for kind in ("svg", "png")]
    assert "var(--" not in (tmp_path / written[0]).read_text(encoding="utf-8")
    assert (tmp_path / written[1]).read_bytes().startswith(b"\x89PNG")
