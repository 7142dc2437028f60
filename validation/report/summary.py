"""From the outcomes of a campaign to the results that are written."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hermite_analytics.numeric.sizes.extrapolation import Extrapolation
from hermite_analytics.validation.campaign.outcomes import ClaimOutcome, StudyOutcome
from hermite_analytics.validation.campaign.results import ClaimResult, LookResult
from hermite_analytics.validation.statistics.decision import Comparison, seeds_at_look
from hermite_analytics.validation.statistics.equivalence import seeds_factor
from hermite_analytics.validation.statistics.rules import Limit

__all__ = ["claim_results"]


def claim_results(outcomes: Sequence[StudyOutcome]) -> tuple[ClaimResult, ...]:
    """One result a claim, in the order of the studies."""
    return tuple(_claim_result(outcome, claim) for outcome in outcomes for claim in outcome.claims)


def _claim_result(outcome: StudyOutcome, claim: ClaimOutcome) -> ClaimResult:
    looks = claim.decision.looks
    last = looks[-1] if looks else None
    own = claim.claim
    none = (0,) * len(outcome.study.sizes)
    return ClaimResult(
        id=outcome.study.claim_id(own),
        statement=own.statement,
        source=own.source,
        argument=own.argument,
        observable=own.observable_text,
        rule=own.rule.kind,
        status=claim.decision.status,
        relation=own.relation,
        theory=claim.theory,
        simulation=last.value if last else math.nan,
        stderr=last.stderr if last else math.nan,
        margin=claim.margin,
        low=last.low if last else math.nan,
        high=last.high if last else math.nan,
        numerical_error=claim.numerical_error,
        df=_fitted(last, "df"),
        chi2=_fitted(last, "chi2"),
        inflation=_fitted(last, "inflation"),
        curvature=_fitted(last, "curvature"),
        slope=_fitted(last, "slope"),
        exponents=own.rule.exponents if isinstance(own.rule, Limit) else (),
        sizes=outcome.study.sizes,
        seeds=seeds_at_look(outcome.study.seeds, len(looks) - 1) if looks else none,
        looks=tuple(
            LookResult(
                seeds=seeds_at_look(outcome.study.seeds, index),
                simulation=look.value,
                stderr=look.stderr,
                status=look.status,
            )
            for index, look in enumerate(looks)
        ),
        p_pass=claim.decision.p_pass,
        p_fail=claim.decision.p_fail,
        holm_p=claim.holm_p,
        holm_p_fail=claim.holm_p_fail,
        power=last.power if last else math.nan,
        seeds_factor=seeds_factor(last) if last else math.nan,
        discriminating=claim.discriminating,
        mutants=claim.mutants,
    )


def _fitted(comparison: Comparison | None, name: str) -> float:
    """A number of the first fit; nan where there is none, or where the fit has no such number."""
    if comparison is None or not comparison.fits:
        return math.nan
    fit = comparison.fits[0]
    if name == "slope" and not isinstance(fit, Extrapolation):
        return math.nan
    return float(getattr(fit, name, math.nan))
