"""What differentiable functions of other libraries are made of: quantities, their derivatives as products, steps.

In the order of the data:

    products       a Jacobian times a vector, either way, as a request
    steps          one step in time as a request
    questions      what is asked of a robot, with derivatives that are questions again
    functions      the quantities, for any library
    robot_methods  methods of robots, given its arrays
    rollouts       many steps, and the way back
"""
