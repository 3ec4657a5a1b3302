"""``python -m records NAME …`` makes certificates anew."""

import sys

from records.choices import CHOICES, write

if unknown := sorted(set(sys.argv[1:]) - set(CHOICES)):
    sys.exit(f"no record {', '.join(unknown)}; the records are {', '.join(CHOICES)}.")
for name in sys.argv[1:] or CHOICES:
    write(name)
