"""Between the hand and the joints: coordinates of the hand, inverse kinematics, Denavit-Hartenberg tables."""
