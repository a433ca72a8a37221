// Which vector instructions the kernels use: the widest that the processor has, or fewer. A program
// says so here, a user by the environment variable HEED_SIMD, one of the names below, which is read
// as the program starts. OpenBLAS chooses for itself (its variable is OPENBLAS_CORETYPE).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heed {

/// Each has what those before it have. `plain` is what all processors of an architecture have: no
/// vectors on x86, NEON on 64-bit ARM, where it is the only one.
enum class Simd : std::uint8_t { plain, avx2, avx512 };

/// What is used now.
Simd simd();

/// Kernels use nothing wider from here on, and up to `most` again where they were held to less;
/// what the processor lacks stays unused. Not to be called while kernels run.
void hold_simd(Simd most);

/// True where products in bf16 (precision.h) have instructions of their own, AVX512-BF16, and they
/// are used.
bool has_bf16_dot();
/// The same of products in 8 bits, AVX512-VNNI.
bool has_int8_dot();

const char* name_of(Simd simd);
/// Nothing for a word that is no name.
std::optional<Simd> simd_named(std::string_view name);

/// hold_simd() to what HEED_SIMD says, if it is set; a word that is no name changes nothing, and a
/// line on stderr says so. Done before main(). Always true.
bool hold_simd_to_environment();

}  // namespace heed
