"""Heed for Conan 2: `conan create packaging/conan`, from a checkout."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

required_conan_version = ">=2.0"


class HeedConan(ConanFile):
    name = "heed"
    version = "0.2.0"
    license = "Apache-2.0"
    description = "A deep-learning framework whose subject is attention"
    topics = ("deep-learning", "attention", "autograd")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        folders = ("core", "autograd", "nn", "attention", "optim", "data", "io", "train", "pretrained", "onnx",
                   "distributed", "cmake", "docs", "examples", "scripts")
        for folder in folders:
            copy(self, f"{folder}/*", root, self.export_sources_folder)
        for name in ("CMakeLists.txt", "heed.h", "*.md", "LICENSE"):
            copy(self, name, root, self.export_sources_folder)

    def requirements(self):
        self.requires("openblas/0.3.26")
        self.requires("highway/1.0.7")
        self.requires("fmt/10.2.1")
        self.requires("zlib/1.3.1")
        self.requires("zstd/1.5.5")
        self.requires("libpng/1.6.43")
        self.requires("libjpeg-turbo/3.0.2")
        self.requires("utf8proc/2.9.0")
        self.requires("pcre2/10.42")
        self.requires("random123/1.14.0", visible=False)
        self.requires("nlohmann_json/3.11.3", visible=False)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["HEED_BUILD_TESTS"] = False
        toolchain.cache_variables["HEED_BUILD_EXAMPLES"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="heed")
        cmake.build(target="heed_subwords")
        cmake.build(target="heed_sound")

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "heed")
        self.cpp_info.set_property("cmake_target_name", "heed::heed")
        self.cpp_info.set_property("pkg_config_name", "heed")
        self.cpp_info.libs = ["heed"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread", "dl"]
