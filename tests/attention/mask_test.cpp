#include "../../attention/mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"

namespace heed::attention {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Mask, LengthsAllowTheFirstPlaces) {
  const Mask mask = Mask::lengths({2, 0, 3}, 3);
  EXPECT_EQ(mask.tensor().array().to_vector<bool>(),
            (std::vector<bool>{true, true, false, false, false, false, true, true, true}));
  EXPECT_FALSE(mask.all());
  EXPECT_TRUE(Mask().all());
}

TEST(Mask, AndAllowsWhatBothAllow) {
  const Mask first(Tensor(Array::from<bool>({true, true, false}, {1, 3})));
  const Mask both = first & Mask::lengths({3, 1}, 3);
  EXPECT_EQ(both.tensor().array().to_vector<bool>(),
            (std::vector<bool>{true, true, false, true, false, false}));
  EXPECT_TRUE((Mask() & Mask()).all());
  EXPECT_EQ((first & Mask()).tensor().array().to_vector<bool>(),
            first.tensor().array().to_vector<bool>());
}

TEST(Mask, RefusesWhatIsNoMask) {
  EXPECT_THAT([] { Mask mask(zeros({3})); },
              ThrowsMessage<DTypeError>(HasSubstr("takes bool (true: may attend), not f32[3]")));
  EXPECT_THAT(
      [] {
        Mask::lengths({2, 4}, 3);
      },
      ThrowsMessage<ShapeError>(HasSubstr("length 4 of row 1 is not in [0, 3]")));
  EXPECT_THAT([] { Mask::lengths({-1}, 3); }, ThrowsMessage<ShapeError>(HasSubstr("length -1")));
}

}  // namespace
}  // namespace heed::attention
