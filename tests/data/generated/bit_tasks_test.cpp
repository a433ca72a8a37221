#include "../../../data/generated/bit_tasks.h"

#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

using Rows = std::vector<std::vector<float>>;

Rows rows(const Array& x, Index b) {
  Rows out;
  for (Index t = 0; t < x.size(1); ++t)
    out.push_back(x.select(0, b).select(0, t).to_vector<float>());
  return out;
}

BitSequences said(BitTask task, Index bits, const std::string& line) {
  return bit_sequences(task, bits, {read_bit_problem(task, bits, line)});
}

TEST(BitTasks, CopyIsReadThenSaid) {
  const BitSequences one = said(BitTask::copy, 2, "10 11 01");
  EXPECT_EQ(rows(one.x, 0), (Rows{{1, 0, 0, 0},
                                  {1, 1, 0, 0},
                                  {0, 1, 0, 0},
                                  {0, 0, 1, 0},
                                  {0, 0, 0, 0},
                                  {0, 0, 0, 0},
                                  {0, 0, 0, 0}}));
  EXPECT_EQ(rows(one.y, 0), (Rows{{1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(one.answer, 3);
  EXPECT_EQ(bits_in_text(one.y.select(0, 0), 2), "10 11 01");
}

TEST(BitTasks, RepeatCopyStandsBetweenSigns) {
  const BitSequences one = said(BitTask::repeat_copy, 2, "3 10 01");
  EXPECT_EQ(one.answer, 7);
  Rows x = rows(one.x, 0);
  const Rows y = rows(one.y, 0);
  EXPECT_NEAR(x[3][3], (3 - 5.5) / 2.87228132327, 1e-6);
  x[3][3] = 0;
  Rows expected(11, {0, 0, 0, 0});
  expected[0] = {0, 0, 1, 0};
  expected[1] = {1, 0, 0, 0};
  expected[2] = {0, 1, 0, 0};
  EXPECT_EQ(x, expected);
  EXPECT_EQ(y[4], (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(y[5], (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(y[6], (std::vector<float>{0, 0, 1}));
}

TEST(BitTasks, RecallIsAnsweredByTheNextItem) {
  const BitSequences one = said(BitTask::recall, 1, "1 0 1  0 0 1  1 1 0  2");
  EXPECT_EQ(one.answer, 3);
  EXPECT_EQ(rows(one.x, 0),
            (Rows{{0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 0},
                  {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 0},
                  {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(rows(one.y, 0), (Rows{{1, 0}, {1, 0}, {0, 0}}));
}

TEST(BitTasks, SortNamesTheFourFifthsOfTheHighestPriorities) {
  const BitSequences one = said(BitTask::sort, 2, "10:0.5 11:-1 01:0.75 00:0.5 11:0");
  EXPECT_EQ(one.answer, 4);
  EXPECT_EQ(bits_in_text(one.y.select(0, 0), 2), "01 10 00 11");
  EXPECT_EQ(rows(one.x, 0)[2], (std::vector<float>{0, 1, 0.75, 0}));
  EXPECT_EQ(rows(one.x, 0)[5], (std::vector<float>{0, 0, 0, 1}));
  EXPECT_EQ(said(BitTask::sort, 1, "1:0").answer, 1);
  EXPECT_EQ(said(BitTask::sort, 1, "1:0 1:0 1:0 1:0 1:0 1:0").answer, 5);
}

TEST(BitTasks, ABitIsSaidAboveAHalf) {
  EXPECT_EQ(bits_in_text(Array::from(std::vector<double>{0.5, 0.51, 9, -1, 1, 9}, {2, 3}), 2),
            "01 01");
}

TEST(BitTasks, DrawsBatchesOfOneLength) {
  Generator generator(3), same(3);
  for (const char* name : {"copy", "repeat_copy", "recall", "sort"}) {
    const BitTask task = bit_task(name);
    const BitSequences some = draw_bit_sequences(task, 5, 7, {2, 11}, generator);
    const BitSequences again = draw_bit_sequences(task, 5, 7, {2, 11}, same);
    EXPECT_EQ(some.x.to_vector<float>(), again.x.to_vector<float>());
    EXPECT_EQ(some.x.size(0), 7);
    EXPECT_EQ(some.x.size(2), 7);
    EXPECT_EQ(some.y.shape(), (Shape{7, some.answer, 6}));
    EXPECT_NE(rows(some.y, 0), rows(some.y, 1)) << name;
  }
}

TEST(BitTasks, RefusesWhatIsNone) {
  Generator generator(5);
  EXPECT_ERROR_WITH(ValueError, "bits: there is no task add", bit_task("add"));
  EXPECT_ERROR_WITH(ValueError, "bits: 0 bits, length 3",
                    draw_bit_problem(BitTask::copy, 0, 3, 1, generator));
  EXPECT_ERROR_WITH(ValueError, "below 1, 2 and 1",
                    draw_bit_problem(BitTask::recall, 2, 1, 1, generator));
  EXPECT_EQ(draw_bit_problem(BitTask::recall, 2, 2, 1, generator).vectors.size(), 6U);
  EXPECT_ERROR_WITH(ValueError, "length 0 and 1 repeats: below 1, 1 and 1",
                    draw_bit_problem(BitTask::copy, 2, 0, 1, generator));
  EXPECT_ERROR_WITH(ValueError, "1 bits, length 1 and 0 repeats",
                    draw_bit_problem(BitTask::sort, 1, 1, 0, generator));
  EXPECT_EQ(draw_bit_problem(BitTask::sort, 1, 1, 1, generator).priorities.size(), 1U);
  EXPECT_ERROR_WITH(ValueError, "bits: no problems", bit_sequences(BitTask::copy, 2, {}));
  EXPECT_ERROR_WITH(ValueError, "bits: problems of different lengths",
                    bit_sequences(BitTask::copy, 1, {{{{true}}}, {{{true}, {false}}}}));
  const auto read = [](BitTask task, const char* line) { read_bit_problem(task, 2, line); };
  EXPECT_ERROR_WITH(ValueError, "bits: no vectors came", read(BitTask::copy, " "));
  EXPECT_ERROR_WITH(ValueError, "bits: \"12\" is no vector of 2 bits",
                    read(BitTask::copy, "10 12"));
  EXPECT_ERROR_WITH(ValueError, "bits: \"101\" is no vector", read(BitTask::copy, "101"));
  EXPECT_ERROR_WITH(ValueError, "the number of repeats must be from 1 to 1000, not 0",
                    read(BitTask::repeat_copy, "0 10"));
  EXPECT_ERROR_WITH(ValueError, "from 1 to 1000, not 1001", read(BitTask::repeat_copy, "1001 10"));
  EXPECT_ERROR_WITH(ValueError, "from 1 to 1000, not 1.5", read(BitTask::repeat_copy, "1.5 10"));
  EXPECT_EQ(read_bit_problem(BitTask::repeat_copy, 2, "1000 10").repeats, 1000);
  EXPECT_ERROR_WITH(ValueError, "bits: no vectors came", read(BitTask::repeat_copy, "3"));
  EXPECT_ERROR_WITH(ValueError, "bits: \"x\" is no number", read(BitTask::repeat_copy, "x 10"));
  EXPECT_ERROR_WITH(ValueError, "bits: \"2x\" is no number", read(BitTask::repeat_copy, "2x 10"));
  EXPECT_ERROR_WITH(ValueError, "bits: \"10\" has no priority", read(BitTask::sort, "10"));
  EXPECT_ERROR_WITH(ValueError, "bits: \"nan\" is no number", read(BitTask::sort, "10:nan"));
  EXPECT_ERROR_WITH(ValueError, "bits: 4 vectors are no two",
                    read(BitTask::recall, "10 10 10 10 1"));
  EXPECT_ERROR_WITH(ValueError, "bits: 3 vectors are no two", read(BitTask::recall, "10 10 10 1"));
  EXPECT_EQ(read_bit_problem(BitTask::recall, 2, "10 10 10 11 11 11 1").asked, 0);
  EXPECT_ERROR_WITH(ValueError, "the item asked for must be from 1 to 1, not 0",
                    read(BitTask::recall, "10 10 10 11 11 11 0"));
  EXPECT_ERROR_WITH(ValueError, "the item asked for must be from 1 to 1, not 2",
                    read(BitTask::recall, "10 10 10 11 11 11 2"));
}

}  // namespace
}  // namespace heed::data
