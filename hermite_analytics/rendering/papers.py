"""Authors and titles of papers by their numbers in arXiv, as the sources of this library print them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PAPERS", "Paper"]


class Paper(NamedTuple):
    """A paper.

    Examples
    --------
    >>> PAPERS["1908.05355"].authors
    'Song Mei and Andrea Montanari'
    """

    authors: str
    title: str


PAPERS = {
    "1908.05355": Paper(
        "Song Mei and Andrea Montanari",
        "The generalization error of random features regression: Precise asymptotics and the "
        "double descent curve",
    ),
    "2002.09339": Paper(
        "Federica Gerace and Bruno Loureiro and Florent Krzakala and Marc Mézard and Lenka Zdeborová",
        "Generalisation error in learning with random features and the hidden manifold model",
    ),
    "2101.10588": Paper(
        "Song Mei and Theodor Misiakiewicz and Andrea Montanari",
        "Generalization error of random feature and kernel methods: Hypercontractivity and kernel matrix "
        "concentration",
    ),
    "2102.08127": Paper(
        "Bruno Loureiro and Cedric Gerbelot and Hugo Cui and Sebastian Goldt and Florent Krzakala and "
        "Marc Mézard and Lenka Zdeborová",
        "Learning curves of generic features maps for realistic datasets with a teacher-student model",
    ),
    "2205.01445": Paper(
        "Jimmy Ba and Murat A. Erdogdu and Taiji Suzuki and Zhichao Wang and Denny Wu and Greg Yang",
        "High-dimensional Asymptotics of Feature Learning: How One Gradient Step Improves the Representation",
    ),
    "2302.11055": Paper(
        "Emmanuel Abbe and Enric Boix Adsera and Theodor Misiakiewicz",
        "SGD learning on neural networks: leap complexity and saddle-to-saddle dynamics",
    ),
    "2305.18270": Paper(
        "Yatin Dandi and Florent Krzakala and Bruno Loureiro and Luca Pesce and Ludovic Stephan",
        "How Two-Layer Neural Networks Learn, One (Giant) Step at a Time",
    ),
    "2402.04980": Paper(
        "Hugo Cui and Luca Pesce and Yatin Dandi and Florent Krzakala and Yue M. Lu and Lenka Zdeborová and "
        "Bruno Loureiro",
        "Asymptotics of feature learning in two-layer networks after one gradient-step",
    ),
}
"""Those whose title is known; others are cited by their number alone."""
