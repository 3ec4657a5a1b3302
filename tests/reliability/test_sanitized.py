"""Generated C under sanitizers, in short, and whether a fault would be seen."""

import shutil

import numpy as np
import pytest

import strobe
from reliability import sanitized
from reliability.comparison import Mismatch
from reliability.graphs import random_recipe, states
from reliability.sanitized import Count, answered, built, check_function

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.mark.parametrize("form", ["plain", "fused", "single"])
def test_a_random_function_in_c_holds_on_ordinary_and_extreme_states(tmp_path, form):
    rng, count = np.random.default_rng(11), Count()
    recipe = random_recipe(rng, 40)
    traced = strobe.trace(recipe.function, **dict(recipe.inputs))
    check_function(
        traced, lambda n: {name: states(rng, n, k) for name, k in recipe.inputs}, form, rng, tmp_path, count
    )
    assert count.evaluations == sanitized.STATES + sanitized.EXTREME


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fixed", "equations"])
def test_a_random_robot_in_c_holds(tmp_path, kind):
    count = Count()
    sanitized.TRIALS[kind](np.random.default_rng(3), tmp_path, count)
    assert count.programs == 1


def test_a_write_beyond_the_result_is_seen(tmp_path):
    main = sanitized.driver("function.h", "function", {"x": 1}, 1, "double")
    texts = {
        "function.h": "void function(const double x[1], double out[1]);\n",
        "function.c": '#include "function.h"\n'
        "void function(const double x[1], double out[1]) { (&out[0])[1] = x[0]; }\n",
        "main.c": main,
    }
    program = built(tmp_path, texts, "function.c", "main.c")
    with pytest.raises(Mismatch, match="heap-buffer-overflow"):
        answered(program, np.array([1.0]).tobytes())


def test_a_number_that_fits_no_integer_is_seen(tmp_path):
    texts = {"main.c": "int main(void) { volatile double x = 1e30; return (int)x == 7; }\n"}
    with pytest.raises(Mismatch, match="outside the range of representable values"):
        answered(built(tmp_path, texts, "main.c"))


def test_a_warning_is_a_failure(tmp_path):
    with pytest.raises(Mismatch, match="unused variable"):
        built(tmp_path, {"main.c": "int main(void) { int x; return 0; }\n"}, "main.c")
