"""A quantity of a robot as files to take away: sources, object files, modules for the web.

In the order of the data:

    requests           for one quantity or several
    function           a quantity with a name and an explanation
    argument_meanings  what every number is, in words
    units              in ASCII, by the kind of the joint
    provenance         version, robot and joints
    test_values        what the self-test compares with
    quantity           written for every target
"""
