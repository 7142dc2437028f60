"""A target with inner directions: samples that kernels, two layers and three layers need."""

from __future__ import annotations

from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import ThreeLayer

SCENARIOS = ("kernels", "two layers", "three layers")


def draw(axes: Axes) -> None:
    """Inner degree 2, d^(1/2) inner directions: the powers of h that are found, over log n / log d."""
    found = ThreeLayer((2,), 0.5).solve().composition
    for k, (name, powers) in enumerate(zip(SCENARIOS, found, strict=True)):
        places = [1.0, *(float(kappa) for kappa in powers.values()), 4.5]
        axes.step(places, [x + 0.05 * k for x in [0, *powers, max(powers)]], where="post", label=name)
    axes.set_xlim(1.0, 4.5)
    axes.set_yticks([0, 1, 2, 3], ["nothing", "$h$", "$h^2$", "$h^3$"])
    axes.set(
        xlabel=r"$\kappa = \log n / \log d$", title="$y = g(h)$, $h$ of degree 2 in $d^{1/2}$ directions"
    )
    axes.legend(loc="lower right")


if __name__ == "__main__":
    picture(draw)
