"""``python -m strobe`` is the command ``strobe``.

Python puts the working folder first among the places of modules for ``-m``; what the command needs is not looked for
there, unless the package itself lies in it.
"""

import os
import sys

if __name__ == "__main__":
    here, home = os.path.realpath(os.getcwd()), os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if not sys.flags.safe_path and os.path.realpath(sys.path[0]) == here != home:
        del sys.path[0]

    from strobe.cli import main

    main()
