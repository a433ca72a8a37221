#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../../autograd/backward.h"
#include "../../core/generator.h"
#include "parity.h"

namespace heed::parity {
namespace {

std::vector<Peer> all_peers() {
  std::vector<Peer> all;
  for (const auto& family : {elementwise_peers, reduce_peers, shape_peers, index_peers,
                             linalg_peers, normalise_peers, recurrent_peers, loss_peers}) {
    for (Peer& peer : family()) all.push_back(std::move(peer));
  }
  return all;
}

// The peers of each name.
const std::map<std::string, std::vector<Peer>>& by_name() {
  static const auto map = [] {
    std::map<std::string, std::vector<Peer>> out;
    for (Peer& peer : all_peers()) out[peer.name].push_back(std::move(peer));
    return out;
  }();
  return map;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, peers] : by_name()) out.push_back(name);
  return out;
}

Tensor draw(const std::vector<Index>& shape, Domain domain, DType dtype, Generator& generator) {
  const double low = domain == Domain::any ? -2 : domain == Domain::positive ? 0.1 : 0.05;
  const double high = domain == Domain::unit ? 0.95 : 2;
  return Tensor(generator.uniform(Shape(shape), low, high, DType::f64).to(dtype));
}

void expect_close(const Tensor& ours, const torch::Tensor& theirs, double tolerance,
                  const std::string& what) {
  const Tensor expected = from_torch(theirs);
  ASSERT_EQ(ours.shape(), expected.shape()) << what;
  ASSERT_EQ(ours.dtype(), expected.dtype()) << what;
  const auto a = ours.array().to(DType::f64).to_vector<double>();
  const auto b = expected.array().to(DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ASSERT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << what << ", element " << i;
  }
}

void compare(const Peer& peer, DType dtype, double tolerance) {
  Generator generator(std::hash<std::string>{}(peer.name));
  std::vector<Tensor> ours;
  std::vector<torch::Tensor> theirs;
  for (const auto& shape : peer.shapes) {
    ours.push_back(draw(shape, peer.domain, dtype, generator));
    theirs.push_back(to_torch(ours.back()).requires_grad_());
    ours.back().set_requires_grad();
  }
  const Tensor y = peer.ours(ours);
  const torch::Tensor expected = peer.theirs(theirs);
  expect_close(y, expected, tolerance, "value");
  if (!expected.requires_grad()) {
    EXPECT_FALSE(y.requires_grad());
    return;
  }
  const std::vector<Index> out_shape(y.shape().begin(), y.shape().end());
  const Tensor cotangent = draw(out_shape, Domain::any, y.dtype(), generator);
  const auto gradients = grad({y}, ours, {cotangent});
  const auto peers = torch::autograd::grad({expected}, theirs, {to_torch(cotangent)}, c10::nullopt,
                                           false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!peers[i].defined()) continue;
    ASSERT_TRUE(gradients[i].defined()) << "gradient " << i;
    expect_close(gradients[i], peers[i], tolerance, "gradient " + std::to_string(i));
  }
}

class Parity : public testing::TestWithParam<std::string> {};

TEST_P(Parity, AgreesWithLibtorch) {
  for (const Peer& peer : by_name().at(GetParam())) {
    compare(peer, DType::f64, 1e-9);
    compare(peer, DType::f32, 2e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Peers, Parity, testing::ValuesIn(names()),
                         [](const auto& entry) { return entry.param; });

}  // namespace
}  // namespace heed::parity
