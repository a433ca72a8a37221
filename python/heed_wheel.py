"""`pip install ./python`: CMake builds the compiled part of the package, this packs it (PEP 517, 427).

Nothing but Python's own library is needed for that, so that pip has nothing to download, with or without
`--no-build-isolation`. HEED_BUILD names a build folder to use again, such as build/dev of this tree; else one is
made and left behind in build/pip, so that the next install is fast.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def project(field):
    found = re.search(rf'^{field} = "(.*)"$', (HERE / "pyproject.toml").read_text(), re.MULTILINE)
    return found.group(1)


def info():
    return f"heed-{project('version')}.dist-info"


def metadata():
    return (f"Metadata-Version: 2.1\nName: heed\nVersion: {project('version')}\nSummary: {project('description')}\n"
            f"License: Apache-2.0\nRequires-Python: {project('requires-python')}\n"
            "Provides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n")


def compiled():
    """The compiled part, after CMake has made it."""
    build = Path(os.environ.get("HEED_BUILD", ROOT / "build" / "pip")).resolve()
    if "HEED_BUILD" not in os.environ:
        ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(["cmake", "-S", ROOT, "-B", build, *ninja, "-DCMAKE_BUILD_TYPE=Release", "-DHEED_BUILD_PYTHON=ON",
                        "-DHEED_BUILD_TESTS=OFF", "-DHEED_BUILD_EXAMPLES=OFF", f"-DHEED_PYTHON={sys.executable}"],
                       check=True)
    subprocess.run(["cmake", "--build", build, "--target", "heed_python", "--parallel"], check=True)
    return build / "python" / "heed" / f"_heed{sysconfig.get_config_var('EXT_SUFFIX')}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = compiled()
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    tag = f"{python}-{python}{getattr(sys, 'abiflags', '')}-{platform}"
    name = f"heed-{project('version')}-{tag}.whl"
    rows = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(to, content, mode=0o644):
            entry = zipfile.ZipInfo(to)
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{to},sha256={digest},{len(content)}")

        for part in sorted((HERE / "heed").rglob("*")):
            if part.suffix in (".py", ".pyi") or part.name == "py.typed":
                add(part.relative_to(HERE).as_posix(), part.read_bytes())
        add(f"heed/{library.name}", library.read_bytes(), 0o755)
        add(f"{info()}/METADATA", metadata().encode())
        add(f"{info()}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: heed\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        wheel.writestr(f"{info()}/RECORD", "\n".join([*rows, f"{info()}/RECORD,,", ""]))
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    there = Path(metadata_directory) / info()
    there.mkdir()
    (there / "METADATA").write_text(metadata())
    return there.name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("heed: no source distribution: the sources are the whole tree")
