// Words of PyTorch and NumPy that heed has no function for: the compiler refuses them in a line that
// says what is there instead.
#pragma once

#include <vector>

#include "../core/refused.h"
#include "tensor.h"

namespace heed {

Tensor where(const Tensor&, Say<"nonzero(x)"> = {}) = delete;
void set_grad_enabled(bool, Say<"GradMode scope(on), NoGrad scope"> = {}) = delete;
Tensor cholesky(const Tensor&, Say<"heed has no Cholesky decomposition"> = {}) = delete;
Tensor qr(const Tensor&, Say<"heed has no QR decomposition"> = {}) = delete;
Tensor eig(const Tensor&, Say<"heed has no eigenvalues"> = {}) = delete;
Tensor solve(const Tensor&, const Tensor&,
             Say<"matmul(inverse(a), b), or solve_triangular(a, b)"> = {}) = delete;
Tensor pinverse(const Tensor&, Say<"heed has no pseudo-inverse"> = {}) = delete;
Tensor kthvalue(const Tensor&, Index, Index = -1,
                Say<"sort(x, axis), topk(x, k, axis)"> = {}) = delete;
Tensor cummax(const Tensor&, Index, Say<"heed has no running maximum"> = {}) = delete;
Tensor logcumsumexp(const Tensor&, Index, Say<"log(cumsum(exp(x), axis))"> = {}) = delete;
Tensor isin(const Tensor&, const Tensor&, Say<"any(x.unsqueeze(-1) == y, -1)"> = {}) = delete;
Tensor hypot(const Tensor&, const Tensor&, Say<"sqrt(x * x + y * y)"> = {}) = delete;
Tensor xlogy(const Tensor&, const Tensor&, Say<"where(x == 0, 0.0, x * log(y))"> = {}) = delete;
Tensor sinc(const Tensor&, Say<"sin(pi * x) / (pi * x)"> = {}) = delete;
Tensor lgamma(const Tensor&, Say<"heed has no gamma function"> = {}) = delete;
Tensor digamma(const Tensor&, Say<"heed has no gamma function"> = {}) = delete;
Tensor matrix_power(const Tensor&, Index, Say<"matmul(x, x)"> = {}) = delete;
Tensor block_diag(const std::vector<Tensor>&, Say<"index_put() into zeros()"> = {}) = delete;
Tensor chain_matmul(const Tensor&, const Tensor&, Say<"matmul(x, y)"> = {}) = delete;
Tensor chain_matmul(const Tensor&, const Tensor&, const Tensor&,
                    Say<"matmul(matmul(x, y), z)"> = {}) = delete;
Tensor cartesian_prod(const Tensor&, const Tensor&, Say<"stack() of both, repeated"> = {}) = delete;
Tensor dsplit(const Tensor&, Index, Say<"split(x, size, 2)"> = {}) = delete;
Tensor rot90(const Tensor&, Say<"flip(transpose(x, 0, 1), 0)"> = {}) = delete;
Tensor instance_norm(const Tensor&, Say<"group_norm(x, channels)"> = {}) = delete;
Tensor gumbel_softmax(const Tensor&, double = 1,
                      Say<"RelaxedChoices(Relaxation::gumbel, tau)"> = {}) = delete;
Tensor fmod(const Tensor&, double,
            Say<"remainder(x, y), x % y: of the divisor's sign"> = {}) = delete;
Tensor fmod(const Tensor&, const Tensor&,
            Say<"remainder(x, y), x % y: of the divisor's sign"> = {}) = delete;
Tensor floor_divide(const Tensor&, double, Say<"floor(x / y)"> = {}) = delete;
Tensor floor_divide(const Tensor&, const Tensor&, Say<"floor(x / y)"> = {}) = delete;
Tensor multinomial(const Tensor&, Index, bool = false,
                   Say<"nn::sample(scores, options, generator)"> = {}) = delete;
Tensor scatter(const Tensor&, Index, const Tensor&, const Tensor&,
               Say<"scatter_add(), index_put()"> = {}) = delete;
Tensor scatter(const Tensor&, Index, const Tensor&, double,
               Say<"scatter_add(), index_put()"> = {}) = delete;
Tensor nan_to_num(const Tensor&, Say<"where(isnan(x), 0.0, x)"> = {}) = delete;
Tensor logaddexp(const Tensor&, const Tensor&, Say<"logsumexp(stack({x, y}), 0)"> = {}) = delete;
Tensor cdist(const Tensor&, const Tensor&,
             Say<"norm(x.unsqueeze(1) - y.unsqueeze(0), 2, -1)"> = {}) = delete;
Tensor pairwise_distance(const Tensor&, const Tensor&, Say<"norm(x - y, 2, -1)"> = {}) = delete;
Tensor tensordot(const Tensor&, const Tensor&, Say<"einsum()"> = {}) = delete;
Tensor kron(const Tensor&, const Tensor&, Say<"einsum(\"ij,kl->ikjl\", x, y)"> = {}) = delete;
Tensor heaviside(const Tensor&, const Tensor&, Say<"where(x > 0, 1.0, 0.0)"> = {}) = delete;
std::vector<Tensor> meshgrid(const std::vector<Tensor>&,
                             Say<"x.view({-1, 1}) beside y: they broadcast"> = {}) = delete;
Tensor cross(const Tensor&, const Tensor&, Say<"heed has no cross product"> = {}) = delete;
Tensor movedim(const Tensor&, Index, Index, Say<"permute(x, axes)"> = {}) = delete;
Tensor quantile(const Tensor&, double, Say<"median(x), or sort(x)"> = {}) = delete;
Tensor mode(const Tensor&, Say<"unique_with_counts(x)"> = {}) = delete;
Tensor histc(const Tensor&, Index, Say<"bincount(bucketize(x, bounds))"> = {}) = delete;
Tensor upsample(const Tensor&, double, Say<"interpolate(x, {.scale = 2})"> = {}) = delete;
Tensor pixel_shuffle(const Tensor&, Index, Say<"reshape() and permute()"> = {}) = delete;
Tensor softmin(const Tensor&, Index, Say<"softmax(-x, axis)"> = {}) = delete;
void save(const Tensor&, const char*,
          Say<"io::write_safetensors(path, {{\"x\", x.array()}})"> = {}) = delete;
void load(const char*, Say<"io::read_safetensors(path)"> = {}) = delete;
Tensor fft(const Tensor&, Say<"heed has no Fourier transform"> = {}) = delete;
Tensor rfft(const Tensor&, Say<"heed has no Fourier transform"> = {}) = delete;
Tensor det(const Tensor&, Say<"exp(logdet(x)), where it is positive"> = {}) = delete;
Tensor svd(const Tensor&, Say<"heed has no singular value decomposition"> = {}) = delete;
Tensor from_blob(const void*, const Shape&, Say<"Array::from(vector, shape) copies"> = {}) = delete;

}  // namespace heed
