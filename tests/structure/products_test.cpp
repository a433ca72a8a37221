// Precision::bf16 rounds what large products of matrices read: who makes such is known by name, so
// that docs/precision.md can say it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "source_tree.h"

namespace heed {
namespace {

// Who is new here is rounded from some size on: it needs a row of precision_test.cpp and its name
// in docs/precision.md; or PrecisionScope(Precision::f32) around its products and a row of
// precision_bits_test.cpp (both in tests/autograd).
TEST(Products, AreOfTheseFilesAlone) {
  const std::regex product(R"(\b(gemm|gemm_here|gemm_and_sums|gemm_in_panels|matmul|linear)\()");
  std::vector<std::string> found;
  for (const SourceFile& file : source_files()) {
    const std::string place = file.place.generic_string();
    const bool below = file.folder() == "core" || file.folder() == "autograd";
    if (!below || file.place.extension() != ".cpp" || place.starts_with("core/kernels/gemm/")) {
      continue;
    }
    for (const std::string& line : file.lines) {
      if (!std::regex_search(line.substr(0, line.find("//")), product)) continue;
      found.push_back(place);
      break;
    }
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre(
                         // Rounded.
                         "autograd/composed_words.cpp", "autograd/ops/linalg/einsum.cpp",
                         "autograd/ops/linalg/linalg.cpp", "autograd/ops/linalg/matmul.cpp",
                         "autograd/ops/recurrent/cells.cpp", "autograd/stochastic/choices.cpp",
                         "core/kernels/rnn/rnn.cpp",
                         // Of dot_attention() alone.
                         "autograd/ops/attention/attention.cpp",
                         // In f32.
                         "autograd/ops/conv/conv.cpp", "autograd/ops/conv/pool.cpp",
                         "autograd/ops/index/grid_sample.cpp", "autograd/ops/linalg/inverse.cpp",
                         "autograd/ops/linalg/solve.cpp", "core/kernels/conv/conv.cpp"));
}

}  // namespace
}  // namespace heed
