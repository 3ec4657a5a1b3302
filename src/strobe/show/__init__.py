"""How anything is shown to people: answers as text and HTML, plots, drawings of robots.

In the order of the data:

    units            rad and N m, or m and N
    rounding_noise   what rounding leaves of nothing
    terminal         texts and tables as a terminal shows them
    tables           aligned, complete, never cut
    json_text        results as JSON, every digit
    html             elements, escaped in one place
    sheet            an answer: a line, tables with units, sentences, a figure
    picture          a figure that displays itself
    svg              elements, one look for all
    math_font        the font of formulas
    axes             scales with round ticks, places of panels, keys of legends
    plots            bars, lines, phase planes, maps
    time_series      joints over time
    projection       three dimensions on paper
    skeleton         a robot in a pose, as points and lines
    torso_and_feet   what lines do not show of a walking robot
    glyphs           the marks of mechanical drawings
    drawing          the robot on the page
    drawing_sheet    measures, heading, numbers
    label_placement  no two labels overlap
    annotation       frames, lengths, angles
"""
