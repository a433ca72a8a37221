// The matrices that a MultiHead has itself, and not in a Linear: adapters beside them (LoRA), and in
// bf16.
#include "../../../nn/bf16.h"
#include "multi_head.h"

namespace heed::attention {

std::vector<std::pair<std::string, const Tensor*>> MultiHead::own_matrices() const {
  std::vector<std::pair<std::string, const Tensor*>> out{{"in_proj_lora", &in_proj_weight},
                                                         {"q_proj_lora", &q_proj_weight},
                                                         {"k_proj_lora", &k_proj_weight},
                                                         {"v_proj_lora", &v_proj_weight}};
  std::erase_if(out, [](const auto& each) { return !each.second->defined(); });
  return out;
}

std::vector<std::pair<std::string, Tensor>> MultiHead::adaptable() const {
  std::vector<std::pair<std::string, Tensor>> out;
  for (const auto& [name, matrix] : own_matrices()) out.emplace_back(name, *matrix);
  return out;
}

void MultiHead::adapt(const nn::LowRankOptions& options) {
  for (const auto& [name, matrix] : own_matrices()) {
    lora_.emplace_back(matrix, &child<nn::LowRank>(name, matrix->size(1), matrix->size(0), options,
                                                   widened(matrix->dtype())));
  }
}

std::vector<std::pair<Tensor, nn::LowRank*>> MultiHead::adapters() const {
  std::vector<std::pair<Tensor, nn::LowRank*>> out;
  for (const auto& [matrix, lora] : lora_) out.emplace_back(*matrix, lora);
  return out;
}

std::function<void()> MultiHead::prepare_bf16() {
  std::vector<std::pair<Tensor, Tensor>> changes;
  for (const auto& [name, each] : own_matrices()) {
    if (each->dtype() == DType::bf16) continue;
    changes.emplace_back(*each, nn::detail::in_bf16("MultiHead", *each));
  }
  return [changes = std::move(changes)]() mutable {
    for (auto& [weight, narrow] : changes) {
      weight.set_requires_grad(false);
      weight.set_array(narrow.array());
    }
  };
}

}  // namespace heed::attention
