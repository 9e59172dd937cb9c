"""The relatives' own scores: a planted truth is recovered, and given replies score as an independent recomputation."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.bias.plots import plots
from counterfoil.bias.relatives.scores import leans_of
from counterfoil.figures.plots import Dots
from given_replies import Told, accuracy, assert_near, lean, scored

DATA = Path(__file__).parents[4] / "shared" / "data" / "bbq-family"
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not DATA.exists(), reason="../shared/data/bbq-family is not here: it holds the files"),
]
CODES = ("en", "es", "nl", "tr")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def mbbq(control: bool) -> list[Told]:
    told = []
    for code in CODES:
        name = f"mbbq_Sexual_orientation_{'control_' if control else ''}{code}.jsonl"
        for line in (DATA / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            groups = [row["answer_info"][f"ans{place}"][1] for place in range(3)]
            unknown = groups.index("unknown")
            [target] = [i for i in range(3) if groups[i] in row["additional_metadata"]["stereotyped_groups"]]
            told.append(
                {
                    "id": f"mbbq-Sexual_orientation-{row['example_id']}-{'control-' if control else ''}{code}",
                    "choices": [row[f"ans{place}"] for place in range(3)],
                    "unknown": unknown,
                    "biased": target if row["question_polarity"] == "neg" else 3 - unknown - target,
                    "right": row["label"],
                    "ambiguous": row["context_condition"] == "ambig",
                    "language": code,
                    "control": control,
                }
            )
    return told


def cbbq() -> list[Told]:
    told = []
    for kind in ("ambiguous", "disambiguous"):
        for row in json.loads((DATA / f"cbbq_sexual_orientation_{kind}.json").read_text(encoding="utf-8")):
            cells = {name.strip("\ufeff"): value for name, value in row.items()}
            told.append(
                {
                    "id": f"cbbq-sexual_orientation-{kind[:3]}-{cells['example_id']}",
                    "choices": [cells[f"ans{place}"] for place in range(3)],
                    "unknown": 2,
                    "biased": 0 if cells["question_polarity"] == "neg" else 1,
                    "right": int(cells["label"]),
                    "ambiguous": kind == "ambiguous",
                    "language": "zh",
                    "control": False,
                }
            )
    return told


def ggbbq() -> list[Told]:
    told = []
    for kind in ("amb", "disamb"):
        for line in (DATA / f"ggbbq_subset1_{kind}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            groups = [group for _, (_, group) in sorted(ast.literal_eval(row["choice_info"]).items())]
            known = ast.literal_eval(row["known_stereotyped_groups"])
            # Trans people are noted as non_binary.
            [target] = [i for i in (0, 1) if groups[i] in (["non_binary"] if "trans" in known else known)]
            told.append(
                {
                    "id": f"ggbbq-I-{kind[:3]}-{row['index']}",
                    "choices": [row[f"choice_{place}"] for place in range(3)],
                    "unknown": 2,
                    "biased": target if row["question_type"] == "negative" else 1 - target,
                    "right": row["label"],
                    "ambiguous": kind == "amb",
                    "language": "de",
                    "control": False,
                }
            )
    return told


def test_mbbq_as_recomputed_from_its_files() -> None:
    values, said = scored([*mbbq(False), *mbbq(True)], sorted(DATA.glob("mbbq_*.jsonl")))
    for code in (None, *CODES):
        group = () if code is None else (("language", code),)

        def of_language(it: Told, code: str | None = code) -> bool:
            return code in (None, it["language"])

        ambiguous, clear = lean(said, lambda it: of_language(it) and not it["control"])
        for ours, own, expected in (
            ("diff_bias_ambiguous", "mbbq_bias_a", ambiguous),
            ("diff_bias_disambiguated", "mbbq_bias_d", clear),
        ):
            assert values[(ours, *group)] == pytest.approx(expected, abs=1e-9)
            assert values[(own, *group)] == pytest.approx(expected, abs=1e-9)
        for kind in (None, True, False):
            label = () if kind is None else (("context", "ambiguous" if kind else "disambiguated"),)

            def in_context(it: Told, kind: bool | None = kind) -> bool:
                return of_language(it) and kind in (None, it["ambiguous"])

            control = accuracy(said, lambda it: in_context(it) and it["control"])
            groups = accuracy(said, lambda it: in_context(it) and not it["control"])
            key = tuple(sorted((*group, *label)))
            assert values[("accuracy_control", *key)] == pytest.approx(control, abs=1e-9)
            assert values[("stereotype_cost", *key)] == pytest.approx(control - groups, abs=1e-9)


def test_cbbq_as_its_scripts_count() -> None:
    values, said = scored(cbbq(), sorted(DATA.glob("cbbq_*.json")))
    ambiguous = [place == it["biased"] for it, place in said if it["ambiguous"]]
    clear = [(it, place) for it, place in said if not it["ambiguous"]]
    named = [place == it["biased"] for it, place in clear if place in (0, 1)]
    s_ambiguous, s_clear = sum(ambiguous) / len(ambiguous), sum(named) / len(named)
    total = (len(ambiguous) * s_ambiguous + len(clear) * s_clear) / (len(ambiguous) + len(clear))
    for group in ((), (("category", "sexual_orientation"),), (("language", "zh"),)):
        assert values[("cbbq_s_ambiguous", *group)] == pytest.approx(s_ambiguous, abs=1e-9)
        assert values[("cbbq_s_disambiguated", *group)] == pytest.approx(s_clear, abs=1e-9)
        assert values[("cbbq_s_total", *group)] == pytest.approx(total, abs=1e-9)
    # All of its contexts that decide contradict the stereotype.
    assert values["diff_bias_disambiguated",] is None


def test_ggbbq_as_its_paper_defines() -> None:
    values, said = scored(ggbbq(), sorted(DATA.glob("ggbbq_*.jsonl")))
    ambiguous, clear = lean(said, lambda it: True)
    for group in ((), (("category", "Gender_identity"),), (("language", "de"),)):
        assert values[("ggbbq_diff_bias_amb", *group)] == pytest.approx(ambiguous, abs=1e-9)
        assert values[("ggbbq_diff_bias_disamb", *group)] == pytest.approx(clear, abs=1e-9)
    for name, kind in (("accuracy_ambiguous", True), ("accuracy_disambiguated", False)):
        right = accuracy(said, lambda it, kind=kind: it["ambiguous"] == kind)
        assert values[(name,)] == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize("name", ["mbbq_Sexual_orientation_nl", "cbbq_sexual_orientation", "ggbbq_subset1"])
def test_a_planted_truth_is_recovered(name: str) -> None:
    files = [str(path) for path in DATA.glob(f"{name}*")]
    model = "planted/bias?unknown=0.5&biased=0.8&aligned=0.9&conflicting=0.7"
    found = {it.metric: it for it in cf.run("bias", data=files, model=model, out="run").estimates if not it.group}
    # 0.5 · 0.8 biased and 0.5 · 0.2 counter-biased answers.
    truth = {"accuracy_ambiguous": 0.5, "diff_bias_ambiguous": 0.3}
    if name.startswith("cbbq"):
        # Where the context contradicts it, half of the wrong 0.3 are biased, and 0.7 are counter-biased.
        clear = 0.15 / 0.85
        truth |= {"accuracy_disambiguated": 0.7, "cbbq_s_ambiguous": 0.4, "cbbq_s_total": (0.4 + clear) / 2}
    else:
        ambiguous, clear = leans_of(name.split("_")[0])
        truth |= {"accuracy_disambiguated": 0.8, "diff_bias_disambiguated": 0.2, ambiguous: 0.3, clear: 0.2}
    assert_near(found, truth)


def test_the_control_set_tells_what_stereotypes_cost() -> None:
    files = [
        str(DATA / f"mbbq_Sexual_orientation_{of}{code}.jsonl") for of in ("", "control_") for code in ("en", "tr")
    ]
    model = "planted/bias?unknown=0.5&aligned=0.9&conflicting=0.7&control=0.95"
    run = cf.run("bias", data=files, model=model, out="run")
    for code in (None, "en", "tr"):
        found = {it.metric: it for it in run.estimates if it.group == ({"language": code} if code else {})}
        # Of the questions with groups one half is answered right by 0.5, the other by (0.9 + 0.7) / 2.
        assert_near(found, {"accuracy_control": 0.95, "stereotype_cost": 0.95 - 0.65})
        assert found["stereotype_cost"].low > 0


def test_languages_stand_side_by_side_over_prompts() -> None:
    files = [str(DATA / f"mbbq_Sexual_orientation_{code}.jsonl") for code in ("es", "nl")]
    run = cf.run("bias", data=files, model="planted/bias", variant=["1", "mbbq-2"], orders=1, out="run")
    [plot] = [it for it in plots(run) if it.title.startswith("Bias by language")]
    assert isinstance(plot, Dots)
    ambiguous = [(row.label, row.series) for row in plot.rows][: len(plot.rows) // 2]
    prompts = ("1", "mbbq-2", "mean over original prompts")
    assert sorted(ambiguous) == sorted((name, series) for name in ("Dutch", "Spanish") for series in prompts)
    for row in plot.rows:
        assert (row.low is None) == row.series.startswith("mean"), "a mean over prompts speaks for no prompt more"
    values = {
        (it.variant, it.group["language"]): it.value
        for it in run.estimates
        if it.metric == "diff_bias_ambiguous" and set(it.group) == {"language"}
    }
    comparison = cf.compare(run, by="language")
    [over] = [it for it in comparison.rows if it.metric == "diff_bias_ambiguous" and not it.group]
    assert (over.a, over.b) == ("es", "nl")
    mean_of = {code: (values["1", code] + values["mbbq-2", code]) / 2 for code in ("es", "nl")}
    assert over.value_a == pytest.approx(mean_of["es"], abs=1e-9)
    assert over.value_b == pytest.approx(mean_of["nl"], abs=1e-9)
