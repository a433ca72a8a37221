// Line charts as SVG: several named series, axes with round ticks, a legend, colours that read on
// light and dark ground. The text stands alone as a file and can be put into a page as it is.
#pragma once

#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::train {

struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;  ///< where it is not finite the line breaks
};

struct ChartOptions {
  std::string title = "";
  std::string x_label = "";
  std::string y_label = "";
};

/// Long series are averaged down to some hundred points. Throws ValueError when a series has not as
/// many x as y.
std::string line_chart(const std::vector<Series>& series, const ChartOptions& options);

/// About `count` round values (1, 2 or 5 times a power of ten apart) that cover [low, high]. Throws
/// ValueError unless both are finite, low <= high and count > 0.
std::vector<double> nice_ticks(double low, double high, Index count);

}  // namespace heed::train
