#include "piece_state.h"

#include <algorithm>
#include <utility>

#include "../core/kernels/elementwise/copy.h"

namespace heed::train {
namespace {

constexpr const char* kWhat = "what a piece left";
constexpr const char* kNothing = "-";

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

PieceState::PieceState(nn::Module& model, const std::vector<Carried>& carried) : model_(model) {
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
    const Array& here = tensor.array();
    buffers_.push_back({name, tensor, here, here.clone(), here.version()});
  }
  before_ = encoded(others_);
}

std::vector<PieceState::Buffer*> PieceState::changed() {
  std::vector<Buffer*> out;
  for (const auto& [name, tensor] : model_.named_buffers()) {
    const auto same = [&wanted = name](const Buffer& buffer) { return buffer.name == wanted; };
    const auto buffer = std::find_if(buffers_.begin(), buffers_.end(), same);
    if (buffer == buffers_.end()) continue;
    if (tensor.impl() == buffer->tensor.impl() && tensor.array().raw() == buffer->here.raw() &&
        tensor.array().version() == buffer->version) {
      continue;
    }
    buffer->tensor = tensor;
    out.push_back(&*buffer);
  }
  return out;
}

// In place where the numbers stand where they stood: what was assigned may be somebody else's.
void PieceState::set(Buffer& buffer, const Array& numbers) {
  Array into = buffer.tensor.array();
  if (into.raw() == buffer.here.raw() && into.shape() == numbers.shape() &&
      into.dtype() == numbers.dtype()) {
    kernels::copy_into(into, numbers);
    into.bump_version();
  } else {
    buffer.tensor.set_array(numbers.clone());
  }
  buffer.here = buffer.tensor.array();
  buffer.version = buffer.here.version();
}

void PieceState::begin(Index m) {
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    const auto [seed, offset] = begun_[i];
    generators_[i]->set_state(
        {mixed(mixed(seed) ^ mixed(offset) ^ static_cast<std::uint64_t>(m)), 0});
  }
  if (std::exchange(fresh_, false)) return;
  for (Buffer* buffer : changed()) set(*buffer, buffer->numbers);
  if (others_.empty()) return;
  const auto state = io::TrainingState::decode(before_, kWhat);
  for (const Carried* each : others_) each->get(state);
}

std::string PieceState::left() {
  io::TrainingState state;
  io::NamedArrays numbers;
  for (const Buffer* buffer : changed()) {
    numbers.emplace_back(buffer->name, buffer->tensor.array());
  }
  if (numbers.empty() && others_.empty()) return kNothing;
  state.put("buffers", numbers);
  for (const Carried* each : others_) each->put(state);
  return state.encode();
}

void PieceState::end(const std::string& left) {
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    generators_[i]->set_state({begun_[i].seed, begun_[i].offset + 1});
  }
  if (left.empty()) return;
  for (Buffer* buffer : changed()) set(*buffer, buffer->numbers);
  if (left == kNothing) return;
  const auto state = io::TrainingState::decode(left, kWhat);
  for (const auto& [name, array] : state.arrays("buffers")) {
    for (Buffer& buffer : buffers_) {
      if (buffer.name == name) set(buffer, array);
    }
  }
  for (const Carried* each : others_) each->get(state);
}

}  // namespace heed::train
