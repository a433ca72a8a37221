// A Graph as DOT and as SVG.
#include <fmt/format.h>

#include <algorithm>

#include "graph.h"
#include "markup.h"

namespace heed::train {
namespace {

std::string dot_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string note_of(Index left_out) {
  return fmt::format("{} more {} not shown", left_out, left_out == 1 ? "is" : "are");
}

struct Box {
  double x, y, width;  // x of the middle
};
constexpr double kHeight = 40, kGap = 18, kLayerGap = 34, kMargin = 16, kLetter = 7.3;

double width_of(const Graph::Vertex& vertex) {
  return 20 + kLetter * static_cast<double>(std::max(vertex.title.size(), vertex.shape.size()));
}

// The vertices of each layer from left to right, each near the middle of what reads it.
std::vector<std::vector<std::size_t>> ordered(const Graph& graph) {
  Index layers = 0;
  for (const Graph::Vertex& vertex : graph.vertices) layers = std::max(layers, vertex.layer + 1);
  std::vector<std::vector<std::size_t>> rows(static_cast<std::size_t>(layers));
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    rows[static_cast<std::size_t>(graph.vertices[i].layer)].push_back(i);
  }
  std::vector<double> place(graph.vertices.size()), sum(graph.vertices.size());
  std::vector<double> readers(graph.vertices.size());
  std::vector<std::vector<std::size_t>> below(graph.vertices.size());
  for (const Graph::Edge& edge : graph.edges) below[edge.from].push_back(edge.to);
  for (std::vector<std::size_t>& row : rows) {
    for (const std::size_t i : row) place[i] = readers[i] > 0 ? sum[i] / readers[i] : 0;
    std::stable_sort(row.begin(), row.end(),
                     [&](std::size_t a, std::size_t b) { return place[a] < place[b]; });
    for (std::size_t at = 0; at < row.size(); ++at) {
      const double middle = (static_cast<double>(at) + 0.5) / static_cast<double>(row.size());
      // Of several operands the first stands to the left.
      double shift = 0;
      for (const std::size_t next : below[row[at]]) {
        sum[next] += middle + shift;
        readers[next] += 1;
        shift += 1e-6;
      }
    }
  }
  return rows;
}

}  // namespace

std::string Graph::dot() const {
  std::string out =
      "digraph tape {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
      "  edge [dir=back];\n";
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    out += fmt::format("  v{} [label=\"{}\\n{}\"{}];\n", i, dot_text(vertices[i].title),
                       dot_text(vertices[i].shape),
                       vertices[i].leaf ? ", style=\"rounded,filled\", fillcolor=\"#dbe9f6\"" : "");
  }
  for (const Edge& edge : edges) out += fmt::format("  v{} -> v{};\n", edge.from, edge.to);
  if (left_out > 0)
    out += fmt::format("  note [shape=plaintext, label=\"{}\"];\n", note_of(left_out));
  return out + "}\n";
}

std::string Graph::svg() const {
  const std::vector<std::vector<std::size_t>> rows = ordered(*this);
  std::vector<Box> boxes(vertices.size());
  std::vector<double> lengths;
  for (const auto& row : rows) {
    double length = 0;
    for (const std::size_t i : row) length += width_of(vertices[i]) + kGap;
    lengths.push_back(length - kGap);
  }
  const double widest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  const double note = left_out > 0 ? kLetter * static_cast<double>(note_of(left_out).size()) : 0;
  const double width = std::max(widest, note) + 2 * kMargin;
  for (std::size_t layer = 0; layer < rows.size(); ++layer) {
    double x = (width - lengths[layer]) / 2;
    for (const std::size_t i : rows[layer]) {
      const double own = width_of(vertices[i]);
      boxes[i] = {x + own / 2, kMargin + static_cast<double>(layer) * (kHeight + kLayerGap), own};
      x += own + kGap;
    }
  }
  const double below = static_cast<double>(rows.size()) * (kHeight + kLayerGap) - kLayerGap;
  const double height = below + 2 * kMargin + (left_out > 0 ? 24 : 0);
  std::string out = fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif" font-size="12" text-anchor="middle">
<style>
 rect {{ fill: #fff; stroke: #666 }} .leaf rect {{ fill: #dbe9f6 }} text {{ fill: #222 }}
 .shape {{ fill: #666; font-size: 10.5px }} path {{ fill: none; stroke: #999 }}
 @media (prefers-color-scheme: dark) {{ rect {{ fill: #222 }} .leaf rect {{ fill: #123456 }}
  text {{ fill: #eee }} .shape {{ fill: #aaa }} }}
</style>
)svg",
      width, height);
  for (const Edge& edge : edges) {
    const Box &a = boxes[edge.from], &b = boxes[edge.to];
    const double top = a.y + kHeight, middle = (top + b.y) / 2;
    out += fmt::format("<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\"/>\n",
                       a.x, top, a.x, middle, b.x, middle, b.x, b.y);
  }
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Box& box = boxes[i];
    out += fmt::format(
        "<g{}><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"6\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>"
        "<text class=\"shape\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
        vertices[i].leaf ? " class=\"leaf\"" : "", box.x - box.width / 2, box.y, box.width, kHeight,
        box.x, box.y + 17, escape_markup(vertices[i].title), box.x, box.y + 32,
        escape_markup(vertices[i].shape));
  }
  if (left_out > 0) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", width / 2, height - kMargin,
                       note_of(left_out));
  }
  return out + "</svg>\n";
}

}  // namespace heed::train
