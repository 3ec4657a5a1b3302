"""Robots as data: bodies, joints, inertia, constraints; readers, writers, edits, built-ins.

In the order of the data:

    model             bodies joined by before · joint(q) · after
    joints            what moves, how many numbers that takes, what drives it
    inertial          mass properties of a link
    couplings         joints that follow others, and the independent coordinates
    loops             closed chains as data
    parameters        the constants as two vectors
    placements        fixed placements as short chains of turns and shifts
    names             names that nobody stated

    load              from a name, a file, a text or another library's object
    formats           what reads and writes each, and what it is known by
    library           the robots that come with Strobe
    arguments         numbers, names and choices from outside, checked
    model_files       files that a model names, and which of them may be read
    assembly          from links and joints, as a file says them, to a model
    checks            whether what a file states can be true
    urdf              URDF in
    urdf_shapes       its boxes, cylinders, spheres and meshes, for drawing
    urdf_writer       URDF out
    xacro             xacro worked out to URDF
    xacro_texts       ${expression} and $(command …) inside texts
    xacro_grammar     expressions as trees
    xacro_evaluation  trees worked out
    xacro_values      over values of bounded size
    xacro_scopes      names in scopes
    xacro_files       included files and packages
    xacro_yaml        YAML that a file loads
    mjcf              MJCF in
    mjcf_text         as MuJoCo is handed it
    mjcf_bounds       how much a file may ask for
    mjcf_process      MuJoCo's process, from outside
    mjcf_child        from inside
    mjcf_compiled     what MuJoCo answers, checked
    toml_reader       TOML in
    toml_table        key by key, with faults
    toml_links        links and joints of its tables
    toml_writer       TOML out
    uncertainty       how well parameters are known
    expressions       numbers and parameter names in files
    dh_rows           rows of a Denavit-Hartenberg table
    pinocchio_model   a pinocchio.Model
    toolbox_robot     a robot of the Robotics Toolbox
    random_robots     random ones, by seed
    writers           text by the name of a format

    edits             lock, payload, gravity, base, frame, chain, scale
    locking           joints held
    payloads          loads on a frame
    bases             fixed, translating, floating
    chains            the joints between two frames
    scaling           geometrically similar models
    rerooting         the same tree hung from another link
    body_transfer     bodies moved from one carrier to another
    regroup           inertia that a joint cannot feel, moved to its carrier
    reframe           link frames laid anew for few operations
    shapes            mass properties of solids and meshes
    feet              frames that stand on the ground

    default_frame     the frame that is meant where none is named
    random_states     positions within the limits
    fingerprint       a digest of all that a model says
    changes           what differs between two models, part by part
    differences       in words
    doctor            a model file judged part by part
    doctor_inertias   masses and inertias
    doctor_joints     limits, couplings, angles
    doctor_names      names and meshes
    findings          what was found, how bad, what to do
    repairs           what is mended without guessing
"""
