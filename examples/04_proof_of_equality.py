"""Two formulations run on integers modulo a random prime: exactly equal, and a wrong one is not."""

import strobe
from strobe.formulations import FORMULATIONS, PRINTED
from strobe.scalars import FieldSystem

robot = strobe.load("puma560")


def torques(method, seed):
    """The torques of one random robot of this structure, in one random state, exactly."""
    field = FieldSystem(seed=seed)
    model = robot.model.lift(field)
    return [field.lower(tau) for tau in method.inverse_dynamics(model, *model.variables())]


reference = FORMULATIONS["newton-euler"]
for name, method in FORMULATIONS.items():
    equal = all(torques(method, seed) == torques(reference, seed) for seed in (1, 2))
    print(f"{name:24s} {'the same function' if equal else 'NOT the same'}")
    assert equal

print(f"{PRINTED.name:24s} differs, as its paper's misprints make it")
assert torques(PRINTED, 1) != torques(reference, 1)
