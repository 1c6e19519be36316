// Level 1 of functions that are told their types.

#include "sw/cuda/blas/level1.h"

using namespace warpvp::cuda::blas;

namespace {

/// Elements of a type, which is computed in itself or, of two bytes, in float. `f` gets one of either.
template <class F>
cublasStatus_t by_type(cudaDataType type, bool same, cudaDataType computed_in, F&& f) {
  if (!same) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (type == CUDA_R_64F && computed_in == CUDA_R_64F) return f(double(), double());
  if (type == CUDA_C_64F && computed_in == CUDA_C_64F) return f(ComplexDouble(), ComplexDouble());
  if (type == CUDA_C_32F && computed_in == CUDA_C_32F) return f(ComplexFloat(), ComplexFloat());
  if (computed_in != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (type == CUDA_R_32F) return f(float(), float());
  if (type == CUDA_R_16F) return f(Half(), float());
  if (type == CUDA_R_16BF) return f(Bf16(), float());
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
cudaDataType computed_type(cudaDataType of) {
  return of == CUDA_R_16F || of == CUDA_R_16BF ? CUDA_R_32F : of;
}
/// Of a type's parts.
cudaDataType real_type(cudaDataType of) {
  return of == CUDA_C_32F ? CUDA_R_32F : of == CUDA_C_64F ? CUDA_R_64F : of;
}
/// Sums of magnitudes or squares, which are real.
template <int what>
cublasStatus_t sum_up_types(Handle* h, int n, const void* x, cudaDataType x_type, int step, void* result,
                            cudaDataType result_type, cudaDataType computed_in) {
  const bool same = result_type == real_type(x_type) && computed_in == real_type(computed_type(x_type));
  return by_type(x_type, same, computed_type(x_type), [&](auto zero, auto) {
    using T = decltype(zero);
    return sum_up<T, what>(h, n, static_cast<const T*>(x), step, static_cast<Real<T>*>(result));
  });
}
template <bool conjugated>
cublasStatus_t dot_types(Handle* h, int n, const void* x, cudaDataType x_type, int x_step, const void* y,
                         cudaDataType y_type, int y_step, void* result, cudaDataType result_type,
                         cudaDataType computed_in) {
  return by_type(x_type, x_type == y_type && x_type == result_type, computed_in, [&](auto zero, auto) {
    using T = decltype(zero);
    return (conjugated ? dotc<T> : dot<T>)(h, n, static_cast<const T*>(x), x_step, static_cast<const T*>(y),
                                           y_step, static_cast<T*>(result));
  });
}
cublasStatus_t axpy_types(Handle* h, int n, const void* alpha, cudaDataType alpha_type, const void* x,
                          cudaDataType x_type, int x_step, void* y, cudaDataType y_type, int y_step,
                          cudaDataType computed_in) {
  return by_type(x_type, x_type == y_type && alpha_type == computed_in, computed_in,
                 [&](auto zero, auto one) {
                   using T = decltype(zero);
                   return axpy(h, n, static_cast<const decltype(one)*>(alpha), static_cast<const T*>(x),
                               x_step, static_cast<T*>(y), y_step);
                 });
}
cublasStatus_t scal_types(Handle* h, int n, const void* alpha, cudaDataType alpha_type, void* x,
                          cudaDataType x_type, int step, cudaDataType computed_in) {
  return by_type(x_type, alpha_type == computed_in, computed_in, [&](auto zero, auto one) {
    using T = decltype(zero);
    return scal(h, n, static_cast<const decltype(one)*>(alpha), static_cast<T*>(x), step);
  });
}
template <int least, class Place>
cublasStatus_t find_types(Handle* h, int n, const void* x, cudaDataType x_type, int step, Place* result) {
  return by_type(x_type, true, computed_type(x_type), [&](auto zero, auto) {
    using T = decltype(zero);
    return find<T, least, Place>(h, n, static_cast<const T*>(x), step, result);
  });
}
cublasStatus_t copy_types(Handle* h, int n, const void* x, cudaDataType x_type, int x_step, void* y,
                          cudaDataType y_type, int y_step) {
  return by_type(x_type, x_type == y_type, computed_type(x_type), [&](auto zero, auto) {
    using T = decltype(zero);
    return copy(h, n, static_cast<const T*>(x), x_step, static_cast<T*>(y), y_step);
  });
}
cublasStatus_t swap_types(Handle* h, int n, void* x, cudaDataType x_type, int x_step, void* y,
                          cudaDataType y_type, int y_step) {
  return by_type(x_type, x_type == y_type, computed_type(x_type), [&](auto zero, auto) {
    using T = decltype(zero);
    return swap(h, n, static_cast<T*>(x), x_step, static_cast<T*>(y), y_step);
  });
}
/// `cs_type`: of cosine and sine, or of the sine alone where that is complex.
cublasStatus_t rot_types(Handle* h, int n, void* x, cudaDataType x_type, int x_step, void* y,
                         cudaDataType y_type, int y_step, const void* c, const void* s, cudaDataType cs_type,
                         cudaDataType computed_in) {
  return by_type(x_type, x_type == y_type, computed_in, [&](auto zero, auto) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bf16>) {
      return CUBLAS_STATUS_NOT_SUPPORTED;
    } else {
      using R = Real<T>;
      const auto with = [&](auto* sine) {
        return rot(h, n, static_cast<T*>(x), x_step, static_cast<T*>(y), y_step, static_cast<const R*>(c),
                   sine);
      };
      if (cs_type == x_type) return with(static_cast<const T*>(s));
      return cs_type == real_type(x_type) ? with(static_cast<const R*>(s)) : CUBLAS_STATUS_NOT_SUPPORTED;
    }
  });
}
/// Calls `f` with a number of the type, which all are to be.
template <class F>
cublasStatus_t by_real_type(std::initializer_list<cudaDataType> types, F&& f) {
  for (const cudaDataType type : types)
    if (type != *types.begin()) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (*types.begin() == CUDA_R_32F) return f(float());
  return *types.begin() == CUDA_R_64F ? f(double()) : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t rotm_types(Handle* h, int n, void* x, cudaDataType x_type, int x_step, void* y,
                          cudaDataType y_type, int y_step, const void* how, cudaDataType how_type,
                          cudaDataType computed_in) {
  return by_real_type({x_type, y_type, how_type, computed_in}, [&](auto zero) {
    using T = decltype(zero);
    return rotm(h, n, static_cast<T*>(x), x_step, static_cast<T*>(y), y_step, static_cast<const T*>(how));
  });
}

}  // namespace

// Functions with sizes of four bytes and of eight.
#define TYPES(Int, _)                                                                                        \
  WARPVP_API cublasStatus_t cublasAxpyEx##_(Handle* h, Int n, const void* alpha, cudaDataType alpha_type,    \
                                            const void* x, cudaDataType x_type, Int x_step, void* y,         \
                                            cudaDataType y_type, Int y_step, cudaDataType computed_in) {     \
    return narrowed(axpy_types, h, n, alpha, alpha_type, x, x_type, x_step, y, y_type, y_step, computed_in); \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasScalEx##_(Handle* h, Int n, const void* alpha, cudaDataType alpha_type,    \
                                            void* x, cudaDataType x_type, Int step,                          \
                                            cudaDataType computed_in) {                                      \
    return narrowed(scal_types, h, n, alpha, alpha_type, x, x_type, step, computed_in);                      \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasDotEx##_(Handle* h, Int n, const void* x, cudaDataType x_type, Int x_step, \
                                           const void* y, cudaDataType y_type, Int y_step, void* result,     \
                                           cudaDataType result_type, cudaDataType computed_in) {             \
    return narrowed(dot_types<false>, h, n, x, x_type, x_step, y, y_type, y_step, result, result_type,       \
                    computed_in);                                                                            \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasDotcEx##_(                                                                 \
      Handle* h, Int n, const void* x, cudaDataType x_type, Int x_step, const void* y, cudaDataType y_type,  \
      Int y_step, void* result, cudaDataType result_type, cudaDataType computed_in) {                        \
    return narrowed(dot_types<true>, h, n, x, x_type, x_step, y, y_type, y_step, result, result_type,        \
                    computed_in);                                                                            \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasNrm2Ex##_(Handle* h, Int n, const void* x, cudaDataType x_type, Int step,  \
                                            void* result, cudaDataType result_type,                          \
                                            cudaDataType computed_in) {                                      \
    return narrowed(sum_up_types<kSquares>, h, n, x, x_type, step, result, result_type, computed_in);        \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasAsumEx##_(Handle* h, Int n, const void* x, cudaDataType x_type, Int step,  \
                                            void* result, cudaDataType result_type,                          \
                                            cudaDataType computed_in) {                                      \
    return narrowed(sum_up_types<kMagnitudes>, h, n, x, x_type, step, result, result_type, computed_in);     \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasIamaxEx##_(Handle* h, Int n, const void* x, cudaDataType x_type, Int step, \
                                             Int* result) {                                                  \
    return narrowed(find_types<0, Int>, h, n, x, x_type, step, result);                                      \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasIaminEx##_(Handle* h, Int n, const void* x, cudaDataType x_type, Int step, \
                                             Int* result) {                                                  \
    return narrowed(find_types<1, Int>, h, n, x, x_type, step, result);                                      \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasCopyEx##_(Handle* h, Int n, const void* x, cudaDataType x_type,            \
                                            Int x_step, void* y, cudaDataType y_type, Int y_step) {          \
    return narrowed(copy_types, h, n, x, x_type, x_step, y, y_type, y_step);                                 \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasSwapEx##_(Handle* h, Int n, void* x, cudaDataType x_type, Int x_step,      \
                                            void* y, cudaDataType y_type, Int y_step) {                      \
    return narrowed(swap_types, h, n, x, x_type, x_step, y, y_type, y_step);                                 \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasRotEx##_(Handle* h, Int n, void* x, cudaDataType x_type, Int x_step,       \
                                           void* y, cudaDataType y_type, Int y_step, const void* c,          \
                                           const void* s, cudaDataType cs_type, cudaDataType computed_in) {  \
    return narrowed(rot_types, h, n, x, x_type, x_step, y, y_type, y_step, c, s, cs_type, computed_in);      \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasRotmEx##_(Handle* h, Int n, void* x, cudaDataType x_type, Int x_step,      \
                                            void* y, cudaDataType y_type, Int y_step, const void* how,       \
                                            cudaDataType how_type, cudaDataType computed_in) {               \
    return narrowed(rotm_types, h, n, x, x_type, x_step, y, y_type, y_step, how, how_type, computed_in);     \
  }
TYPES(int, )
TYPES(std::int64_t, _64)

WARPVP_API cublasStatus_t cublasRotgEx(Handle* h, void* a, void* b, cudaDataType type, void* c, void* s,
                                       cudaDataType cs_type, cudaDataType computed_in) {
  return by_type(type, cs_type == type || cs_type == real_type(type), computed_in, [&](auto zero, auto) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bf16>)
      return CUBLAS_STATUS_NOT_SUPPORTED;
    else
      return rotg(h, static_cast<T*>(a), static_cast<T*>(b), static_cast<Real<T>*>(c), static_cast<T*>(s));
  });
}
WARPVP_API cublasStatus_t cublasRotmgEx(Handle* h, void* d1, cudaDataType d1_type, void* d2,
                                        cudaDataType d2_type, void* x1, cudaDataType x1_type, const void* y1,
                                        cudaDataType y1_type, void* how, cudaDataType how_type,
                                        cudaDataType computed_in) {
  return by_real_type({d1_type, d2_type, x1_type, y1_type, how_type, computed_in}, [&](auto zero) {
    using T = decltype(zero);
    return rotmg(h, static_cast<T*>(d1), static_cast<T*>(d2), static_cast<T*>(x1), static_cast<const T*>(y1),
                 static_cast<T*>(how));
  });
}
