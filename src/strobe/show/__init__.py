"""How anything is shown to people: `html` (elements, escaped in one place), `math_font` (the font of formulas),
`sheet` (what an answer shows, as text and as HTML), `picture` (a figure that displays itself), `units`."""
