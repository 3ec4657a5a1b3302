"""The Stanford arm follows a motion under some controllers, empty and with a load that none of them knows of."""

import strobe

robot = strobe.load("stanford")
motion = robot.plan(
    [(0.3, 0.9, 0.6, -0.4, 0.7, 1.1), (0.8, 0.9, 0.76, -0.56, 1.05, 0.86)],
    velocity=(1, 1, 0.6, 2, 2, 2),
    acceleration=(1.5, 1.5, 0.8, 4, 4, 4),
)
loads = [[0.0, 0, 0, 0], [0.3, 0, 0, 0]]  # kg, and where it is in the hand: two loops side by side

worst = {}
print("largest errors of the hand in mm: empty, with 0.3 kg")
for name in ("joint-pd", "pd-gravity", "computed-torque", "momentum-observer", "slotine-li"):
    run = strobe.control(robot, motion, name, rate=1000, payload=loads)
    worst[name] = 1e3 * run.hand_error().max(axis=-1)
    print(f"{name:18s} {worst[name][0]:8.3f} {worst[name][1]:8.3f}  {'done' if run.done else run.notes}")

believed, learned = worst["computed-torque"][1], worst["slotine-li"][1]
print(f"who learns the load is off by {learned:.1f} mm, who believes in none by {believed:.1f} mm")
assert learned < 0.3 * believed
