#include "../../train/chart.h"

#include "checks.h"
#include "pieces.h"
#include "targets.h"
#include "well_formed.h"

namespace heed::fuzz {
namespace {

std::string chart_of(std::string_view input, bool harmless) {
  Pieces pieces(input);
  const auto text = [&] {
    const std::string it = pieces.text();
    return harmless ? "x" : it;
  };
  train::ChartOptions options;
  options.title = text();
  options.x_label = text();
  options.y_label = text();
  std::vector<train::Series> series(pieces.byte() % 4);
  for (train::Series& each : series) {
    each.name = text();
    for (int points = pieces.byte() % 50; points > 0; --points) {
      each.x.push_back(pieces.number());
      each.y.push_back(pieces.number());
    }
  }
  return train::line_chart(series, options);
}

}  // namespace

void chart(std::string_view input) {
  const std::string svg = chart_of(input, false), plain = chart_of(input, true);
  require(read_xml(svg).tags == read_xml(plain).tags, "texts change no element of a chart");
  for (const char* word : {"nan", "inf"}) {
    require(plain.find(word) == std::string::npos, "every place of a chart is a number");
  }
}

}  // namespace heed::fuzz
