#include "curves.h"

#include "chart.h"

namespace heed::train {
namespace {

// "validation loss" is a loss, and of the validation.
constexpr std::string_view kLoss = "loss";

std::string titled(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

}  // namespace

void add_curves(Report& report, const Training& training, const std::string& axis) {
  if (training.rounds.empty()) return;
  const std::vector<double> x = axis == "step" ? training.steps() : training.epochs();
  std::vector<Series> losses, others;
  for (const Figure& figure : training.rounds.back().figures) {
    std::string name = figure.name;
    const bool loss = name.ends_with(kLoss);
    if (loss && name.size() > kLoss.size()) name.resize(name.size() - kLoss.size() - 1);
    if (name == "train") name = "training";
    (loss ? losses : others).push_back({name, x, training.curve(figure.name)});
  }
  const auto add = [&](const std::vector<Series>& series, const std::string& title) {
    report.add_chart(
        line_chart(series, {.title = titled(title), .x_label = axis, .y_label = title}));
  };
  if (!losses.empty()) add(losses, "loss");
  for (const Series& each : others) add({each}, each.name);
}

}  // namespace heed::train
