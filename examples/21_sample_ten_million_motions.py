"""Brakes fail: how soon is the hand of a Panda at the table, and how fast? Ten million falls are sampled on a card.

    python 21_sample_ten_million_motions.py                    20,000 of them on this processor
    python 21_sample_ten_million_motions.py 10000000 cuda      in parts of a million

Every fall begins at rest in a random pose whose hand is above the table. Joints rub a little, nothing else holds
them; what the limits of joints would do is left out.
"""

import sys
from time import perf_counter

import numpy as np

import strobe
from strobe.simulate import Rollout

STEP, EVERY, TIMES = 1e-3, 50, 6  # seconds, steps between two looks, looks
PART = 1_000_000

count, place = (sys.argv[1:] + ["20000", "processor"][len(sys.argv) - 1 :])[:2]
if not (count.isdecimal() and int(count) > 0 and place in ("processor", "cuda")):
    sys.exit(f'"{count} {place}" is no sample: expected a number above zero, and "processor" or "cuda".')


def rubbing(qd):
    return [-0.5 * x for x in qd]


here = strobe.load("panda")
panda = here.to("cuda") if place == "cuda" else here
fall = Rollout(panda, strobe.trace(rubbing, qd=7), step=STEP).compile()

above = lower = 0
landed, speeds, took = np.zeros(TIMES), [np.zeros(0)] * TIMES, 0.0
for part in range(0, int(count), PART):
    q, _, _ = here.random_state(seed=part, batch=min(PART, int(count) - part))
    q = q[panda.forward_kinematics(q, "hand")[:, 2, 3] > 0.0]
    start = perf_counter()
    rows = fall(q, np.zeros_like(q), EVERY * TIMES, every=EVERY)
    took += perf_counter() - start
    above += len(q)
    down = np.zeros(len(q), bool)
    for k, states in enumerate(np.moveaxis(rows, 1, 0)):
        q, qd = np.ascontiguousarray(states[:, :7]), np.ascontiguousarray(states[:, 7:])
        down |= panda.forward_kinematics(q, "hand")[:, 2, 3] < 0.0
        landed[k] += down.sum()
        speeds[k] = np.append(
            speeds[k], np.linalg.norm(panda.frame_velocity(q, qd, "hand")[~down, :3], axis=1)
        )

for k in range(TIMES):
    usual, most = np.percentile(speeds[k], [50, 99])
    time = 1e3 * STEP * EVERY * (k + 1)
    print(
        f"after {time:3.0f} ms {landed[k] / above:6.2%} are down, others at {usual:.2f} m/s, 1% beyond {most:.2f}"
    )
print(f"{above:,} falls on the {place}: {1e9 * took / (above * EVERY * TIMES):.3g} ns a step")
