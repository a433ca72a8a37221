#include "processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "../core/error.h"
#include "../io/read_only.h"

namespace heed::distributed {

Processes::Processes(const World& world, const SharingOptions& options)
    : world_(world), options_(options) {
  if (options.pieces < world.size()) {
    throw ValueError(fmt::format("distributed: {} pieces a batch are fewer than the {} processes",
                                 options.pieces, world.size()));
  }
  if (train::team() != nullptr) throw ValueError("distributed: runs are shared already");
  train::set_team(this);
  if (world.rank() == 0) return;
  io::set_read_only(true);
  std::fflush(stdout);
  output_ = ::dup(STDOUT_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::close(nowhere);
  }
}

Processes::~Processes() {
  train::set_team(nullptr);
  if (output_ < 0) return;
  std::fflush(stdout);
  ::dup2(output_, STDOUT_FILENO);
  ::close(output_);
  io::set_read_only(false);
}

std::string Processes::setting() const {
  return fmt::format("{} pieces, {} sums", options_.pieces,
                     options_.sums == Sums::exact ? "exact" : "plain");
}

train::Team::Share Processes::begin(const std::vector<Tensor>& parameters, Index count) {
  sum_.reset();  // one that an error left says so first
  sum_ = std::make_unique<GradientSum>(world_, parameters, count, kinds_, options_.sums);
  return {sum_->first(), sum_->last()};
}

void Processes::add(const Tensor& loss, Index piece) { sum_->add(loss, piece); }

void Processes::finish() {
  kinds_ = sum_->finish();
  sum_.reset();
}

}  // namespace heed::distributed
