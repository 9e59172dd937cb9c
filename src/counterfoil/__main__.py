"""`python -m counterfoil`."""

import sys

from counterfoil.cli.main import main

sys.exit(main())
