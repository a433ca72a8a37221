#include "../../nn/held_by_value.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>

#include "../../core/error.h"
#include "../../nn/nn.h"
#include "../../optim/sgd.h"
#include "../support/throws.h"

namespace heed {
namespace {

class ByValue : public nn::Module {
 public:
  nn::Linear hidden{3, 5};
  nn::Linear& out = child<nn::Linear>("out", 5, 2);
  Tensor operator()(const Tensor& x) const { return forwarded(out(hidden(x))); }
};

class ByReference : public nn::Module {
 public:
  explicit ByReference(std::size_t count) : numbers(count) {}
  nn::Linear& out = child<nn::Linear>("out", 5, 2);
  std::vector<double> numbers;
  std::optional<nn::Linear> late;
};

class Outer : public nn::Module {
 public:
  ByValue& inner = child<ByValue>("inner");
};

constexpr const char* kText =
    "module: ByValue holds a Linear by value, which is in none of its lists: hold it by reference, "
    "Linear& name = child<Linear>(\"name\", ...)";

TEST(HeldByValue, IsFoundByTheFirstListOfTheOwner) {
  const ByValue model;
  EXPECT_ERROR(ValueError, kText, model.parameters());
  EXPECT_ERROR(ValueError, kText, model.state_dict());
  EXPECT_ERROR(ValueError, kText, optim::SGD(model.parameters()));
  const auto on_heap = std::make_unique<ByValue>();
  EXPECT_ERROR(ValueError, kText, on_heap->parameters());
  const auto shared = std::make_shared<ByValue>();
  EXPECT_ERROR(ValueError, kText, shared->summary());
}

TEST(HeldByValue, IsFoundWhereTheOwnerIsSomebodysChild) {
  EXPECT_ERROR(ValueError, kText, Outer());
}

TEST(HeldByValue, IsWhatALateMemberIs) {
  ByReference model(3);
  model.late.emplace(2, 2);
  EXPECT_THROW(model.parameters(), ValueError);
}

// Modules around a module, before it and behind it, in containers and on the heap, are none of it.
TEST(HeldByValue, IsNothingThatStandsElsewhere) {
  struct Frame {
    nn::Linear before{3, 3};
    ByReference model{7};
    nn::Linear behind{3, 3};
  };
  Frame frame;
  EXPECT_EQ(frame.model.parameters().size(), 2U);
  std::deque<nn::Linear> towers;
  for (int i = 0; i < 20; ++i) towers.emplace_back(2, 2);
  nn::Linear local(3, 3);
  ByReference other(2);
  nn::Sequential net(nn::Linear(3, 4), nn::ReLU(), nn::Sequential(nn::Linear(4, 2)));
  EXPECT_EQ(other.parameters().size(), 2U);
  EXPECT_EQ(net.parameters().size(), 4U);
  EXPECT_EQ(local.parameters().size(), 2U);
  for (const nn::Linear& tower : towers) EXPECT_EQ(tower.parameters().size(), 2U);
}

class Stateless : public nn::Module {};
class Owner : public nn::Module {
 public:
  Stateless score;
  nn::Linear& out = child<nn::Linear>("out", 5, 2);
};
class Moody : public nn::Module {
 public:
  Stateless score;
  nn::Dropout drop;  // which eval() would not reach
};

TEST(HeldByValue, IsWellWhereThereIsNothingToList) {
  EXPECT_EQ(Owner().parameters().size(), 2U);
  const Moody model;
  EXPECT_THROW(model.parameters(), ValueError);
}

TEST(HeldByValue, KnowsTheSizeOfAnyObject) {
  const nn::Linear linear(3, 2);
  const auto model = std::make_unique<ByReference>(2);
  const nn::Module& base = *model;
  EXPECT_EQ(nn::detail::size_of_object(linear), sizeof(nn::Linear));
  EXPECT_EQ(nn::detail::size_of_object(base), sizeof(ByReference));
}

class alignas(64) Aligned : public nn::Module {
 public:
  explicit Aligned(bool fails = false) {
    if (fails) throw ValueError("as asked");
  }
  nn::Linear& out = child<nn::Linear>("out", 5, 2);
};

TEST(HeldByValue, LeavesNewAndDeleteAsTheyAre) {
  const std::unique_ptr<nn::Module> module = std::make_unique<Aligned>();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(module.get()) % 64, 0U);
  EXPECT_EQ(module->parameters().size(), 2U);
  EXPECT_THROW(std::make_unique<Aligned>(true), ValueError);
  alignas(Aligned) std::byte place[sizeof(Aligned)];
  auto* const made = new (place) Aligned;
  EXPECT_EQ(made->parameters().size(), 2U);
  made->~Aligned();
}

}  // namespace
}  // namespace heed
