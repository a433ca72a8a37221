"""`pip install ./python`: CMake builds the compiled part of the package, setuptools packs it.

HEED_BUILD names a build folder to use again, such as build/dev of this tree; else one is made and left
behind in build/pip, so that the next install is fast.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = Path(self.get_ext_fullpath(extension.name))
        build = Path(os.environ.get("HEED_BUILD", ROOT / "build" / "pip")).resolve()
        if "HEED_BUILD" not in os.environ:
            ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", ROOT, "-B", build, *ninja, "-DCMAKE_BUILD_TYPE=Release", "-DHEED_BUILD_PYTHON=ON",
                            "-DHEED_BUILD_TESTS=OFF", "-DHEED_BUILD_EXAMPLES=OFF", f"-DHEED_PYTHON={sys.executable}"],
                           check=True)
        subprocess.run(["cmake", "--build", build, "--target", "heed_python", "--parallel"], check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "python" / "heed" / target.name, target)


setup(ext_modules=[Extension("heed._heed", sources=[])], cmdclass={"build_ext": CMakeBuild})
