"""Query parameters, and the places of a curve's points."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermite_analytics.errors import InputError
from hermite_analytics.explorer.abscissa import places
from hermite_analytics.explorer.endpoints import ENDPOINTS
from hermite_analytics.explorer.parameters import Number, defaults, read

BETA = Number(name="beta", symbol="β", help="p/d", default=1, low=0.1, high=10, least=1e-6)


def test_defaults_are_accepted():
    for endpoint in ENDPOINTS.values():
        for name, value in defaults(endpoint.parameters).items():
            (parameter,) = (p for p in endpoint.parameters if p.name == name)
            assert parameter.read(str(value)) == value
            if isinstance(parameter, Number):
                assert parameter.least <= parameter.low < parameter.high <= parameter.most


@given(st.text(max_size=60))
def test_any_text_is_a_number_in_range_or_refused(text):
    try:
        number, message = BETA.read(text), "beta is"
    except InputError as error:
        number, message = 1.0, str(error)
    assert 1e-6 <= number <= 1e6
    assert message.startswith("beta is") and message.isascii() and "\n" not in message


@pytest.mark.parametrize("text", ["", "nan", "inf", "-inf", "1e7", "0", "٣", "1" * 50, "1 2", "0x10", "1,5"])
def test_numbers_that_are_refused(text):
    with pytest.raises(InputError, match="accepted: numbers from 1e-06 to 1e"):
        BETA.read(text)


def test_read_gives_defaults():
    assert read([], [BETA]) == {"beta": 1.0}


@given(st.floats(1e-6, 1e5), st.floats(1.05, 1e6), st.integers(2, 241), st.booleans())
def test_places(low, factor, most, logarithmic):
    high = low * factor
    found = places(low, high, most, logarithmic=logarithmic)
    assert len(found) <= most + 2 and found == sorted(set(found))
    assert found[0] == float(f"{low:.6g}") and found[-1] == float(f"{high:.6g}")
    if most > 6:
        assert len(found) >= most / 2 - 3  # a step is at most twice as long as it could be


def test_an_empty_range():
    with pytest.raises(InputError, match="the range is from 2 to 1; accepted: a first number below"):
        places(2, 1, 10, logarithmic=True)
