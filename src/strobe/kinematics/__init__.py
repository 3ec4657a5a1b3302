"""Between the hand and the joints: coordinates of the hand, inverse kinematics, Denavit-Hartenberg tables.

In the order of the data:

    serial_chain           the joints that carry a frame, as lines
    poses                  poses as people give them
    orientation            sets of angles and their rates
    joint_ranges           limits, of joints that follow too
    solutions              what inverse kinematics answers
    inverse                the call
    solver                 who solves what without a search
    closed_form_solutions  many poses: ranked, polished, tested
    one_pose               one, again and again: one native call
    analytic               the class of an arm, compiled
    chain_geometry         its lines as numbers
    subproblems            one joint and a surface
    pieper                 spherical wrists
    parallel_axes          three parallel axes, planar arms
    general_6r             all solutions of six joints
    elimination            by eigenvalues
    line_coordinates       over fifteen numbers of a line
    screws                 lines on arrays, Newton's method
    redundant              seven joints
    ranking                the best solution first
    branch_names           elbow up, in words that are true
    figure_branches        one pose in several ways, drawn

    numeric                a search for any robot
    initial_guesses        where it starts
    damped_least_squares   all lanes at once
    damped_step            one step over numbers
    one_search             one pose, again and again
    null_space             what redundancy is used for
    unreachable_poses      what is said of poses that are out of reach
    tracking               a continuous path through poses

    end_effector           the frame's own coordinates and how they change
    inverse_rates          joint velocities and accelerations from those of the hand
    manipulability         lost directions, room to the limits
    workspace              where a frame can be
    denavit_hartenberg     DH tables of any chain
    common_normals         between lines
    dh_printing            as text
    dh_files               as a robot
"""
