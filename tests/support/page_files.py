"""Files that pages speak of and do not show: they are the reader's. Each is made small, in its own format."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from annuity_proposal import QUESTION
from bbq_rows import bbq_row
from counterfoil.cli.main import main
from made_up_recipe import ROW
from page_commands import TEMPLATES
from pages import ROOT
from published import SMOLLM2_WHEEL, write_smollm2_wheel
from symbolic_rows import EGGS, SOLUTION

# As the CFE study's repository has them.
QUESTIONS = "data/questions/100_questions.json"
CAPITAL = "What is the capital of Australia?"


def _questions(path: Path) -> None:
    plausibilities = {"Sydney": 80, "Perth": 50}
    candidates = {name: {"listwise": score} for name, score in plausibilities.items()}
    question = {"id": "q1", "question": CAPITAL, "answer": "Canberra", "candidate_answers": candidates}
    path.write_text(json.dumps([question]))


def _responses(path: Path) -> None:
    row = {
        "id": "q1",
        "prompt_variant": "cfe",
        "model": "mine",
        "question": CAPITAL,
        "gold_answer": "Canberra",
        "candidate_answers": "Sydney (80)|Perth (50)",
        "llm_response": "Canberra, not Sydney.",
        "accuracy": "True",
        "mentioned_cands": "['Sydney']",
    }
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)


def _raw_predictions(path: Path) -> None:
    _kobbq(path, "outputs/raw/KoBBQ_test_1/KoBBQ_test_evaluation_1_planted_bias_predictions.tsv")


def _processed_predictions(path: Path) -> None:
    _kobbq(path, "outputs/processed/KoBBQ_test_1/KoBBQ_test_evaluation_1_planted_bias.tsv")


def _kobbq(path: Path, exported: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run, official, ledger = f"{folder}/run", f"{folder}/official", f"{folder}/ledger.sqlite"
        asked = ["--model", "planted/bias", "--variant", "1", "--limit", "12", "--out", run, "--ledger", ledger]
        _counterfoil("run", "bias", *asked)
        _counterfoil("export", run, "--to", "kobbq", official)
        shutil.copy(Path(official) / exported, path)


def _bbq_predictions(path: Path) -> None:
    path.write_text(json.dumps(bbq_row(1, **{"unifiedqa-t5-11b_pred_race": "Al"})))


def _set_of_templates(path: Path) -> None:
    _counterfoil("data", "perturb", "--from", str(TEMPLATES), "--out", str(path))


def _replies(path: Path) -> None:
    """To the questions of the set that the page makes, of which level and draws do not matter."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "set.jsonl"
        _counterfoil("data", "perturb", "--from", str(TEMPLATES), "--out", str(made))
        ids = [json.loads(line)["id"] for line in made.read_text(encoding="utf-8").splitlines()]
    rows = [{"question_id": it, "model": "mine", "variant": "mcq", "reply": "ANSWER: A"} for it in ids]
    path.write_text("\n".join(map(json.dumps, rows)))


def _results(path: Path) -> None:
    perturbed = {"level": 1, "valid": True, "perturbed_answer": "B", "changes_made": ["5 to 7"], "model_answer": "A"}
    result = {
        "question_id": "easy_0",
        "correct_answer": "B",
        "original": {"answer": "B", "correct": True},
        "perturbations": [perturbed | {"correct": False}],
    }
    summary = {
        "accuracy_original": 1.0,
        "perturbation_levels": {"1": {"n_valid": 1, "accuracy": 0.0, "memorization_gap": 1.0}},
        "robust_accuracy": 0.0,
        "memorization_suspect": 1.0,
    }
    metadata = {"model": "gpt-4o-mini", "dataset": "easy", "perturbation_levels": [1]}
    path.write_text(json.dumps({"metadata": metadata, "summary": summary, "results": [result]}))


def _cfa_easy(path: Path) -> None:
    text = "Q:A bond pays 5%. What is 2 + 2?,CHOICES: A: 3,B: 4,C: 5"
    question = {"query": text, "text": text, "answer": "B", "choices": ["A", "B", "C"], "gold": 1}
    path.write_text(json.dumps([question]))


def _cfa_easy_with_a_recipe(path: Path) -> None:
    path.write_text(json.dumps([ROW]))


def _cfa_challenge(path: Path) -> None:
    """In the layout that these questions have, with one that can be perturbed."""
    choices = ", ".join(f"{letter}: {option}" for letter, option in zip("ABC", QUESTION.options, strict=True))
    query = f"Scenario: ; Question: {QUESTION.stem}; Answer Choices: {choices}. Answer:"
    path.write_text(json.dumps([{"query": query, "answer": "ABC"[QUESTION.gold or 0]}]))


def _solutions(path: Path) -> None:
    solution = {"solution": "2 + 2 = <<2+2=4>>4\nA: 4", "is_correct": True}
    path.write_text(json.dumps({"question": "What is 2 + 2?", "ground_truth": "A: 4", "6b": solution}))


def _gsm8k(path: Path) -> None:
    """A question with its template beside it."""
    row = {"question": "Ada's own words", "answer": "#### 9", "id_orig": 0}
    path.write_text(json.dumps(row) + "\n")
    annotated = {"question_annotated": EGGS, "answer_annotated": SOLUTION}
    path.with_name("gsm_symbolic.jsonl").write_text(json.dumps(row | annotated) + "\n")


def _log(path: Path) -> None:
    """Of Inspect, as it has one after an evaluation of `bias`."""
    with tempfile.TemporaryDirectory() as folder:
        run, logs, ledger = f"{folder}/run", f"{folder}/logs", f"{folder}/ledger.sqlite"
        _counterfoil("run", "bias", "--model", "planted/bias", "--limit", "4", "--out", run, "--ledger", ledger)
        _counterfoil("export", run, "--to", "inspect", logs)
        [made] = Path(logs).glob("*.eval")
        shutil.copy(made, path)


def _source(path: Path) -> None:
    """A run with good and bad replies to the same prompts."""
    models = ("--model", "planted/bias?unknown=0.2", "--model", "planted/bias?unknown=0.8")
    _counterfoil("run", "bias", "--data", "english", *models, "--limit", "40", "--out", str(path))


def _sycophancy(path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "sycophancy" / "sycophancy", path)


def _counterfoil(*arguments: str) -> None:
    with redirect_stdout(StringIO()):
        assert main(arguments) == 0, f"counterfoil {' '.join(arguments)} failed"


FILES: dict[str, dict[str, Callable[[Path], None]]] = {
    "README.md": {f"wheels/{SMOLLM2_WHEEL}": write_smollm2_wheel},
    "start.md": {f"wheels/{SMOLLM2_WHEEL}": write_smollm2_wheel},
    "models.md": {f"wheels/{SMOLLM2_WHEEL}": write_smollm2_wheel},
    "explain.md": {"100q_with_gpt_f1_scores.csv": _responses, QUESTIONS: _questions},
    "bias.md": {
        "KoBBQ_test_evaluation_1_gpt-4_predictions.tsv": _raw_predictions,
        "KoBBQ_test_evaluation_1_gpt-4.tsv": _processed_predictions,
        "preds_Age.jsonl": _bbq_predictions,
    },
    "memorization.md": {
        "easy.jsonl": _set_of_templates,
        "gsm8k_test.jsonl": _gsm8k,
        "cfa_challenge.json": _cfa_challenge,
        "results.json": _results,
        "cfa_easy.json": _cfa_easy,
        "example_model_solutions.jsonl": _solutions,
        "replies.jsonl": _replies,
    },
    "templates.md": {"cfa_easy.json": _cfa_easy_with_a_recipe},
    "inspect.md": {"set.jsonl": _set_of_templates, "logs/2026-11-16T12-00-00_bias_x.eval": _log},
    "site.md": {"runs/earlier": _source},
    "training.md": {"runs/source": _source},
    "sources.md": {
        "data/eval_results/gpt/100q_with_gpt_f1_scores.csv": _responses,
        QUESTIONS: _questions,
        "results.json": _results,
    },
    "suites.md": {"sycophancy": _sycophancy},
}
