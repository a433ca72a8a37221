// Leaves that are told of while a pass goes on.
#include <gtest/gtest.h>

#include <string>

#include "../../autograd/autograd.h"
#include "../support/throws.h"

namespace heed {
namespace {

Tensor leaf(double value) { return tensor(value, DType::f64).set_requires_grad(); }

// What was told of, and what had been walked by then.
struct Heard {
  std::string events;
  std::vector<std::pair<const Tensor*, char>> names;

  LeafListener listener() {
    return [this](const Tensor& found, const Tensor& gradient) {
      for (const auto& [tensor, name] : names) {
        if (tensor->impl() == found.impl()) events += name;
      }
      EXPECT_TRUE(gradient.defined());
      EXPECT_FALSE(found.grad().defined());  // added after the walk
    };
  }
  // A result whose derivative says so.
  Tensor mark(const Tensor& x, char name) {
    x.register_hook([this, name](const Tensor&) {
      events += name;
      return Tensor();
    });
    return x;
  }
};

TEST(LeafListener, HearsOfALeafWhenNothingMoreIsAdded) {
  Tensor a = leaf(2), b = leaf(3), c = leaf(5), unused = leaf(7);
  Heard heard{.events = {}, .names = {{&a, 'a'}, {&b, 'b'}, {&c, 'c'}, {&unused, 'u'}}};
  const Tensor first = heard.mark(a * b, '1');       // a ends here
  const Tensor second = heard.mark(first * c, '2');  // c ends here
  const Tensor third = heard.mark(second + a * b, '3');
  backward_and_tell({third * b}, heard.listener());
  EXPECT_EQ(heard.events, "32c1ba");
  EXPECT_EQ(a.grad().item(), (3 * 5 + 3) * 3);
  EXPECT_EQ(b.grad().item(), 2 * (2 * 3 * 5 + 2 * 3));
  EXPECT_EQ(c.grad().item(), 6 * 3);
  EXPECT_FALSE(unused.grad().defined());
}

TEST(LeafListener, HearsWhatHooksMadeOfItOnce) {
  Tensor a = leaf(2), b = leaf(3);
  int calls = 0;
  a.register_hook([&](const Tensor& g) {
    ++calls;
    return g * 10.0;
  });
  double told = 0;
  const Tensor y = a * b + a;
  backward_and_tell({y * y}, [&](const Tensor& found, const Tensor& gradient) {
    if (found.impl() == a.impl()) told = gradient.item();
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(told, 2 * 8 * 4 * 10.0);
  EXPECT_EQ(a.grad().item(), told);
  backward_and_tell({a * 1.0}, [](const Tensor&, const Tensor&) {});
  EXPECT_EQ(a.grad().item(), told + 10);
}

// A checkpoint reaches what it likes.
TEST(LeafListener, WaitsForTheOldestCheckpoint) {
  Tensor a = leaf(2), b = leaf(3), hidden = leaf(5);
  Heard heard{.events = {}, .names = {{&a, 'a'}, {&b, 'b'}, {&hidden, 'h'}}};
  const Tensor below = heard.mark(a * 1.0, '1');
  const Tensor inside = checkpoint(
      [&](const std::vector<Tensor>& x) { return std::vector<Tensor>{x[0] * b * hidden}; },
      {below})[0];
  const Tensor top = heard.mark(inside * b, '2');
  backward_and_tell({top}, heard.listener());
  EXPECT_EQ(heard.events.substr(0, 1), "2");
  EXPECT_LT(heard.events.find('1'), heard.events.find('a'));
  EXPECT_EQ(heard.events.size(), 5u);
  EXPECT_EQ(b.grad().item(), 2 * 2 * 5 * 3);
  EXPECT_EQ(hidden.grad().item(), 2 * 3 * 3);
}

TEST(LeafListener, WhatItThrowsEndsThePass) {
  Tensor a = leaf(2), b = leaf(3);
  const Tensor y = (a * 1.0) * b;
  EXPECT_ERROR_WITH(ValueError, "enough", backward_and_tell({y}, [](const Tensor&, const Tensor&) {
                      throw ValueError("enough");
                    }));
  EXPECT_FALSE(a.grad().defined());
  EXPECT_FALSE(b.grad().defined());
}

}  // namespace
}  // namespace heed
