"""Figures: what is drawn, how it is labelled, and that it is what plain matplotlib draws."""

from __future__ import annotations

import functools
import itertools

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from hermite_analytics import InputError, hermite, table, weak_recovery
from hermite_analytics.numeric import DMFT, GiantStep, SpikedRandomFeatures, StateEvolution, simulate
from hermite_analytics.rendering.figure import COLOURS, STYLE

mpl.use("Agg")
ALPHA = np.geomspace(0.1, 5, 20)
SPIKE = {"r": 1.0, "c": 1.1, "gamma": 0.9}
SIMULATED = {"activation": "tanh", "target": "sin(z1)", "beta": 1, "ridge": 0.1, **SPIKE}


@functools.cache
def curves():
    step = GiantStep("tanh", "sin(z1)").solve(alpha0=2, eta=3, beta=[[0.5], [1], [2]])
    return SpikedRandomFeatures("tanh", "sin(z1)").solve(step=step, alpha=ALPHA, ridge=0.1)


@functools.cache
def run(beta=1.0, ridge=0.1, alpha=(0.5, 1.0, 2.0), d=40):
    return simulate(
        "giant-step",
        activation="tanh",
        target="sin(z1)",
        alpha0=2,
        eta=3,
        beta=beta,
        ridge=ridge,
        d=d,
        seeds=3,
        alpha=list(alpha),
    )


@pytest.fixture
def axes():
    return Figure().add_subplot()


def test_a_line_for_each_value_of_the_other_parameters(axes):
    drawn = curves().plot(axes, y="test_error")
    lines = drawn.get_lines()[:3]
    assert [line.get_label() for line in lines] == [rf"$\beta = {b}$" for b in ("0.5", "1", "2")]
    for line, error in zip(lines, curves().test_error, strict=True):
        assert np.array_equal(line.get_xdata(), ALPHA) and np.array_equal(line.get_ydata(), error)
    assert (drawn.get_xlabel(), drawn.get_ylabel()) == (r"$\alpha = n/d$", "test error")
    assert (drawn.get_xscale(), drawn.get_yscale()) == ("log", "linear")
    floor = drawn.get_lines()[3]
    assert floor.get_label() == "linear floor" and floor.get_ydata()[0] == curves().linear_floor


def test_several_values_differ_in_their_dash(axes):
    lines = curves().plot(axes).get_lines()[:6]
    assert [line.get_linestyle() for line in lines] == ["-", "--"] * 3
    assert lines[0].get_color() == lines[1].get_color() != lines[2].get_color()
    assert lines[1].get_label() == r"train error, $\beta = 0.5$"


@pytest.mark.parametrize(
    ("grid", "scale"),
    [(np.geomspace(1, 4, 6), "log"), (np.linspace(0.5, 5, 6), "linear"), ([1.0, 2.0], "linear")],
)
def test_the_axis_is_logarithmic_where_the_grid_is(grid, scale, axes):
    found = SpikedRandomFeatures("tanh", "sin(z1)").solve(alpha=grid, beta=1, ridge=0.1, **SPIKE)
    assert found.plot(axes).get_xscale() == scale


def test_another_abscissa_and_groups_of_values(axes):
    found = SpikedRandomFeatures("tanh", "sin(z1)").solve(alpha=2, beta=1, ridge=[0.1, 0.2, 0.4], **SPIKE)
    drawn = found.plot(axes, y=["overlaps_m", "overlaps_q1"])
    assert drawn.get_xlabel() == r"ridge $\lambda$"
    assert np.array_equal(drawn.get_lines()[0].get_ydata(), found.overlaps["m"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"x": "alpah"}, "^x is 'alpah'; accepted: alpha0, eta, alpha"),
        ({"x": "status"}, "^x is 'status', which is no number; accepted: alpha, beta, r, c"),
        ({"y": "tset_error"}, "^y is 'tset_error'; accepted: test_error, train_error"),
        ({"heat": "tset_error"}, "^heat is 'tset_error'; accepted: test_error"),
        ({"heat": "test_error", "x": "gamma"}, "^a parameter of the map is 'gamma'; accepted: alpha, beta"),
        ({"x": "beta"}, "^20 values of alpha are 40 lines; accepted: at most 24. Draw a map with heat='tes"),
        ({"simulation": 3}, "^simulation is 3; accepted: what `simulate` returns, or several of them"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(asked, message, axes):
    with pytest.raises(InputError, match=message) as refused:
        curves().plot(axes, **asked)
    assert "\n" not in str(refused.value)


def test_a_map_over_two_parameters(axes):
    ridge = np.geomspace(1e-3, 1, 4)
    model = SpikedRandomFeatures("tanh", "sin(z1)")
    found = model.solve(alpha=ALPHA[:6, None], ridge=ridge, beta=1, **SPIKE)
    drawn = found.plot(axes, heat="test_error")
    (mesh,) = drawn.collections
    assert np.array_equal(mesh.get_array().reshape(4, 6), found.test_error.T)
    places = mesh.get_coordinates()
    assert np.all((places[0, :-1, 0] < ALPHA[:6]) & (ALPHA[:6] < places[0, 1:, 0]))
    assert np.all((places[:-1, 0, 1] < ridge) & (ridge < places[1:, 0, 1]))
    assert (drawn.get_xlabel(), drawn.get_ylabel()) == (r"$\alpha = n/d$", r"ridge $\lambda$")
    assert (drawn.get_xscale(), drawn.get_yscale()) == ("log", "log")
    assert drawn.figure.axes[1].get_ylabel() == "test error"
    turned = found.plot(Figure().add_subplot(), heat="test_error", x="ridge")
    assert turned.get_ylabel() == r"$\alpha = n/d$"


def test_points_of_a_simulation_lie_over_the_line_of_their_parameters(axes):
    drawn = curves().plot(axes, y="test_error", simulation=[run(), run(beta=2.0)])
    estimate = run().results["test_error"]
    points, _, (bars,) = drawn.containers[0]
    assert np.array_equal(points.get_xdata(), [0.5, 1.0, 2.0])
    assert np.array_equal(points.get_ydata(), estimate.mean)
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    assert np.allclose(np.diff(ends, axis=1)[:, 0] / 2, estimate.stderr, rtol=1e-12)
    lines = drawn.get_lines()
    assert points.get_color() == lines[1].get_color() and points.get_label() == "_nolegend_"
    assert drawn.containers[0].get_label() == "simulation, $d = 40$"
    assert drawn.containers[1][0].get_color() == lines[2].get_color()


@pytest.mark.parametrize(
    ("simulation", "asked", "message"),
    [
        (lambda: run(ridge=0.5), {}, "^the simulation has ridge = 0.5, and the lines have 0.1; accepted"),
        (lambda: run(beta=4.0), {}, "^the simulation has beta = 4.0, where no line is"),
        (lambda: run(), {"y": "overlaps_V1"}, "^the simulation measured none of overlaps_V1"),
    ],
)
def test_a_simulation_of_something_else_is_refused(simulation, asked, message, axes):
    with pytest.raises(InputError, match=message):
        curves().plot(axes, simulation=simulation(), **asked)


def test_steps_of_networks_over_their_limit(axes):
    model = DMFT("z", "z1")
    found = model.solve(alpha=2, eta=0.25, steps=2)
    sample = model.sample(d=30, alpha=2, eta=0.25, steps=2, seeds=range(4))
    drawn = found.plot(axes, simulation=sample)
    assert drawn.get_xlabel() == "step" and drawn.get_ylabel() == "overlap"
    assert np.array_equal(drawn.get_lines()[0].get_ydata(), found.overlap[:, 0, 0])
    assert np.array_equal(drawn.containers[0][0].get_ydata(), sample.mean("overlap")[0][:, 0, 0])


@pytest.mark.slow
def test_thresholds_spinodals_and_jumps_are_marked(axes):
    model = StateEvolution("z1**2")
    found, thresholds = model.solve(alpha=[0.4, 0.8, 1.2, 1.3]), model.thresholds()
    drawn = found.plot(axes, thresholds=thresholds)
    assert {t.get_text() for t in drawn.texts} >= {"weak recovery"}
    places = {line.get_xdata()[0] for line in drawn.get_lines() if len(set(line.get_xdata())) == 1}
    assert thresholds.weak_recovery in places
    for jump, before, after in thresholds.algorithmic_jumps:
        (line,) = [x for x in drawn.get_lines() if list(x.get_ydata()) == [before, after]]
        assert list(line.get_xdata()) == [jump, jump]
        assert np.isnan(drawn.get_lines()[0].get_ydata()).any()  # the line is interrupted there
    curve = model.curve()
    marked = found.plot(Figure().add_subplot(), thresholds=curve)
    inside = [s for s in curve.spinodals if 0.4 <= s.alpha <= 1.3]
    assert len([t for t in marked.texts if t.get_text() == "spinodal"]) == min(len(inside), 1)
    known = found.plot(Figure().add_subplot(), thresholds=weak_recovery("z1**2"))
    assert [t.get_text() for t in known.texts] == ["weak recovery"]
    named = found.plot(Figure().add_subplot(), thresholds={"here": 1.0, "outside": 9.0})
    assert [t.get_text() for t in named.texts] == ["here"]


def test_fixed_points_mark_their_spinodals_on_a_linear_axis(axes):
    curve = StateEvolution("z1**2").curve()
    drawn = curve.plot(axes)
    assert [t.get_text() for t in drawn.texts] == ["spinodal"] and drawn.get_yscale() == "linear"
    assert curve.spinodals[0].alpha in {line.get_xdata()[0] for line in drawn.get_lines()}


def test_simulations_have_error_bars_and_their_ratio_on_the_axis(axes):
    found = simulate("spiked-random-features", **SIMULATED, d=20, seeds=3, alpha=[1, 2])
    drawn = found.plot(axes)
    assert drawn.get_xlabel() == r"$\alpha = n/d$"
    (bars,) = drawn.containers[0][2]
    low, high = np.array([segment[:, 1] for segment in bars.get_segments()]).T
    np.testing.assert_allclose(high - low, 2 * found.results["test_error"].stderr)


def test_sizes_are_drawn_with_their_limit(axes):
    found = simulate("spiked-random-features", **SIMULATED, d="20:40:3", seeds=3, alpha=[1, 2])
    drawn = found.plot(axes)
    assert drawn.get_xlabel() == "$1/d$" and len(drawn.containers) == 2
    line = drawn.containers[0][0]
    assert 0.0 in line.get_xdata() and found.limits["test_error"].mean[0] in line.get_ydata()


def test_coefficients_are_points_over_their_degrees(axes):
    drawn = hermite("sign(z1)", degree=5).plot(axes)
    assert drawn.get_lines()[0].get_xdata().tolist() == [1, 3, 5] and drawn.get_lines()[0].get_marker() == "o"


def test_exponents_of_a_table(axes):
    drawn = table(["z1", "z1**2", "z1 +"]).plot(axes, y="leap_index")
    assert np.array_equal(drawn.get_lines()[0].get_ydata(), [1.0, 2.0, np.nan], equal_nan=True)


def test_the_picture_is_that_of_plain_matplotlib(tmp_path):
    """To the last pixel."""
    found = SpikedRandomFeatures("tanh", "sin(z1)").solve(alpha=ALPHA, beta=1, ridge=0.1, **SPIKE)
    found.plot(save=tmp_path / "ours.png")
    with mpl.rc_context(STYLE):
        plain = Figure(layout="constrained").add_subplot()
        plain.semilogx(ALPHA, found.test_error, "-", color="#0072b2", label="test error")
        plain.semilogx(ALPHA, found.train_error, "--", color="#d55e00", label="train error")
        level = {"color": "0.45", "linewidth": 0.8, "linestyle": (0, (1, 1))}
        plain.axhline(found.linear_floor, label="linear floor", **level)
        plain.set(xlabel=r"$\alpha = n/d$", ylabel="error")
        plain.legend()
        plain.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        plain.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        plain.xaxis.set_minor_locator(LogLocator(subs=tuple(range(1, 10))))
        plain.xaxis.set_minor_formatter(NullFormatter())
        plain.figure.savefig(tmp_path / "plain.png")
    assert compare_images(str(tmp_path / "plain.png"), str(tmp_path / "ours.png"), tol=0) is None


@pytest.mark.slow
@pytest.mark.arrays
def test_numbers_and_legend_hide_nothing(tmp_path):
    """No two numbers of the axis touch, and a legend of many lines stands above the axes."""
    for alpha in (np.geomspace(0.2, 5, 20), ALPHA, np.geomspace(1, 1e4, 20)):
        found = SpikedRandomFeatures("tanh", "sin(z1)").solve(
            alpha=alpha, beta=[[0.5], [1], [2]], ridge=0.1, **SPIKE
        )
        drawn = found.plot(save=tmp_path / "many.png")
        draws = FigureCanvasAgg(drawn.figure).get_renderer()
        drawn.figure.draw(draws)
        low, high = drawn.get_xlim()
        labels = [
            t
            for x, t in zip(drawn.get_xticks(), drawn.get_xticklabels(), strict=True)
            if low <= x <= high and t.get_text()
        ]
        boxes = [t.get_window_extent(draws) for t in labels]
        assert len(boxes) >= 4
        assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
        assert drawn.get_legend().get_window_extent(draws).y0 >= drawn.get_window_extent(draws).y1


def test_a_figure_fits_a_column_and_is_the_same_each_time(tmp_path):
    drawn = curves().plot(tmp_path / "curve.pdf", y="test_error")
    assert drawn.figure.get_size_inches()[0] == pytest.approx(3.375)
    assert {t.get_fontsize() for t in (drawn.xaxis.label, drawn.yaxis.label)} == {8.0}
    assert all(t.get_fontsize() == 7.0 for t in drawn.get_legend().get_texts())
    curves().plot(save=tmp_path / "again.pdf", y="test_error")
    assert (tmp_path / "curve.pdf").read_bytes() == (tmp_path / "again.pdf").read_bytes()
    assert b"/FontType 3" not in (tmp_path / "curve.pdf").read_bytes()


def test_axes_of_a_user_keep_their_style(axes):
    drawn = curves().plot(axes, y="test_error")
    assert drawn.xaxis.label.get_fontsize() == mpl.rcParams["font.size"]
    before = len(drawn.get_lines())
    again = curves().plot(axes, y="train_error", label="again")
    assert again is drawn and drawn.get_xlabel() == r"$\alpha = n/d$"
    assert drawn.get_lines()[before].get_label() == r"again, $\beta = 0.5$"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("curve.jpg",), r"^the figure 'curve.jpg' has no format; accepted: names in .pdf, .svg, .png$"),
        (("no/such/curve.pdf",), "^the folder of 'no/such/curve.pdf' does not exist"),
        ((3,), "^ax is 3; accepted: axes of matplotlib, or the name of a file$"),
    ],
)
def test_files_that_cannot_be(given, message):
    with pytest.raises(InputError, match=message):
        curves().plot(*given)
    with pytest.raises(InputError, match=r"^plot is given the files 'a.pdf' and 'b.pdf'"):
        curves().plot("a.pdf", save="b.pdf")


# H. Brettel, F. Vienot, J. Mollon as simplified by Vienot (1999): linear RGB as dichromats see it
SEEN = {
    "protanopia": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deuteranopia": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


@pytest.mark.parametrize("eyes", SEEN)
def test_the_colour_blind_tell_the_lines_apart(eyes):
    seen = [np.array(SEEN[eyes]) @ np.array(to_rgb(colour)) ** 2.2 for colour in COLOURS]
    shown = [np.clip(colour, 0, 1) ** (1 / 2.2) for colour in seen]
    apart = min(np.linalg.norm(a - b) for a, b in itertools.combinations(shown[:6], 2))
    red_and_green = [np.array(SEEN[eyes]) @ np.array(to_rgb(c)) ** 2.2 for c in ("#d62728", "#2ca02c")]
    usual = np.linalg.norm(np.subtract(*(np.clip(c, 0, 1) ** (1 / 2.2) for c in red_and_green)))
    assert apart > 0.12 and apart > 0.4 * usual
