"""Libraries of motions: learned, corrected by what was measured, interpolated, kept in files, refused when void."""

import numpy as np
import pytest

import strobe
from strobe.approximate.typical import TypicalTrajectories, slower, slowly
from strobe.errors import ArgumentError, OutputError, ShapeError, UnknownNameError, UnsupportedModelError

START, GOAL, OTHER = [0, 0.6, 0.4, 0, 0.5, 0], [1.2, 1.3, 0.8, 1, -0.6, 1.5], [-1, 0.3, 0.6, 1, 0, -1]
BOUNDS = {"acceleration": [1.5, 1.5, 0.8, 4, 4, 4], "velocity": [1, 1, 0.6, 2, 2, 2]}


@pytest.fixture(scope="module")
def unknown(stanford):
    return stanford.plan([START, OTHER], **BOUNDS)


@pytest.fixture
def library(stanford, swing):
    made = TypicalTrajectories(stanford)
    made.learn(swing)
    return made


def reach(stanford):
    """A family of motions: how far the first joint goes, and how fast."""
    return lambda far, speed: stanford.plan([START, [far, *GOAL[1:]]], "quintic", times=[0, 2 / speed])


GRID = {"far": [0.8, 1.0, 1.2], "speed": [0.8, 1.0, 1.2]}


def worst(robot, method, state):
    return np.abs(method.inverse_dynamics(*state) - robot.inverse_dynamics(*state)).max()


# -- looking up ---------------------------------------------------------------------------------------------


def test_at_stored_states_it_is_exact_for_any_acceleration(stanford, swing, library):
    q, qd, _ = swing.sampled(count=40)[1]
    qdd = np.random.default_rng(0).normal(size=(40, 6))
    assert library.inverse_dynamics(q, qd, qdd) == pytest.approx(
        stanford.inverse_dynamics(q, qd, qdd), abs=1e-12
    )


def test_on_a_known_motion_it_errs_as_storing_along_it_does(stanford, swing, library):
    state = swing.sampled(count=201)[1]
    alone = strobe.approximate.AlongTrajectory(stanford, swing, 40)
    assert (library.inverse_dynamics(*state) == alone.inverse_dynamics(*state)).all()


def test_with_derivatives_it_errs_less(stanford, swing, library):
    first = TypicalTrajectories(stanford, derivatives=True)
    first.learn(swing)
    state = swing.sampled(count=201)[1]
    assert worst(stanford, first, state) < 0.02 * worst(stanford, library, state)
    assert first.memory > library.memory


def test_two_motions_are_both_known(stanford, swing, unknown, library):
    assert not library.knows(unknown)
    library.learn(unknown)
    assert library.knows(unknown)
    assert library.knows(swing)
    assert worst(stanford, library, unknown.sampled(count=201)[1]) < 1.0
    assert len(library.motions) == 2


def test_a_state_far_from_all_motions_is_refused(library, unknown):
    with pytest.raises(
        ArgumentError, match=r"away in q from the nearest that is stored, which holds within 0\.08"
    ):
        library.inverse_dynamics(*unknown(1.0))
    assert library.distance(*unknown(1.0)[:2])[0] > 0.1


def test_a_bound_of_ones_own_is_kept(stanford, swing, unknown):
    library = TypicalTrajectories(stanford, within=(5, 9))
    library.learn(swing)
    library.inverse_dynamics(*unknown(1.0))
    assert library.knows(unknown)


def test_an_empty_library_knows_nothing_and_says_so(stanford, swing):
    empty = TypicalTrajectories(stanford)
    assert not empty.knows(swing)
    assert empty.memory == 0
    with pytest.raises(ArgumentError, match="the library is empty: it knows no motion"):
        empty.inverse_dynamics(*swing(1.0))


def test_a_motion_is_found_by_where_it_leads_and_how_long_it_takes(stanford, swing, library):
    library.learn(slower(swing, 2.0))
    assert library.find(START, GOAL, 1.9).duration == pytest.approx(swing.duration)
    assert library.find(START, GOAL, 3.0).duration == pytest.approx(2 * swing.duration)
    assert library.find(GOAL, START) is None
    assert library.find(START, [1.0]) is None


# -- learning -----------------------------------------------------------------------------------------------


def test_a_motion_repeated_is_not_stored_again(swing, library):
    before = library.memory
    library.learn(swing)
    assert (library.memory, len(library.motions)) == (before, 1)


def test_what_the_model_does_not_know_is_learned_by_measuring(stanford, swing, library):
    """The arm carries a load that its model does not have."""
    loaded = stanford.with_payload(0.3)
    measured = loaded.inverse_dynamics(*swing.sampled(count=800)[1])
    state = swing.sampled(count=201)[1]
    assert worst(loaded, library, state) > 3
    assert library.learn(swing, measured).repetitions == 1
    assert worst(loaded, library, state) < 1  # D is still that of the model


def test_noise_of_measured_torques_is_averaged_away(stanford, swing, library):
    rng, state = np.random.default_rng(0), swing.sampled(count=40)[1]
    exact = stanford.inverse_dynamics(*state)
    errors = []
    for _ in range(64):
        library.learn(swing, exact + rng.normal(size=exact.shape))
        errors.append(np.sqrt(np.mean((library.inverse_dynamics(*state) - exact) ** 2)))
    assert library.motions[0].repetitions == 64
    assert errors[0] == pytest.approx(1.0, abs=0.15)
    assert errors[-1] == pytest.approx(1 / 8, abs=0.02)


def test_measured_torques_may_have_times_of_their_own(stanford, swing, library):
    t = np.sort(np.append(np.random.default_rng(0).uniform(0, swing.duration, 300), [0.0, swing.duration]))
    library.learn(swing, stanford.inverse_dynamics(*swing(t)) + np.eye(6)[0], times=t)
    q, qd, qdd = swing.sampled(count=40)[1]
    more = library.inverse_dynamics(q, qd, qdd) - stanford.inverse_dynamics(q, qd, qdd)
    assert more == pytest.approx(np.tile([1.0, 0, 0, 0, 0, 0], (40, 1)), abs=1e-9)


def test_measured_torques_that_do_not_fit_are_refused(swing, library):
    with pytest.raises(ShapeError, match=r"measured has shape \(9, 5\); stanford has 6 joints"):
        library.learn(swing, np.zeros((9, 5)))
    with pytest.raises(ShapeError, match="two instants of the motion or more"):
        library.learn(swing, np.zeros((1, 6)))
    with pytest.raises(ArgumentError, match="not finite; leave such rows out"):
        library.learn(swing, np.full((9, 6), np.nan))
    with pytest.raises(ArgumentError, match="times are not 9 rising numbers"):
        library.learn(swing, np.zeros((9, 6)), times=np.zeros(9))
    with pytest.raises(
        ArgumentError, match=r"cover 0 to 1 s of a motion that lasts 1\.86667 s; expected all of it"
    ):
        library.learn(swing, np.zeros((9, 6)), times=np.linspace(0, 1, 9))
    with pytest.raises(ArgumentError, match="no measured= was given"):
        library.learn(swing, times=[0, 1])
    assert library.motions[0].repetitions == 0


# -- procedures ---------------------------------------------------------------------------------------------


def test_on_the_grid_a_procedure_is_what_is_stored(stanford):
    library = TypicalTrajectories(stanford)
    make = reach(stanford)
    library.procedure("reach", make, GRID)
    t, state = make(1.0, 0.8).sampled(count=40)
    performed = library.perform("reach", far=1.0, speed=0.8)
    assert performed.inverse_dynamics(*state, t=t) == pytest.approx(
        stanford.inverse_dynamics(*state), abs=1e-12
    )


def test_between_the_grid_a_procedure_is_nearer_than_any_motion_of_it(stanford):
    library = TypicalTrajectories(stanford, points=80)
    make = reach(stanford)
    library.procedure("reach", make, GRID)
    state = make(0.9, 1.1).sampled(count=201)[1]
    between = library.perform("reach", far=0.9, speed=1.1)
    at_the_corner = library.perform("reach", far=1.0, speed=1.0)
    at_the_corner.within = between.within = np.full(2, np.inf)
    assert worst(stanford, between, state) < 0.05
    assert worst(stanford, between, state) < 0.1 * worst(stanford, at_the_corner, state)


def test_motions_of_a_procedure_are_known_to_the_library(stanford):
    library = TypicalTrajectories(stanford)
    library.procedure("reach", reach(stanford), GRID)
    assert library.knows(reach(stanford)(0.8, 1.2))
    assert len(library.motions) == 0


def test_parameters_outside_the_grid_are_refused_with_the_range(stanford, library):
    library.procedure("reach", reach(stanford), GRID)
    with pytest.raises(ArgumentError, match=r"^far is 2; it is stored from 0\.8 to 1\.2\.$"):
        library.perform("reach", far=2, speed=1)
    with pytest.raises(ArgumentError, match='procedure "reach" has parameters far, speed; got far'):
        library.perform("reach", far=1)
    with pytest.raises(UnknownNameError, match='no procedure "rech" in the library. Did you mean'):
        library.perform("rech")
    with pytest.raises(ArgumentError, match='procedure "reach" is stored already'):
        library.procedure("reach", reach(stanford), GRID)


@pytest.mark.parametrize("grid", [{}, {"far": []}, {"far": [1, 1]}, {"far": [2, 1]}, {"far": [np.nan]}])
def test_a_grid_that_is_none_is_refused(stanford, library, grid):
    with pytest.raises(ArgumentError, match="has no parameters" if not grid else "expected rising numbers"):
        library.procedure("reach", reach(stanford), grid)


# -- unknown motions ----------------------------------------------------------------------------------------


def test_a_known_motion_is_made_as_it_is(swing, library):
    policy = library.policy(swing, torque=0.01)
    assert (policy.known, policy.factor) == (True, 1.0)
    assert policy.says == "The motion is known: make it as it is."
    assert policy.motion.duration == swing.duration


def test_an_unknown_motion_is_made_so_slowly_that_velocity_torques_stay_within_the_bound(
    stanford, unknown, library
):
    policy = library.policy(unknown, torque=0.2)
    assert not policy.known
    state = policy.motion.sampled(count=4321)[1]
    missed = stanford.inverse_dynamics(*state) - strobe.approximate.WithoutVelocityTerms(
        stanford
    ).inverse_dynamics(*state)
    assert np.abs(missed).max() == pytest.approx(0.2, rel=1e-3)
    assert "go slowly" in policy.says
    assert f"made {policy.factor:.3g} times as long" in policy.says


def test_each_joint_may_have_a_bound_of_its_own(stanford, unknown):
    whole = slowly(stanford, unknown, 0.2)
    own = slowly(stanford, unknown, [0.2, 9, 0.2, 0.2, 0.2, 0.2])
    assert 1 < own.factor < whole.factor
    still = slowly(stanford, unknown, 99)
    assert still.factor == 1.0
    assert "slow enough" in still.says


def test_a_slower_motion_takes_the_same_path(swing):
    slow = slower(swing, 3.0)
    t = np.linspace(0, swing.duration, 50)
    here, there = swing(t), slow(np.minimum(3 * t, slow.duration))
    assert there.q == pytest.approx(here.q, abs=1e-12)
    assert there.qd == pytest.approx(here.qd / 3, abs=1e-12)
    assert slow.points == pytest.approx(3 * swing.points)


@pytest.mark.parametrize("torque", [0, -1, np.nan, "much", [1, 2]])
def test_a_bound_that_is_none_is_refused(unknown, library, torque):
    with pytest.raises(ArgumentError, match="expected a torque above zero, or one for each of 6 joints"):
        library.policy(unknown, torque)


# -- memory and files ---------------------------------------------------------------------------------------


def test_a_library_within_its_budget_refuses_what_would_go_beyond(stanford, swing, unknown):
    library = TypicalTrajectories(stanford, budget=20_000)
    library.learn(swing)
    with pytest.raises(ArgumentError, match="with the motion takes 34,560 bytes; the budget is 20,000"):
        library.learn(unknown)
    with pytest.raises(ArgumentError, match='procedure "reach", 9 motions, takes 172,800 bytes'):
        library.procedure("reach", reach(stanford), GRID)
    library.learn(swing)  # known: nothing more to store
    assert library.memory == 17_280


@pytest.mark.parametrize("budget", [-1, np.nan, "64kB"])
def test_a_budget_that_is_none_is_refused(stanford, budget):
    with pytest.raises(ArgumentError, match="expected bytes of memory, zero or more"):
        TypicalTrajectories(stanford, budget=budget)


def test_a_library_read_back_gives_the_same_torques(stanford, swing, library, tmp_path):
    library.learn(swing, stanford.with_payload(0.1).inverse_dynamics(*swing.sampled(count=99)[1]))
    library.procedure("reach", reach(stanford), GRID)
    library.procedure("one more", lambda far: reach(stanford)(far, 1.0), {"far": [0.5]})
    library.save(tmp_path / "typical.npz")
    again = TypicalTrajectories.load(tmp_path / "typical.npz", strobe.load("stanford"))
    state = swing.sampled(count=77)[1]
    assert (again.inverse_dynamics(*state) == library.inverse_dynamics(*state)).all()
    assert again.motions[0].repetitions == 1
    assert list(again.procedures) == ["reach", "one more"]
    here, there = (each.perform("reach", far=0.9, speed=1.0) for each in (library, again))
    assert (here.stored.D == there.stored.D).all()
    assert again.memory == library.memory


def test_how_a_library_was_made_is_read_back(stanford, swing, tmp_path):
    library = TypicalTrajectories(
        stanford, points=7, within=(0.5, 2), derivatives=True, scale=0.5, budget=10**6
    )
    library.save(tmp_path / "empty.npz")
    library.learn(swing)
    library.save(tmp_path / "one.npz")
    for name, count in (("empty", 0), ("one", 1)):
        again = TypicalTrajectories.load(tmp_path / f"{name}.npz", stanford)
        assert (again.points, again.derivatives, again.budget, len(again.motions)) == (
            7,
            True,
            10**6,
            count,
        )
        assert again.within.tolist() == [0.5, 2]
        assert (again.scale == 0.5).all()


def test_a_payload_makes_a_library_void_and_is_named(stanford, library, tmp_path):
    library.save(tmp_path / "typical.npz")
    with pytest.raises(ArgumentError) as refused:
        TypicalTrajectories.load(tmp_path / "typical.npz", stanford.with_payload(0.8))
    assert str(refused.value) == (
        f"{tmp_path / 'typical.npz'} was made with another stanford: the body moved by joint6 has changed (0.51 kg "
        "then, 1.31 kg now). What it stores may not hold any more; make it again with this robot."
    )
    with pytest.raises(
        ArgumentError, match=r"the library was made with another stanford: the body moved by joint6"
    ):
        library.use_with(stanford.with_payload(0.8))
    assert library.use_with(strobe.load("stanford")) is library


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda robot: robot.with_gravity((0, 0, -1.6)), "another stanford: gravity has changed"),
        (
            lambda robot: robot.with_frame("tip", xyz=(0, 0, 0.1)),
            'another stanford: tip was "" and is "tip"; frame "tip" is new. What it stores may not hold any more',
        ),
        (
            lambda robot: strobe.load("planar2"),
            "made with stanford, whose joints are joint1, .*; planar2 has",
        ),
    ],
)
def test_any_other_robot_is_refused_and_what_differs_is_said(stanford, library, change, said):
    with pytest.raises(ArgumentError, match=said):
        library.use_with(change(stanford))


def test_a_file_is_replaced_only_when_asked(library, tmp_path):
    path = tmp_path / "typical.npz"
    library.save(path)
    with pytest.raises(OutputError, match="it exists"):
        library.save(path)
    library.save(path, force=True)
    with pytest.raises(ArgumentError, match=r"a library is kept in an \.npz file"):
        library.save(tmp_path / "typical.json")


def test_a_file_that_is_no_library_is_refused(stanford, tmp_path):
    path = tmp_path / "x.npz"
    with pytest.raises(ArgumentError, match=r"x\.npz: cannot be read: No such file"):
        TypicalTrajectories.load(path, stanford)
    path.write_bytes(b"PK nonsense")
    with pytest.raises(ArgumentError, match=r"x\.npz: not an NPZ file of plain arrays"):
        TypicalTrajectories.load(path, stanford)
    np.savez(path, t=np.zeros(3))
    with pytest.raises(
        ArgumentError, match=r"x\.npz: not a library of motions: there is no array \"robot\""
    ):
        TypicalTrajectories.load(path, stanford)


def test_it_says_what_it_costs_and_what_it_knows(library):
    assert library.operations.lookups > 42
    assert library.preparation > 0
    assert library.notes[0].startswith("It knows 1 motion and 0 procedures")


def test_joints_with_quaternions_are_refused_by_name():
    robot = strobe.random(1, seed=0, kinds="S")
    with pytest.raises(UnsupportedModelError, match="a library of typical trajectories needs joints"):
        TypicalTrajectories(robot)
