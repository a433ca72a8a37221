#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../../autograd/backward.h"
#include "../../core/generator.h"
#include "../autograd/table/table.h"
#include "parity.h"

namespace heed::parity {
namespace {

std::vector<Peer> all_peers() {
  std::vector<Peer> all;
  for (const auto& family :
       {elementwise_peers, activation_peers,  habit_peers,  compare_peers,   reduce_peers,
        statistics_peers,  sort_peers,        shape_peers,  slicing_peers,   arrange_peers,
        index_peers,       grid_sample_peers, packed_peers, linalg_peers,    normalise_peers,
        attention_peers,   conv_peers,        pool_peers,   recurrent_peers, loss_peers}) {
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
  int at = 0;
  for (const Peer& peer : by_name().at(GetParam())) {
    SCOPED_TRACE("peer " + std::to_string(at++) + " of the name");
    compare(peer, DType::f64, 1e-9);
    compare(peer, DType::f32, 2e-4);
  }
}

TEST(Peers, CoverTheGradientTable) {
  std::set<std::string> rows, named;
  for (const table::Row& row : table::table()) rows.insert(row.subject.name);
  for (const std::string& name : names()) named.insert(name);
  for (const Without& entry : without_peer()) {
    EXPECT_TRUE(named.insert(entry.name).second) << entry.name << " has a peer, or stands twice";
    EXPECT_TRUE(rows.contains(entry.name)) << entry.name << " is no row";
  }
  for (const std::string& row : rows) EXPECT_TRUE(named.contains(row)) << row;
}

INSTANTIATE_TEST_SUITE_P(Peers, Parity, testing::ValuesIn(names()),
                         [](const auto& entry) { return entry.param; });

}  // namespace
}  // namespace heed::parity
