// What is known of the memory behind arrays.
#include "../../core/storage.h"

#include <gtest/gtest.h>

#include "../../core/array.h"
#include "../../core/loan.h"

namespace heed {
namespace {

int g_let_go = 0;
void let_go(void*) { ++g_let_go; }

TEST(Storage, BeginsWithoutAnyWriteOrNote) {
  const Ref<Storage> storage = Storage::make(40);
  EXPECT_EQ(storage->bytes(), 40U);
  EXPECT_EQ(storage->version(), 0U);
  EXPECT_FALSE(storage->known_finite());
  EXPECT_FALSE(storage->foreign());
  EXPECT_FALSE(storage->lent());
  EXPECT_TRUE(storage->unique());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(storage->data()) % kBlockAlignment, 0U);
}

TEST(Storage, ForgetsThatItIsFiniteAtTheNextWrite) {
  const Ref<Storage> storage = Storage::make(8);
  storage->note_finite();
  EXPECT_TRUE(storage->known_finite());
  storage->bump_version();
  EXPECT_FALSE(storage->known_finite());
  EXPECT_EQ(storage->version(), 1U);
  storage->bump_version();
  EXPECT_EQ(storage->version(), 2U);
  storage->note_finite();
  EXPECT_TRUE(storage->known_finite());
  storage->forget_finite();
  EXPECT_FALSE(storage->known_finite());
}

TEST(Storage, NotesNothingOfNumbersThatOthersMayWrite) {
  double numbers[3] = {};
  {
    const Ref<Storage> around =
        Storage::around(reinterpret_cast<std::byte*>(numbers), sizeof numbers, let_go, nullptr);
    EXPECT_TRUE(around->foreign());
    EXPECT_EQ(around->bytes(), sizeof numbers);
    around->note_finite();
    EXPECT_FALSE(around->known_finite());
  }
  EXPECT_EQ(g_let_go, 1);
  const Array x = Array::zeros({3}, DType::f64);
  {
    const Loan loan(x, false);
    EXPECT_TRUE(x.storage()->lent());
    x.storage()->note_finite();
    EXPECT_FALSE(x.storage()->known_finite());
  }
  EXPECT_FALSE(x.storage()->known_finite()) << "nor was it noted meanwhile";
}

TEST(Storage, GivesItsWholeBlockBack) {
  const MemoryStats before = memory_stats();
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{960}, std::size_t{961},
                                  std::size_t{32704}, std::size_t{32705}, std::size_t{1000003}}) {
    const Ref<Storage> storage = Storage::make(bytes);
    EXPECT_EQ(memory_stats().live_storages, before.live_storages + 1);
    EXPECT_GE(memory_stats().live_bytes, before.live_bytes + static_cast<std::int64_t>(bytes));
  }
  EXPECT_EQ(memory_stats().live_storages, before.live_storages);
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
}

TEST(Ref, CountsItsOwners) {
  Ref<Storage> first;
  EXPECT_FALSE(first);
  EXPECT_FALSE(Ref<Storage>::share(nullptr));
  first = Storage::make(8);
  EXPECT_TRUE(first->unique());
  {
    const Ref<Storage> second = Ref<Storage>::share(first.get());
    EXPECT_FALSE(first->unique());
    EXPECT_EQ(first, second);
    Ref<Storage> third = first;
    const Ref<Storage> moved = std::move(third);
    EXPECT_FALSE(third);  // NOLINT(bugprone-use-after-move): it is empty
    EXPECT_EQ(moved.get(), first.get());
  }
  EXPECT_TRUE(first->unique());
  Ref<Storage> other = Storage::make(16);
  Storage* const was = first.get();
  first.swap(other);
  EXPECT_EQ(other.get(), was);
  EXPECT_EQ((*first).bytes(), 16U);
}

}  // namespace
}  // namespace heed
