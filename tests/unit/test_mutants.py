"""The list of seeded defects fits the code."""

from __future__ import annotations

import shlex

from mutants.run import ROOT, Mutant, mutants
from tables import for_rows

MUTANTS = mutants()


@for_rows("mutant", MUTANTS)
def test_a_mutant_has_its_place_in_the_code_and_tests_of_its_room(mutant: Mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.find) == 1
    assert mutant.apply_to(text) != text
    assert (ROOT / shlex.split(mutant.tests)[0]).is_file()


def test_each_of_the_forty_mutants_has_a_name_of_its_own():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
