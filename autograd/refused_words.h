// Words of PyTorch and NumPy that heed has no function for: the compiler refuses them in a line that
// says what is there instead. Those of a tensor are templates, so that a program's own function of
// such a name is the better match.
#pragma once

#include <concepts>
#include <vector>

#include "../core/refused.h"
#include "tensor.h"

namespace heed {

namespace detail {
template <class T>
concept OneTensor = std::same_as<T, Tensor>;
}

template <detail::OneTensor T>
Tensor where(const T&, Say<"nonzero(x)"> = {}) = delete;
template <detail::OneTensor T, std::floating_point F>
Tensor max(const T&, F, Say<"maximum(x, y), clamp(x, min)"> = {}) = delete;
template <detail::OneTensor T, std::floating_point F>
Tensor min(const T&, F, Say<"minimum(x, y), clamp(x, {}, max)"> = {}) = delete;
template <detail::OneTensor T, std::floating_point F>
Tensor argmax(const T&, F, Say<"an axis is a whole number: argmax(x, -1)"> = {}) = delete;
template <detail::OneTensor T, std::floating_point F>
Tensor argmin(const T&, F, Say<"an axis is a whole number: argmin(x, -1)"> = {}) = delete;
void set_grad_enabled(bool, Say<"GradMode scope(on), NoGrad scope"> = {}) = delete;
template <detail::OneTensor T>
Tensor cholesky(const T&, Say<"heed has no Cholesky decomposition"> = {}) = delete;
template <detail::OneTensor T>
Tensor qr(const T&, Say<"heed has no QR decomposition"> = {}) = delete;
template <detail::OneTensor T>
Tensor eig(const T&, Say<"heed has no eigenvalues"> = {}) = delete;
template <detail::OneTensor T>
Tensor solve(const T&, const Tensor&,
             Say<"matmul(inverse(a), b), or solve_triangular(a, b)"> = {}) = delete;
template <detail::OneTensor T>
Tensor pinverse(const T&, Say<"heed has no pseudo-inverse"> = {}) = delete;
template <detail::OneTensor T>
Tensor kthvalue(const T&, Index, Index = -1, Say<"sort(x, axis), topk(x, k, axis)"> = {}) = delete;
template <detail::OneTensor T>
Tensor cummax(const T&, Index, Say<"heed has no running maximum"> = {}) = delete;
template <detail::OneTensor T>
Tensor logcumsumexp(const T&, Index, Say<"log(cumsum(exp(x), axis))"> = {}) = delete;
template <detail::OneTensor T>
Tensor isin(const T&, const Tensor&, Say<"any(x.unsqueeze(-1) == y, -1)"> = {}) = delete;
template <detail::OneTensor T>
Tensor hypot(const T&, const Tensor&, Say<"sqrt(x * x + y * y)"> = {}) = delete;
template <detail::OneTensor T>
Tensor xlogy(const T&, const Tensor&, Say<"where(x == 0, 0.0, x * log(y))"> = {}) = delete;
template <detail::OneTensor T>
Tensor sinc(const T&, Say<"sin(pi * x) / (pi * x)"> = {}) = delete;
template <detail::OneTensor T>
Tensor lgamma(const T&, Say<"heed has no gamma function"> = {}) = delete;
template <detail::OneTensor T>
Tensor digamma(const T&, Say<"heed has no gamma function"> = {}) = delete;
template <detail::OneTensor T>
Tensor matrix_power(const T&, Index, Say<"matmul(x, x)"> = {}) = delete;
Tensor block_diag(const std::vector<Tensor>&, Say<"index_put() into zeros()"> = {}) = delete;
template <detail::OneTensor T>
Tensor chain_matmul(const T&, const Tensor&, Say<"matmul(x, y)"> = {}) = delete;
template <detail::OneTensor T>
Tensor chain_matmul(const T&, const Tensor&, const Tensor&,
                    Say<"matmul(matmul(x, y), z)"> = {}) = delete;
template <detail::OneTensor T>
Tensor cartesian_prod(const T&, const Tensor&, Say<"stack() of both, repeated"> = {}) = delete;
template <detail::OneTensor T>
Tensor dsplit(const T&, Index, Say<"split(x, size, 2)"> = {}) = delete;
template <detail::OneTensor T>
Tensor rot90(const T&, Say<"flip(transpose(x, 0, 1), 0)"> = {}) = delete;
template <detail::OneTensor T>
Tensor instance_norm(const T&, Say<"group_norm(x, channels)"> = {}) = delete;
template <detail::OneTensor T>
Tensor gumbel_softmax(const T&, double = 1,
                      Say<"RelaxedChoices(Relaxation::gumbel, tau)"> = {}) = delete;
template <detail::OneTensor T>
Tensor fmod(const T&, double, Say<"remainder(x, y), x % y: of the divisor's sign"> = {}) = delete;
template <detail::OneTensor T>
Tensor fmod(const T&, const Tensor&,
            Say<"remainder(x, y), x % y: of the divisor's sign"> = {}) = delete;
template <detail::OneTensor T>
Tensor floor_divide(const T&, double, Say<"floor(x / y)"> = {}) = delete;
template <detail::OneTensor T>
Tensor floor_divide(const T&, const Tensor&, Say<"floor(x / y)"> = {}) = delete;
template <detail::OneTensor T>
Tensor multinomial(const T&, Index, bool = false,
                   Say<"nn::sample(scores, options, generator)"> = {}) = delete;
template <detail::OneTensor T>
Tensor scatter(const T&, Index, const Tensor&, const Tensor&,
               Say<"scatter_add(), index_put()"> = {}) = delete;
template <detail::OneTensor T>
Tensor scatter(const T&, Index, const Tensor&, double,
               Say<"scatter_add(), index_put()"> = {}) = delete;
template <detail::OneTensor T>
Tensor nan_to_num(const T&, Say<"where(isnan(x), 0.0, x)"> = {}) = delete;
template <detail::OneTensor T>
Tensor logaddexp(const T&, const Tensor&, Say<"logsumexp(stack({x, y}), 0)"> = {}) = delete;
template <detail::OneTensor T>
Tensor cdist(const T&, const Tensor&,
             Say<"norm(x.unsqueeze(1) - y.unsqueeze(0), 2, -1)"> = {}) = delete;
template <detail::OneTensor T>
Tensor pairwise_distance(const T&, const Tensor&, Say<"norm(x - y, 2, -1)"> = {}) = delete;
template <detail::OneTensor T>
Tensor tensordot(const T&, const Tensor&, Say<"einsum()"> = {}) = delete;
template <detail::OneTensor T>
Tensor kron(const T&, const Tensor&, Say<"einsum(\"ij,kl->ikjl\", x, y)"> = {}) = delete;
template <detail::OneTensor T>
Tensor heaviside(const T&, const Tensor&, Say<"where(x > 0, 1.0, 0.0)"> = {}) = delete;
std::vector<Tensor> meshgrid(const std::vector<Tensor>&,
                             Say<"x.view({-1, 1}) beside y: they broadcast"> = {}) = delete;
template <detail::OneTensor T>
Tensor cross(const T&, const Tensor&, Say<"heed has no cross product"> = {}) = delete;
template <detail::OneTensor T>
Tensor quantile(const T&, double, Say<"median(x), or sort(x)"> = {}) = delete;
template <detail::OneTensor T>
Tensor mode(const T&, Say<"unique_with_counts(x)"> = {}) = delete;
template <detail::OneTensor T>
Tensor histc(const T&, Index, Say<"bincount(bucketize(x, bounds))"> = {}) = delete;
template <detail::OneTensor T>
Tensor upsample(const T&, double, Say<"interpolate(x, {.scale = 2})"> = {}) = delete;
template <detail::OneTensor T>
Tensor pixel_shuffle(const T&, Index, Say<"reshape() and permute()"> = {}) = delete;
template <detail::OneTensor T>
Tensor softmin(const T&, Index, Say<"softmax(-x, axis)"> = {}) = delete;
template <detail::OneTensor T>
void save(const T&, const char*,
          Say<"io::write_safetensors(path, {{\"x\", x.array()}})"> = {}) = delete;
void load(const char*, Say<"io::read_safetensors(path)"> = {}) = delete;
template <detail::OneTensor T>
Tensor fft(const T&, Say<"heed has no Fourier transform"> = {}) = delete;
template <detail::OneTensor T>
Tensor rfft(const T&, Say<"heed has no Fourier transform"> = {}) = delete;
template <detail::OneTensor T>
Tensor det(const T&, Say<"exp(logdet(x)), where it is positive"> = {}) = delete;
template <detail::OneTensor T>
Tensor svd(const T&, Say<"heed has no singular value decomposition"> = {}) = delete;
Tensor from_blob(const void*, const Shape&, Say<"Array::from(vector, shape) copies"> = {}) = delete;

}  // namespace heed
