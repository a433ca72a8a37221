#include "computed.h"

namespace heed::detail {

void tell_computed(const char* op, const Array& out, std::initializer_list<Tensor> inputs) {
  std::vector<Array> arrays;
  for (const Tensor& input : inputs) arrays.push_back(input.array());
  t_tracer->computed({op, arrays, {&out, 1}, false});
}

}  // namespace heed::detail
