#include "../../train/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/linear.h"

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++found;
  return found;
}

// Every element is closed in its order; only what escape_markup() leaves stands between.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = svg.find('<', at)) != svg.npos; ++at) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, svg.npos);
    std::string tag = svg.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), tag.npos) << tag;
    if (tag.front() == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(Graph, HasOperatorsAndNamedLeaves) {
  const nn::Linear linear(5, 3);
  const Tensor x = ones({2, 5}), other = ones({3}).set_requires_grad();
  const Tensor h = heed::tanh(linear(x));
  const Tensor loss = sum(h * h + other);
  const Graph tape = graph(loss, {.names = linear.named_parameters()});
  std::vector<std::string> titles;
  for (const Graph::Vertex& vertex : tape.vertices) {
    titles.push_back(vertex.title + " " + vertex.shape);
  }
  EXPECT_THAT(titles, testing::UnorderedElementsAre(
                          "sum f32[]", "add f32[2, 3]", "mul f32[2, 3]", "tanh f32[2, 3]",
                          "linear f32[2, 3]", "weight f32[3, 5]", "bias f32[3]", "leaf f32[3]"));
  EXPECT_EQ(titles.front(), "sum f32[]");
  EXPECT_EQ(tape.edges.size(), 8U);  // h twice
  EXPECT_EQ(tape.left_out, 0);
  for (const Graph::Edge& edge : tape.edges) {
    EXPECT_LT(tape.vertices[edge.from].layer, tape.vertices[edge.to].layer);
  }
  EXPECT_THAT(tape.dot(), HasSubstr("v0 [label=\"sum\\nf32[]\"];"));
  EXPECT_EQ(count(tape.dot(), " -> "), 8U);
  const std::string svg = tape.svg();
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, "<rect "), 8U);
  EXPECT_EQ(count(svg, "<path "), 8U);
  EXPECT_EQ(count(svg, "class=\"leaf\""), 3U);
}

TEST(Graph, CutsALargeTape) {
  const Tensor x = ones({2}).set_requires_grad();
  Tensor y = x;
  for (int i = 0; i < 100'000; ++i) y = y + x;
  const Graph tape = graph(y, {.most = 11});
  EXPECT_EQ(tape.vertices.size(), 11U);
  EXPECT_EQ(tape.left_out, 100'001 - 11);
  EXPECT_THAT(tape.svg(), HasSubstr("99990 more are not shown"));
  EXPECT_THAT(tape.dot(), HasSubstr("99990 more are not shown"));
  EXPECT_EQ(graph(y, {.most = 100'000}).left_out, 1);
}

TEST(Graph, EscapesNames) {
  const Tensor x = ones({2}).set_requires_grad();
  const Graph tape = graph(x, {.names = {{"a<b>&\"c\\\n", x}}});
  ASSERT_EQ(tape.vertices.size(), 1U);
  expect_well_formed(tape.svg());
  EXPECT_THAT(tape.svg(), HasSubstr("a&lt;b&gt;&amp;"));
  EXPECT_THAT(tape.dot(), HasSubstr("label=\"a<b>&\\\"c\\\\\\\\n\\nf32[2]\""));
  EXPECT_THAT(tape.svg(), Not(HasSubstr("not shown")));
}

TEST(Graph, RefusesWhatHasNoTape) {
  EXPECT_THROW(graph(Tensor()), GradError);
  EXPECT_THROW(graph(ones({2})), GradError);
  EXPECT_THROW(graph(ones({2}).set_requires_grad(), {.most = 0}), ValueError);
}

}  // namespace
}  // namespace heed::train
