"""Every public result is a value, shows itself in few lines, and travels."""

from __future__ import annotations

import copy
import csv
import dataclasses
import functools
import io
import json
import math
import pickle
import re
import sys

import matplotlib as mpl
import numpy as np
import pytest

from hermite_analytics import (
    ConditionalCoefficients,
    DualKernel,
    Explanation,
    Exponent,
    InputError,
    Quantity,
    __version__,
)
from hermite_analytics.expectations import ExpectedValue
from hermite_analytics.rendering import Result
from hermite_analytics.rendering.citation import bibtex_of
from hermite_analytics.rendering.papers import PAPERS
from tests.rendering.public import import_all, kinds_of_results, returned_classes
from tests.rendering.results import RESULTS, SCALARS

mpl.use("Agg")
MOST_LINES = 25
FORMULAS = (Quantity, ExpectedValue, ConditionalCoefficients, DualKernel)


@functools.cache
def made(name):
    return RESULTS[name]()


@pytest.fixture(params=RESULTS)
def result(request):
    return made(request.param)


PARTS = {
    "Kernel": "code",
    "Activation": "what was asked",
    "Target": "what was asked",
    "ParametricTarget": "what was asked",
    "Request": "what was asked",
    "Letters": "what is asked of a model",
    "Suite": "what is asked of `validate`",
    "Study": "what is asked of `validate`",
    "Frame": "rows that results are shown from",
    "Drawing": "what `plot` draws",
    "Mark": "what `plot` marks",
    "Along": "parameters of a result",
    "Prediction": "numbers of the outcome of a study",
    "ClaimOutcome": "a row of the outcome of a study",
    "LookResult": "a number of a claim",
    "MutantResult": "a number of a claim",
    "Spinodal": "a row of the fixed points",
    "Branch of numeric": "the solver behind a spectrum",
    "FinishedRun": "the run behind a solution",
    "Quadrature": "the rule behind samples",
    "Basis": "a cell of a staircase",
    "DecidingCoefficient": "a cell of a learned step",
    "Rate": "a cell of a complexity",
    "Property": "a cell of a design",
    "SearchReport": "what a search remarks",
    "Conditions": "a cell of a case",
    "Argument": "what an explanation is written from",
    "Section": "a row of an explanation",
}
"""What results hold or are made of, and nobody asks for by itself."""


def test_no_kind_of_result_is_left_out():
    import_all()
    # a class with slots is made twice, and its first form stays until it is collected: names are compared
    kinds = {kind.__qualname__ for kind in kinds_of_results() if "hermite_analytics" in kind.__module__}
    of_others = {kind.__base__.__qualname__ for kind in kinds_of_results()}
    assert kinds - of_others == {type(made(name)).__qualname__ for name in RESULTS} - of_others


def test_all_that_public_functions_return_is_a_result():
    import_all()
    ways = {}
    for kind, way in returned_classes().items():
        room = " of numeric" if kind.__name__ == "Branch" and ".numeric." in kind.__module__ else ""
        if not issubclass(kind, Result):
            ways[kind.__name__ + room] = way
    assert set(ways) == set(PARTS), {name: ways.get(name) for name in set(ways) ^ set(PARTS)}


@pytest.mark.cases(12)
def test_equal_to_itself_made_again_and_to_no_other(result):
    assert result == result and copy.copy(result) == result
    others = [other for other in map(made, ("staircase", "giant step", "simulation")) if other is not result]
    assert all(result != other for other in others)


@pytest.mark.cases(12)
def test_pickled_and_copied_it_is_the_same_and_read_only(result):
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) and again == result and copy.deepcopy(result) == result
    fields = dataclasses.fields(again) if dataclasses.is_dataclass(again) else ()
    arrays = [x for x in (getattr(again, f.name) for f in fields) if isinstance(x, np.ndarray)]
    assert not any(x.flags.writeable for x in arrays)


@pytest.mark.cases(12)
def test_text_is_short(result):
    text = str(result)
    assert text and len(text.splitlines()) <= MOST_LINES
    assert "object at" not in text


@pytest.mark.cases(12)
def test_html_is_short_whole_and_harmless(result):
    page = result._repr_html_()
    assert page.startswith("<div") and page.rstrip().endswith("</div>") and "<script" not in page
    unfolded = re.sub(r"</summary>.*?</details>", "", page, flags=re.DOTALL)
    assert unfolded.count("<tr") + unfolded.count("<p>") + unfolded.count("<summary") <= MOST_LINES
    for tag in ("div", "table", "tr", "details"):
        assert len(re.findall(rf"<{tag}[ >]", page)) == page.count(f"</{tag}>")


def test_latex_is_a_table_or_a_formula(result):
    latex = result.latex
    dollars = len(re.findall(r"(?<!\\)\$", latex))
    assert dollars % 2 == 0
    if isinstance(result, FORMULAS):
        assert latex and "tabular" not in latex and latex.count("{") == latex.count("}")
        return
    if isinstance(result, Explanation):
        assert latex.count(r"\paragraph{") == len(result.sections)
        return
    head, body = latex.split("\\begin{tabular}")
    assert all(line.startswith("%") for line in head.splitlines())
    assert r"\toprule" in body and r"\bottomrule" in body
    columns = re.match(r"\{(l+)\}", body)[1]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert rows and all(len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1 for row in rows)


def test_records_are_flat(result):
    rows = result.records()
    assert rows and all(list(row) == list(rows[0]) for row in rows)
    for row in rows:
        assert all(x is None or isinstance(x, bool | int | float | str) for x in row.values())


def test_csv_holds_the_records_to_the_last_digit(result):
    rows = result.records()
    read = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert len(read) == len(rows)
    for there, here in zip(read, rows, strict=True):
        for name, value in here.items():
            if isinstance(value, float):
                assert float(there[name]) == value or (math.isnan(value) and there[name] == "nan")
            else:
                assert there[name] == ("" if value is None else str(value))


def test_document_says_what_made_it(result):
    document = json.loads(json.dumps(result.to_dict()))
    if isinstance(result, Exponent | Quantity):  # a part of documents
        assert {"value", "evidence"} <= set(document)
        return
    assert document["schema_version"] == 1 and document["versions"]["hermite_analytics"] == __version__
    assert "numpy" in document["versions"]


@pytest.mark.cases(11)
def test_citation(result):
    entries = re.findall(r"^@(\w+)\{([^,]+),", result.cite("bibtex"), re.MULTILINE)
    assert entries[-1] == ("software", "hermite_analytics")
    named = re.findall(r"\d{4}\.\d{4,5}", result.cite())
    assert [key for kind, key in entries if kind == "misc"] == [f"arXiv:{n}" for n in dict.fromkeys(named)]
    with pytest.raises(InputError, match="form is 'ris'; accepted: 'text', 'bibtex'"):
        result.cite("ris")


def test_papers_have_authors_and_titles_where_they_are_known():
    known, other, _ = bibtex_of("arXiv 2402.04980 and 1702.06435").split("\n\n")
    assert "author = {Hugo Cui and Luca Pesce and" in known and "title = {{Asymptotics of feature" in known
    assert "author" not in other and "title" not in other and "eprint = {1702.06435}" in other
    for number, paper in PAPERS.items():
        assert re.fullmatch(r"\d{4}\.\d{5}", number) and "," not in paper.authors
        assert not re.search(r"[\\{}%&#_$]", paper.authors + paper.title)


def test_dataframe(result):
    pytest.importorskip("pandas", reason="pandas is an extra")
    frame = result.to_dataframe()
    rows = result.records()
    assert list(frame.columns) == list(rows[0]) and len(frame) == len(rows)
    numbers = [name for name, value in rows[0].items() if isinstance(value, float)]
    for name in numbers:
        assert frame[name].isna().tolist() == [r[name] != r[name] for r in rows]
        assert [x for x in frame[name] if x == x] == [r[name] for r in rows if r[name] == r[name]]


def test_dataset(result):
    pytest.importorskip("xarray", reason="xarray is an extra")
    found, rows = result.to_xarray(), result.records()
    size = math.prod(found.sizes.values())
    assert size == len(rows) and set(rows[0]) == set(found.variables) - ({"point"} & set(found.sizes))


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", RESULTS)
def test_plot_draws_or_refuses_in_one_line(name, tmp_path):
    if name in SCALARS:
        with pytest.raises(InputError, match=r"^nothing to draw of ") as refused:
            made(name).plot(tmp_path / "figure.svg")
        assert "\n" not in str(refused.value) and not list(tmp_path.iterdir())
        return
    axes = made(name).plot(save=tmp_path / "figure.svg")
    assert axes.get_xlabel() and axes.get_ylabel() and (axes.lines or axes.collections)
    assert (tmp_path / "figure.svg").stat().st_size > 1000


@pytest.mark.parametrize(("library", "method"), [("pandas", "to_dataframe"), ("xarray", "to_xarray")])
def test_a_missing_library_is_named_in_one_line(library, method, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"^{method} needs {library}, which is not installed: pip install"):
        getattr(made("giant step"), method)()
