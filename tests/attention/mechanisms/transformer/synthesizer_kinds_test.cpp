#include "../../../../attention/mechanisms/transformer/synthesizer_kinds.h"

#include <gtest/gtest.h>

#include <string>

#include "../../../../core/error.h"

namespace heed::attention {
namespace {

TEST(SynthesizerKinds, NamesComeBack) {
  for (const std::string name_ :
       {"dot", "synthesizer-dense", "synthesizer-random", "synthesizer-fixed-random",
        "synthesizer-factorised-dense", "synthesizer-factorised-random+dot-product"}) {
    EXPECT_EQ(name(synthesizer_kinds(name_)), name_);
  }
  for (const char* wrong : {"", "hash", "dense", "synthesizer-", "synthesizer-hash",
                            "synthesizer-dense+", "synthesizer-dense+hash"}) {
    EXPECT_THROW(synthesizer_kinds(wrong), ValueError) << wrong;
  }
}

}  // namespace
}  // namespace heed::attention
