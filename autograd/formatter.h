// For programs that print with {fmt}: tensors as std::cout prints them. Include <fmt/format.h>
// first.
#pragma once

#include "../core/formatter.h"
#include "tensor.h"

template <>
struct fmt::formatter<heed::Tensor> : heed::detail::TextFormatter<heed::Tensor> {};
