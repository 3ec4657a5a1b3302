"""A biped walks: planned over its feet, checked with the full dynamics, and one step of it under control."""

import strobe
from strobe.mechanisms import Gait, ground_reaction, walk
from strobe.mechanisms.figure_zmp import walk_figure

robot = strobe.load("biped10")
knees_bent = [0, -0.3, 0.6, -0.3, 0, 0, -0.3, 0.6, -0.3, 0]
walked = walk(robot, knees_bent, "torso", gait=Gait(steps=4, length=0.15))

times, ground = walked.ground(friction=0.6)
print(f"{walked.motion.duration:.1f} s: {ground.sentence}")
print("stands on                  until   margin to the edge")
for phase in walked.phases:
    now = (times >= phase.start) & (times < phase.end)
    print(
        f"{' and '.join(phase.standing):26s} {phase.end:4.1f} s  {1e3 * ground.margin[now].min():6.1f} mm"
    )
assert ground.held

drawing = walk_figure(walked)  # soles, zero moment point and centre of mass from above, as SVG
print(f"a drawing of {len(drawing):,} letters")

# the same joints, seen from the foot that stands: the tree hung from that foot, exactly
standing, step = walked.single_support(1)
print(f"the second step stands on {standing.model.base_name}, {standing.joint_names[0]} is its first joint")

run = strobe.control(standing, step, "computed-torque")
accelerations = standing.forward_dynamics(run.q, run.qd, run.tau)
held = ground_reaction(standing, run.q, run.qd, accelerations, foot=standing.model.base_name, friction=0.6)
assert held.held
print(f"under computed torque the foot holds, {1e3 * held.margin.min():.1f} mm from its edge at least")
