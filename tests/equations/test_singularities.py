"""det J in closed form: against determinants of numbers, and the products that the literature gives."""

import numpy as np
import pytest

import strobe
from strobe.equations import expression as ex
from strobe.equations.closed_form import equations_of
from strobe.errors import StrobeError

PRODUCTS = {
    "stanford": ("q3² sin q2 sin q5", ["q3 = 0", "sin q2 = 0, q2 = 0 or π", "sin q5 = 0, q5 = 0 or π"]),
    "stanford-c": ("q3² sin q2 sin q5", ["q3 = 0", "sin q2 = 0, q2 = 0 or π", "sin q5 = 0, q5 = 0 or π"]),
    "puma560": (
        "a2 sin q5 · (a3 sin q3 + d4 cos q3) (a2 cos q2 − d4 sin(q2 + q3) + a3 cos(q2 + q3))",
        [
            "sin q5 = 0, q5 = 0 or π",
            "a3 sin q3 + d4 cos q3 = 0, tan q3 = −d4/a3",
            "a2 cos q2 − d4 sin(q2 + q3) + a3 cos(q2 + q3) = 0",
        ],
    ),
    "ur5": (
        "a2 a3 sin q3 sin q5 · (a2 cos q2 + a3 cos(q2 + q3) + d5 sin(q2 + q3 + q4))",
        [
            "sin q3 = 0, q3 = 0 or π",
            "sin q5 = 0, q5 = 0 or π",
            "a2 cos q2 + a3 cos(q2 + q3) + d5 sin(q2 + q3 + q4) = 0",
        ],
    ),
    "planar2": ("l1 l2 sin q2", ["sin q2 = 0, q2 = 0 or π"]),
    "planar3": ("l1 l2 sin q2", ["sin q2 = 0, q2 = 0 or π"]),
    "spherical3": ("q3² cos q2", ["q3 = 0", "cos q2 = 0, q2 = ±π/2"]),
}
ROWS = {"planar2": [0, 1], "planar3": [0, 1, 5], "spherical3": [0, 1, 2]}


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_determinant_is_the_product_of_the_literature(name):
    found = strobe.load(name).equations().singularities()
    product, conditions = PRODUCTS[name]
    assert found.text == product
    assert list(found.conditions) == conditions


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("name", [*PRODUCTS, "rx90"])
def test_the_product_has_the_values_of_the_determinant_and_its_terms(name, numbers):
    robot = strobe.load(name)
    equations = robot.equations(numbers=numbers)
    found = equations.singularities()
    q = robot.random_state(seed=1, batch=50)[0]
    J = robot.jacobian(q)[:, ROWS.get(name, range(6))]
    assert equations.evaluate(found.determinant, q) == pytest.approx(np.linalg.det(J), abs=1e-14)
    ring = found.determinant.system
    assert ring.lower(ex.value(found.expression, ring.variable, ring.constant)).equals(found.determinant)


def test_the_determinant_does_not_depend_on_the_tool():
    """Any frame of the last link, and its own axes, give the same product."""
    robot = strobe.load("ur5").with_frame("pen", (0.1, 0.2, 0.3), (1.0, 0.5, 0.2))
    assert robot.equations().singularities().text == PRODUCTS["ur5"][0]


def test_an_arm_can_be_singular_everywhere_or_nowhere():
    assert str(strobe.load("pendulum3").equations().singularities()) == (
        "det J of the rows x, y, z = 0: singular everywhere"
    )
    two = strobe.load("planar2")
    assert str(two.equations().singularities(of=("x", "wz"))).startswith(
        "det J of the rows x, wz = −l1 sin q1"
    )
    one = two.equations().singularities(frame="link1", of=("wz",))
    assert str(one) == "det J of the rows wz = 1: singular nowhere"


def test_it_prints_as_a_product_with_its_conditions_and_in_latex():
    found = strobe.load("stanford").equations().singularities()
    assert str(found).splitlines() == [
        "det J = q3² sin q2 sin q5",
        "  singular where q3 = 0",
        "  singular where sin q2 = 0, q2 = 0 or π",
        "  singular where sin q5 = 0, q5 = 0 or π",
    ]
    assert found._repr_latex_().startswith("$\\det J = ")


@pytest.mark.slow
def test_rows_may_be_chosen_for_a_frame_that_fewer_joints_carry():
    robot = strobe.load("puma560")
    found = robot.equations().singularities("link4", of=("x", "y", "z", "wz"))
    q = robot.random_state(seed=2, batch=20)[0]
    rows = robot.jacobian(q, "link4")[:, [0, 1, 2, 5], :4]
    assert equations_of(robot).evaluate(found.determinant, q) == pytest.approx(
        np.linalg.det(rows), abs=1e-14
    )


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: _of("panda"), '7 joints of panda move frame "tool", more than J has rows: it is singular'),
        (lambda: _of("panda", frame="link4"), 'Say which 4 are meant: of=('),
        (lambda: _of("ur5", of=("x", "y")), 'frame "tool", and a determinant needs as many rows; got x, y.'),
        (lambda: _of("ur5", of=("x", "y", "z", "rx", "ry", "rz")), 'no row "rx" in a Jacobian.'),
        (lambda: _of("ur5", frame="base"), 'no joint of ur5 moves frame "base".'),
        (lambda: _of("ur5", frame="hammer"), 'no frame "hammer" in ur5.'),
        (
            lambda: strobe.random(6, 1, kinds="R").equations().singularities(),
            "det J of random-6-1 has no short closed form: it takes more than 300,000 products of terms.",
        ),
    ],
)  # fmt: skip
def test_where_there_is_no_closed_form_the_reason_is_told(call, sentence):
    with pytest.raises(StrobeError) as caught:
        call()
    assert sentence in str(caught.value)


def _of(name, **keywords):
    return strobe.load(name).equations().singularities(**keywords)
