#include "piece_state.h"

#include "../core/kernels/elementwise/copy.h"

namespace heed::train {
namespace {

constexpr const char* kWhat = "what a piece left";

// All bits of the result depend on all bits of x (Steele et al. 2014, SplitMix).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::string encoded(const std::vector<const Carried*>& all) {
  if (all.empty()) return {};
  io::TrainingState state;
  for (const Carried* each : all) each->put(state);
  return state.encode();
}

void write(Tensor& tensor, const Array& numbers) {
  Array into = tensor.array();
  kernels::copy_into(into, numbers);
  into.bump_version();
}

}  // namespace

Carried carried_tensors(const std::string& key, std::vector<Tensor>& tensors) {
  return {[key, &tensors](io::TrainingState& state) {
            io::NamedArrays all;
            for (const Tensor& each : tensors) {
              all.emplace_back(std::to_string(all.size()), each.array());
            }
            state.put(key, all);
          },
          [key, &tensors](const io::TrainingState& state) {
            tensors.clear();
            for (const auto& [number, array] : state.arrays(key)) tensors.emplace_back(array);
          }};
}

PieceState::PieceState(nn::Module& model, const std::vector<Carried>& carried) {
  generators_.push_back(&default_generator());
  for (const Carried& each : carried) {
    if (each.generator != nullptr) {
      generators_.push_back(each.generator);
    } else {
      others_.push_back(&each);
    }
  }
  for (const Generator* each : generators_) begun_.push_back(each->state());
  for (const auto& [name, tensor] : model.named_buffers()) {
    buffers_.push_back({name, tensor, tensor.array().clone(), tensor.array().version()});
  }
  before_ = encoded(others_);
}

void PieceState::begin(Index m) {
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    const auto [seed, offset] = begun_[i];
    generators_[i]->set_state(
        {mixed(mixed(seed) ^ mixed(offset) ^ static_cast<std::uint64_t>(m)), 0});
  }
  if (std::exchange(fresh_, false)) return;
  for (Buffer& buffer : buffers_) {
    if (buffer.tensor.array().version() == buffer.version) continue;
    write(buffer.tensor, buffer.numbers);
    buffer.version = buffer.tensor.array().version();
  }
  if (others_.empty()) return;
  const auto state = io::TrainingState::decode(before_, kWhat);
  for (const Carried* each : others_) each->get(state);
}

std::string PieceState::left() {
  io::TrainingState state;
  io::NamedArrays changed;
  for (const Buffer& buffer : buffers_) {
    if (buffer.tensor.array().version() != buffer.version) {
      changed.emplace_back(buffer.name, buffer.tensor.array());
    }
  }
  if (changed.empty() && others_.empty()) return {};
  state.put("buffers", changed);
  for (const Carried* each : others_) each->put(state);
  return state.encode();
}

void PieceState::end(const std::string& left) {
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    generators_[i]->set_state({begun_[i].seed, begun_[i].offset + 1});
  }
  if (left.empty()) return;
  const auto state = io::TrainingState::decode(left, kWhat);
  for (const auto& [name, array] : state.arrays("buffers")) {
    for (Buffer& buffer : buffers_) {
      if (buffer.name == name) write(buffer.tensor, array);
    }
  }
  for (const Carried* each : others_) each->get(state);
}

}  // namespace heed::train
