// What a Tensor points to: numbers, gradient, place on the tape. For the tape and the engine; comes
// with tensor.h.
#pragma once

#include "tensor.h"

namespace heed {

/// What a Tensor points to.
class TensorImpl : public RefCounted {
 public:
  static Ref<TensorImpl> make(Array array);
  static void destroy(TensorImpl* impl) noexcept;
  static Tensor handle(Ref<TensorImpl> impl) { return Tensor(std::move(impl)); }

  /// Others in the place of the numbers: array.version() + replaced grows, as by a write.
  void replace(Array numbers);

  std::uint32_t replaced = 0;  ///< 0 until then
  Array array;
  Tensor grad;
  Ref<TapeNode> node;              ///< the operator that made it; null for leaves
  std::uint32_t output = 0;    ///< which of its results
  bool requires_grad = false;  ///< of a leaf
  bool retains_grad = false;   ///< of a result: its node points here
  std::unique_ptr<SparseRows> sparse;
  std::unique_ptr<Shape> rows_shape;  ///< of sparse rows, also once they are dense
  std::unique_ptr<std::vector<std::pair<HookId, Hook>>> hooks;  ///< of a leaf

 private:
  explicit TensorImpl(Array numbers);
  ~TensorImpl();
};

}  // namespace heed
