"""The suites that come with the library: what every claim says, and the document that maps them."""

import re
from pathlib import Path

import pytest

from hermite_analytics.validation import load_suite, read_suite
from hermite_analytics.validation.campaign.study_run import StudyRun, Theory
from hermite_analytics.validation.experiments.mutants import MUTANTS

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "claims.md"
FAMILIES = sorted((ROOT / "validation" / "suites" / "families").glob("*.toml"))


@pytest.fixture(scope="module")
def seeds():
    return load_suite("seeds")


@pytest.mark.slow
def test_every_family_has_a_quick_member(seeds):
    quick = {study.id for study in load_suite("quick").studies}
    full = {study.id for study in seeds.studies}
    assert quick < full
    for family in FAMILIES:
        members = {study.id for study in read_suite(family).studies}
        assert members <= full and members & quick, family.name


@pytest.mark.slow
def test_a_quick_study_is_the_full_one_made_smaller(seeds):
    """The experiment is the same, so that both share their cells; claims, sizes and seeds may be fewer."""
    full = {study.id: study for study in seeds.studies}
    for study in load_suite("quick").studies:
        whole = full[study.id]
        assert study.experiment == whole.experiment and set(study.claims) <= set(whole.claims)
        assert len(study.sizes) <= len(whole.sizes) and study.looks == whole.looks


@pytest.mark.slow
def test_claims_are_many_and_say_what_they_are(seeds):
    claims = [claim for study in seeds.studies for claim in study.claims]
    assert len(claims) >= 100
    for claim in claims:
        assert claim.statement.endswith("."), claim.id
        assert re.search(r"arXiv|talk", claim.source), claim.id
    used = {name for claim in claims for name in claim.mutants}
    assert used <= set(MUTANTS)


@pytest.mark.slow
def test_the_document_names_claims_that_exist(seeds):
    names = {study.claim_id(claim) for study in seeds.studies for claim in study.claims}
    shown = re.findall(r"`([a-z][A-Za-z0-9._*-]+)/([A-Za-z0-9._*-]+)`", DOCUMENT.read_text(encoding="utf-8"))
    assert len(shown) > 50
    for study, claim in shown:
        pattern = re.compile(f"{study}/{claim}".replace(".", r"\.").replace("*", ".*"))
        assert any(pattern.fullmatch(name) for name in names), f"{study}/{claim}"


def test_every_study_of_the_document(seeds):
    text = DOCUMENT.read_text(encoding="utf-8")
    patterns = [p.replace(".", r"\.").replace("*", ".*") for p in re.findall(r"`([A-Za-z0-9._*-]+)", text)]
    for study in seeds.studies:
        assert any(re.fullmatch(pattern, study.id) for pattern in patterns), study.id


@pytest.mark.slow
@pytest.mark.arrays
def test_margins_are_at_most_half_of_every_mutant_effect(seeds):
    """Of those that the run of the quick suite does not ask: same experiments, and sizes do not enter."""
    quick = {study.claim_id(claim) for study in load_suite("quick").studies for claim in study.claims}
    for study in seeds.studies:
        claims = [claim for claim in study.claims if study.claim_id(claim) not in quick]
        run = StudyRun.start(study, Theory.of(study), {}) if claims else None
        for claim in claims:
            assert run.discriminating(claim) in (True, None), study.claim_id(claim)
