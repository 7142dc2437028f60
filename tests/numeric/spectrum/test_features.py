"""Eigenvalues of the features: reference numbers, identities, the density, edge and outliers."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import Letters, Spectrum, SpikedRandomFeatures

TANH = Activation("tanh(z)")
SPIKE = {"r": 1.2248307799585, "c": 1.0758928018327}
SMALL = {"r": 0.4, "c": 0.1}


@pytest.fixture(scope="module")
def found():
    return Spectrum(TANH).solve(alpha=2, beta=1, z=[-0.1, -1, 1 + 0.05j, -1e4], **SPIKE)


@pytest.mark.slow
def test_reference_numbers(found):
    expected = [3.40061443, 0.732243915, -0.9199052 + 0.7486417j]
    assert np.abs(found.stieltjes[:3] - expected).max() < 1e-7
    assert found.status == "converged" and found.numerical_error < 1e-11


def test_no_edge_where_samples_far_along_the_spike_have_larger_and_larger_features():
    """Given kappa a feature of z**2 has the variance 4 r^2 kappa^2 c + 2 c^2, a share of its row's norm."""
    found = Spectrum("z**2").solve(r=1.0, c=0.5, alpha=4, beta=1, z=-1)
    assert found.edge == np.inf and found.outliers == () and found.status == "converged"
    assert Spectrum("z**2").solve(r=0.0, c=0.5, alpha=4, beta=1).edge == pytest.approx(0.5 * 9)


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize(
    ("text", "finite"),
    [("relu(z)**2", False), ("z*log(1 + z**2)", False), ("He3(z)", False), ("exp(z/3)", False),
     ("z*tanh(z)", True), ("softplus(z)", True), ("log(1 + z**2)", True), ("sin(3*z)", True)],
)  # fmt: skip
def test_which_features_have_an_edge(text, finite):
    assert np.isfinite(Spectrum(text).solve(r=0.5, c=0.7, alpha=2, beta=1).edge) == finite


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "beta", "expected"), [(1.5, 0.5, 1.98866), (1.5, 2, 6.4951)])
def test_other_ratios(alpha, beta, expected):
    found = Spectrum(TANH).solve(alpha=alpha, beta=beta, z=-0.1, **SPIKE)
    assert found.stieltjes.real == pytest.approx(expected, abs=1e-4)
    assert found.atom_at_zero == max(0.0, 1 - alpha / beta)


def test_large_z(found):
    # E mu2^2 + c E mu1^2, twice: .53151 times alpha/beta = 2 holds the factor already
    assert ((-1e4 * -1 * found.stieltjes[3] - 1) * -1e4).real == pytest.approx(0.53151, rel=1e-2)


def test_transform_at_a_ridge_is_the_response(found):
    # g(-lambda) = V2 at ridge lambda
    model = SpikedRandomFeatures(TANH, Target("sin(z1)"))
    solution = model.solve(alpha=2, beta=1, ridge=[0.1, 1.0], gamma=0.5, **SPIKE)
    assert found.stieltjes[:2].real == pytest.approx(solution.overlaps["V2"], rel=1e-11)


def test_symmetry():
    z = 0.5 + 0.2j
    both = Spectrum(TANH).solve(alpha=2, beta=1, z=[z, np.conj(z)], **SPIKE).stieltjes
    assert both[0] == np.conj(both[1])


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "beta", "close"), [(2.0, 1.0, 0.0), (0.7, 1.4, 0.007)])
def test_mass_and_edge_of_the_density(alpha, beta, close):
    found = Spectrum(TANH).solve(alpha=alpha, beta=beta, **SPIKE)
    root = np.linspace(0, np.sqrt(found.edge), 601)[1:]  # x = u^2 tames the lower edge
    density = found.density(root**2)
    # closer to 0, where no rule resolves them, are the samples far along the spike: `close` of the mass
    assert np.isfinite(density[root > 0.06]).all()
    density = np.nan_to_num(density)
    mass = np.sum(0.5 * (2 * root * density)[1:] + 0.5 * (2 * root * density)[:-1]) * (root[1] - root[0])
    assert mass + close + found.atom_at_zero == pytest.approx(1.0, abs=3e-3)
    inside, outside = found.density(found.edge * np.array([0.995, 1.005]))
    assert inside > 1e-4 and outside < 1e-9


@pytest.mark.slow
def test_letters():
    ratios = {"alpha": 2, "beta": 1.3, "z": [-0.3, 0.7 + 0.1j]}
    one = Spectrum(TANH).solve(**SPIKE, **ratios)
    equal = Spectrum(TANH, letters=Letters(values=(1, 1), fractions=(0.4, 0.6))).solve(**SPIKE, **ratios)
    assert equal.stieltjes == pytest.approx(one.stieltjes, rel=1e-10)
    assert equal.edge == pytest.approx(one.edge, rel=1e-6)
    signs = Spectrum(TANH, letters={1.0: 0.5, -1.0: 0.5}).solve(**SPIKE, **ratios)
    assert signs.stieltjes == pytest.approx(one.stieltjes, rel=1e-10)
    two = Spectrum(Activation("relu(z)"), letters={1.0: 0.5, -1.0: 0.5}).solve(**SPIKE, **ratios)
    assert len(two.growing) == 2 and two.eigenvalues()[:2] == ["inf", "inf"]
    model = SpikedRandomFeatures(Activation("relu(z)"), Target("z1"), letters={1.0: 0.5, -1.0: 0.5})
    response = model.solve(alpha=2, beta=1.3, ridge=0.3, gamma=0.5, **SPIKE).overlaps["V2"].sum()
    assert two.stieltjes[0].real == pytest.approx(response, rel=1e-11)


def test_growing_eigenvalue(found):
    # alpha E mu0^2 a dimension: E mu0^2 = .29615
    assert found.growing[0] == pytest.approx(2 * 0.29615, abs=2e-5)
    assert found.outliers == ()


def eigenvalues(sigma, d, seed, *, r, c, alpha, beta):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(round(beta * d), d))
    w *= np.sqrt(c) / np.linalg.norm(w, axis=1)[:, None]
    w[:, 0] += r
    phi = sigma(rng.normal(size=(round(alpha * d), d)) @ w.T)
    return np.linalg.eigvalsh(phi.T @ phi / w.shape[0])


@pytest.mark.slow
def test_against_simulation(found):
    """Single matrices of d = 700: 2 % covers their fluctuations of about 1 %; the largest eigenvalue 5 %."""
    values = eigenvalues(np.tanh, 700, 0, alpha=2, beta=1, **SPIKE)
    for z, g in zip([-0.1, -1, 1 + 0.05j], found.stieltjes, strict=False):
        assert np.mean(1 / (values - z)) == pytest.approx(g, rel=0.02)
    assert values[-1] / 700 == pytest.approx(found.growing[0], rel=0.05)
    assert found.edge * 0.93 < values[-2] < found.edge * 1.01


@pytest.mark.slow
def test_outlier_of_order_1_against_simulation():
    """Mean of 24 matrices; 4 standard errors (probability 6e-5) and 1 % for the finite size."""
    theory = Spectrum(Activation("cos(z)")).solve(alpha=60, beta=6, **SMALL)
    assert len(theory.outliers) == 1 and theory.outliers[0] > 1.1 * theory.edge
    tops = [eigenvalues(np.cos, 60, seed, alpha=60, beta=6, **SMALL)[-2] for seed in range(24)]
    error = np.std(tops, ddof=1) / np.sqrt(len(tops))
    assert abs(np.mean(tops) - theory.outliers[0]) < 4 * error + 0.01 * theory.outliers[0]


def test_linear_activation_has_an_atom():
    # rank min(n, p, d) of p
    found = Spectrum(Activation("z")).solve(r=0, c=1, alpha=3, beta=2)
    assert found.atom_at_zero == 0.5


def test_marchenko_pastur_of_wide_linear_networks():
    # p >> d: the nonzero eigenvalues are those of X^T X/d, X an n x d matrix: up to (1 + sqrt alpha)^2
    beta, alpha = 1e6, 2.0
    found = Spectrum(Activation("z")).solve(r=0, c=1, alpha=alpha, beta=beta)
    assert found.edge == pytest.approx((1 + np.sqrt(alpha)) ** 2, rel=5e-3)


@pytest.mark.slow
def test_plot(found):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    axes = Spectrum(Activation("cos(z)")).solve(alpha=60, beta=6, **SMALL).plot()
    assert axes.get_xlabel() == "eigenvalue" and len(axes.get_lines()) == 2
    plt.close(axes.figure)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0}, "alpha is 0"),
        ({"c": -1}, "c is -1"),
        ({"z": "here"}, "z is 'here'; a complex number"),
        ({"z": np.inf}, "z has an infinite or undefined entry"),
        ({"r": [1.0, 2.0]}, "the spectrum is solved at one point"),
    ],
)
def test_bad_parameters(change, message):
    with pytest.raises(InputError) as caught:
        Spectrum(TANH).solve(**({"alpha": 2, "beta": 1, **SPIKE} | change))
    assert message in str(caught.value)


def test_density_is_asked_at_positive_places(found):
    with pytest.raises(InputError, match="x is -1; accepted"):
        found.density([-1.0, 1.0])


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize("text", ["relu(z)", "tanh(z)"])
def test_density_where_features_hardly_vary_along_a_long_spike(text):
    """By the transform itself, whose rule is refined at the place; one for other places was wrong by half."""
    x = np.array([5e-4, 1e-3, 3e-3])
    model, at = Spectrum(text), {"r": 5.0, "c": 1.0, "alpha": 2, "beta": 3}
    density = model.solve(**at).density(x)
    direct = model.solve(**at, z=x + 0j)
    assert density == pytest.approx(direct.stieltjes.imag / np.pi, rel=1e-4)


@pytest.mark.arrays
def test_density_that_no_rule_resolves_is_not_given():
    found = Spectrum("sign(z)").solve(r=1.0, c=0.2, alpha=2, beta=3)
    assert np.isnan(found.density(1e-7)) and found.density(0.5) > 0
