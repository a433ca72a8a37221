#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "../autograd/grad_mode.h"
#include "../core/error.h"
#include "../nn/unchecked_modes.h"
#include "flops.h"

namespace heed::train {
namespace {

// All modules are in evaluation mode; afterwards each in the one it had, whatever hooks say.
class Evaluating {
 public:
  explicit Evaluating(nn::Module& model) {
    gather(model);
    model.eval();
  }
  ~Evaluating() {
    const nn::UncheckedModes scope;
    for (const auto& [module, training] : before_) module->train(training);  // parents first
  }
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  void gather(nn::Module& module) {
    before_.emplace_back(&module, module.training());
    for (const auto& [name, child] : module.children()) gather(*child);
  }

  std::vector<std::pair<nn::Module*, bool>> before_;
};

class Watch final : public Observer {
 public:
  struct Seen {
    std::string output;
    Index calls = 0;
    double flops = 0, activations = 0;
  };
  std::unordered_map<const heed::Part*, Seen> parts;

  std::uint32_t called(const Call& call) override {
    const double flops = cost_of(call).forward.flops;
    double bytes = 0;
    for (const Array& result : call.results) {
      const bool view = std::any_of(
          call.inputs.begin(), call.inputs.end(),
          [&](const Array& input) { return input.defined() && input.shares_storage(result); });
      if (!view)
        bytes += static_cast<double>(result.numel()) * static_cast<double>(size_of(result.dtype()));
    }
    // Once for each module that is open, however often.
    std::vector<const heed::Part*> done;
    for (const Scope* scope = Scope::current(); scope; scope = scope->outer()) {
      if (std::find(done.begin(), done.end(), &scope->part()) != done.end()) continue;
      done.push_back(&scope->part());
      Seen& seen = parts[done.back()];
      seen.flops += flops;
      seen.activations += bytes;
    }
    return 0;
  }
  void entered(const Scope& scope) override {
    if (scope.outer() && &scope.outer()->part() == &scope.part()) return;
    ++parts[&scope.part()].calls;
  }
  void returned(const heed::Part& part, const Array& output) override {
    parts[&part].output = describe(output);
  }
};

void add_rows(nn::Module& module, const std::string& path, const Watch& watch, Summary& to) {
  SummaryRow row;
  row.class_name = module.class_name();
  row.module = path.empty() ? row.class_name : path;
  row.parameters = module.parameter_count();
  const auto seen = watch.parts.find(&module);
  if (seen != watch.parts.end()) {
    row.output = seen->second.output;
    row.calls = seen->second.calls;
    row.flops = seen->second.flops;
    row.activations = seen->second.activations;
  }
  to.rows.push_back(std::move(row));
  for (const auto& [name, child] : module.children()) {
    add_rows(*child, path.empty() ? name : path + "." + name, watch, to);
  }
}

std::string grouped(Index count) {
  std::string out = std::to_string(count);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string sized(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string in_millions(double flops) {
  return flops == 0 ? "" : fmt::format("{:.3f}", flops / 1e6);
}

}  // namespace

Summary summary(nn::Module& model, const std::function<void()>& forward) {
  if (!forward) throw ValueError("summary: there is no function");
  Watch watch;
  {
    const Evaluating mode(model);
    const NoGrad off;
    const Observer::Installed installed(watch);
    forward();
    model.eval();  // which says where a hook was passed by
  }
  Summary out;
  add_rows(model, "", watch, out);
  for (const Tensor& parameter : model.parameters()) {
    out.parameters += parameter.numel();
    if (parameter.requires_grad()) out.trained += parameter.numel();
    out.parameter_bytes +=
        static_cast<double>(parameter.numel()) * static_cast<double>(size_of(parameter.dtype()));
  }
  return out;
}

std::string Summary::text() const {
  std::vector<std::vector<std::string>> table = {
      {"module", "class", "output", "calls", "parameters", "MFLOP", "activations"}};
  for (const SummaryRow& row : rows) {
    table.push_back({row.module, row.class_name, row.output,
                     row.calls > 1 ? std::to_string(row.calls) : "", grouped(row.parameters),
                     in_millions(row.flops), row.activations == 0 ? "" : sized(row.activations)});
  }
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& line : table) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  for (const auto& line : table) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += i < 3 ? fmt::format("{:<{}}  ", line[i], widths[i])
                    : fmt::format("{:>{}}  ", line[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  const SummaryRow& all = rows.front();
  return out + fmt::format("{} parameters ({} trained), {}; {} MFLOP forward, {} of activations\n",
                           grouped(parameters), grouped(trained), sized(parameter_bytes),
                           fmt::format("{:.3f}", all.flops / 1e6), sized(all.activations));
}

}  // namespace heed::train
