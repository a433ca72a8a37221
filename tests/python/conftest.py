"""The package is the one that was built: HEED_PYTHON_PACKAGE, or what PYTHONPATH finds."""

import os
import sys

if "HEED_PYTHON_PACKAGE" in os.environ:
    sys.path.insert(0, os.environ["HEED_PYTHON_PACKAGE"])
    os.environ["PYTHONPATH"] = os.environ["HEED_PYTHON_PACKAGE"]  # of programs that tests begin
