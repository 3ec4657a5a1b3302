"""From a request to a motion the arm can follow.

In the order of the data:

    requests                  points to pass, bounds to keep
    reading                   requests in TOML and JSON
    repeated_points           the same point twice
    motion                    polynomials between knots
    planners                  all by name
    trapezoidal_profile       one joint under bounds on speed and acceleration
    synchronised_profiles     many joints in step
    via_points                velocities at points that leave them open
    constant_acceleration     through all points
    envelope                  how far from the lines between points
    path                      q(s), without time
    path_constraints          what limits say along it
    controllable_sets         which speeds still lead to its end
    torque_limited            the fastest along it
    near_minimum_time         the path chosen too
    cma_es                    by evolution
    bang_bang                 every torque at a bound
    achievable_accelerations  that a robot can always give
    splines                   cubic and quintic
    blends                    lines and parabolas
    cartesian_lines           the hand on straight lines
    jerk_limited              by Ruckig
    bound_checks              bounds checked exactly
    spline_derivatives        rates of recorded positions
    files                     JSON, CSV, NPZ
    figure                    a motion, drawn
"""
