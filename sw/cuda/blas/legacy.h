#pragma once
// The interface that cuBLAS had at first (cublas.h): one handle for all, letters instead of enumerations,
// factors and results by value, and an error that is asked for. Its functions are those of the handle.

#include <type_traits>

#include "sw/cuda/blas/handle.h"

namespace warpvp::cuda::blas {

struct Legacy {
  Handle* handle = nullptr;  ///< from cublasInit to cublasShutdown
  cublasStatus_t last = CUBLAS_STATUS_SUCCESS;
};
inline Legacy legacy;

/// What a letter stands for; what none stands for is refused by whoever gets it.
template <class E>
E from_letter(char letter) {
  const char capital = letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
  const auto which = [&](const char* letters) {
    std::uint32_t at = 0;
    while (letters[at] != 0 && letters[at] != capital) ++at;
    return static_cast<E>(letters[at] != 0 ? at : 99);
  };
  if constexpr (std::is_same_v<E, cublasOperation_t>) return which("NTC");
  if constexpr (std::is_same_v<E, cublasFillMode_t>) return which("LU");
  if constexpr (std::is_same_v<E, cublasSideMode_t>) return which("LR");
  if constexpr (std::is_same_v<E, cublasDiagType_t>) return which("NU");
}
/// An argument as the function of a handle takes it.
template <class To, class From>
auto given(From& value) {
  if constexpr (std::is_enum_v<To> && std::is_same_v<From, char>)
    return from_letter<To>(value);
  else if constexpr (std::is_pointer_v<To> && !std::is_pointer_v<From>)
    return &value;
  else
    return value;
}
template <class... To, class... From>
void call_legacy(cublasStatus_t (*f)(Handle*, To...), From... values) {
  const cublasStatus_t status = f(legacy.handle, given<To>(values)...);
  if (status != CUBLAS_STATUS_SUCCESS) legacy.last = status;
}
/// The same of functions with a result, which goes to the place that is the last argument.
template <class Result, class F, class... From>
Result legacy_result(F f, From... values) {
  Result result{};
  call_legacy(f, values..., &result);
  return result;
}

}  // namespace warpvp::cuda::blas

#define BLAS_EACH_TYPE_ONCE(define) \
  define(S, s, float) define(D, d, double) define(C, c, ComplexFloat) define(Z, z, ComplexDouble)
