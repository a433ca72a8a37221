// What processes compare before a run that they share: see team.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "../core/fnv.h"
#include "../core/quoted.h"
#include "../core/simd.h"
#include "../core/version.h"
#include "run.h"
#include "run_state.h"
#include "team.h"

namespace heed::train {
namespace {

// Whether two processes hold the same numbers.
std::uint64_t mark(const nn::Module& model) {
  Fnv out;
  for (const auto& [name, tensor] : model.state_dict()) {
    const Array numbers = tensor.array().contiguous();
    out.add({numbers.raw(), static_cast<std::size_t>(numbers.numel()) * size_of(numbers.dtype())});
  }
  return out.sum();
}

std::uint64_t mark(const data::PlaceNumbers& numbers) {
  return Fnv().add(std::as_bytes(std::span(numbers))).sum();
}

std::string kept_by(const RunOptions& options) {
  if (options.last) return "the last kept";
  if (options.keep.empty()) return "the best kept";
  std::string out = "the best kept by";
  for (const Wanted& each : options.keep) {
    out += fmt::format(" {} {}", each.better == Better::higher ? "highest" : "lowest",
                       in_quotes(each.figure));
  }
  return out;
}

}  // namespace

// A line for all that must be alike; afterwards it could not be told from a difference that counts.
std::string Run::beginning(Batches& batches) const {
  const RunOptions& o = options_;
  std::string out =
      fmt::format("the setting {}\n{} batches a pass\n{} steps, {} epochs, {} batches a step\n",
                  o.setting.empty() ? "none" : in_quotes(o.setting), batches.count(), o.steps,
                  o.epochs, o.accumulate);
  out += fmt::format("{}\nlearning rates {}, clip {}\n{} its state, {} folder\n", team_->setting(),
                     fmt::join(state_->first_rates, ", "), o.clip,
                     o.resume ? "to go on from" : "to begin without", o.out.empty() ? "no" : "a");
  out += fmt::format("a round every {}, patience {}, {}\naverage {}, ema {}\n",
                     o.every == 0 ? "epoch" : fmt::format("{} steps", o.every), o.patience,
                     kept_by(o), o.average, o.ema);
  out +=
      fmt::format("{} steps between saved states, {} to stop after\n", o.save_every, o.stop_after);
  out += fmt::format("validation in {} parts\n", look_at_ ? part_count_ : 0);
  out += fmt::format("{} parameters, of which {} the optimizer's\nthe library's vectors {}{}\n",
                     model_.parameter_count(), optimizer_.parameters().size(), name_of(simd()),
                     has_bf16_dot() ? ", bf16" : "");
  const BuildInfo built = build_info();  // whose sums have other last digits
  out += fmt::format("heed {}, {}, {}, products {} ({})\n", built.version, built.compiler,
                     built.build_type, built.blas, built.blas_kernel);
  return out +
         fmt::format("first weights {:016x}\ndata (seed, contents, sizes of files) marked {:016x}",
                     mark(model_), mark(batches.beginning()));
}

void Run::meet(Batches& batches) { check_alike("run", team_->gather(beginning(batches))); }

}  // namespace heed::train
