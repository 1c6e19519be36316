// A program that calls cuFFT and checks what it gets. `program CASE`; status 0: all was right, else a line a
// mistake.

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <random>

#include "sw/cuda/fft/abi.h"
#include "tests/cuda/on_device.h"

extern "C" {
cufftResult cufftCreate(cufftHandle*);
cufftResult cufftDestroy(cufftHandle);
cufftResult cufftGetVersion(int*);
cufftResult cufftSetStream(cufftHandle, CUstream);
cufftResult cufftSetAutoAllocation(cufftHandle, int);
cufftResult cufftSetWorkArea(cufftHandle, void*);
cufftResult cufftGetSize(cufftHandle, std::size_t*);
cufftResult cufftPlan1d(cufftHandle*, int, cufftType, int);
cufftResult cufftPlan2d(cufftHandle*, int, int, cufftType);
cufftResult cufftPlan3d(cufftHandle*, int, int, int, cufftType);
cufftResult cufftPlanMany(cufftHandle*, int, int*, int*, int, int, int*, int, int, cufftType, int);
cufftResult cufftMakePlan1d(cufftHandle, int, cufftType, int, std::size_t*);
cufftResult cufftMakePlanMany64(cufftHandle, int, long long*, long long*, long long, long long, long long*,
                                long long, long long, cufftType, long long, std::size_t*);
cufftResult cufftXtMakePlanMany(cufftHandle, int, long long*, long long*, long long, long long, cudaDataType,
                                long long*, long long, long long, cudaDataType, long long, std::size_t*,
                                cudaDataType);
cufftResult cufftEstimate1d(int, cufftType, int, std::size_t*);
cufftResult cufftExecC2C(cufftHandle, void*, void*, int);
cufftResult cufftExecR2C(cufftHandle, void*, void*);
cufftResult cufftExecC2R(cufftHandle, void*, void*);
cufftResult cufftExecZ2Z(cufftHandle, void*, void*, int);
cufftResult cufftExecD2Z(cufftHandle, void*, void*);
cufftResult cufftExecZ2D(cufftHandle, void*, void*);
cufftResult cufftXtExec(cufftHandle, void*, void*, int);
cufftResult cufftXtSetCallback();
}

using namespace warpvp::test;

namespace {

void ok(cufftResult result, const std::string& what) {
  expect(result == CUFFT_SUCCESS, what + ": " + std::to_string(result));
}

using Number = std::complex<double>;
using Numbers = std::vector<Number>;
std::mt19937 numbers(5);

Numbers random_numbers(std::size_t n, bool real = false) {
  std::uniform_real_distribution<double> any(-1, 1);
  Numbers all(n);
  for (Number& v : all) {
    const double re = any(numbers), im = any(numbers);
    v = real ? Number(re) : Number(re, im);
  }
  return all;
}
/// exp(+-2 pi i e / n).
Number root(std::size_t e, std::size_t n, int direction) {
  const long double angle =
      direction * 2 * std::acos(-1.0L) * static_cast<long double>(e % n) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}
/// By the definition, along one dimension of an array of outer times n times inner numbers.
Numbers along(const Numbers& x, std::size_t n, std::size_t inner, int direction) {
  Numbers roots(n), y(x.size());
  for (std::size_t e = 0; e < n; ++e) roots[e] = root(e, n, direction);
  for (std::size_t o = 0; o < x.size() / (n * inner); ++o)
    for (std::size_t i = 0; i < inner; ++i)
      for (std::size_t k = 0; k < n; ++k) {
        Number sum = 0;
        for (std::size_t t = 0; t < n; ++t) sum += x[(o * n + t) * inner + i] * roots[t * k % n];
        y[(o * n + k) * inner + i] = sum;
      }
  return y;
}
using Sizes = std::array<std::size_t, 3>;
std::size_t product(const Sizes& n) { return n[0] * n[1] * n[2]; }
Numbers transformed(const Numbers& x, const Sizes& n, int direction) {
  return along(along(along(x, n[2], 1, direction), n[1], n[2], direction), n[0], n[1] * n[2], direction);
}

/// Within what sums of so many numbers of a precision may lose.
void compare(const Numbers& got, const Numbers& wanted, bool is_double, const std::string& what) {
  double size = 0, difference = 0;
  expect(got.size() == wanted.size(), what + ": as many");
  for (std::size_t i = 0; i < got.size(); ++i) {
    size = std::max(size, std::abs(wanted[i]));
    difference = std::max(difference, std::abs(got[i] - wanted[i]));
  }
  const double epsilon =
      is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  expect(difference <= 12 * epsilon * std::max(size, 1.0),
         what + (is_double ? " of f64" : " of f32") + ": wrong by " + std::to_string(difference / epsilon) +
             " in the last place of " + std::to_string(size));
}

/// What programs have in memory: real or complex numbers of either precision.
template <class R>
std::vector<R> stored(const Numbers& x, bool real) {
  std::vector<R> all;
  for (const Number v : x) {
    all.push_back(static_cast<R>(v.real()));
    if (!real) all.push_back(static_cast<R>(v.imag()));
  }
  return all;
}
template <class R>
Numbers loaded(const std::vector<R>& all, bool real) {
  Numbers x;
  for (std::size_t i = 0; i < all.size(); i += real ? 1 : 2) x.emplace_back(all[i], real ? 0 : all[i + 1]);
  return x;
}
template <class R>
constexpr bool kDouble = sizeof(R) == sizeof(double);

/// Complex to complex: `plan` is destroyed.
template <class R>
void check_complex(cufftHandle plan, const Sizes& n, std::size_t batches, int direction, bool in_place,
                   const std::string& what) {
  const Numbers x = random_numbers(batches * product(n));
  OnDevice<R> from(stored<R>(x, false)), to(stored<R>(x, false));
  R* const out = in_place ? static_cast<R*>(from) : static_cast<R*>(to);
  ok(kDouble<R> ? cufftExecZ2Z(plan, from, out, direction) : cufftExecC2C(plan, from, out, direction),
     "Exec " + what);
  compare(loaded(in_place ? from.get() : to.get(), false), transformed(x, n, direction), kDouble<R>, what);
  if (!in_place)
    expect(loaded(from.get(), false) == loaded(stored<R>(x, false), false), what + " leaves what it reads");
  ok(cufftDestroy(plan), "Destroy");
}

template <class R>
constexpr cufftType kComplex = kDouble<R> ? CUFFT_Z2Z : CUFFT_C2C;

template <class R>
void lengths_of() {
  std::vector<int> all;
  for (int n = 1; n <= 40; ++n) all.push_back(n);
  for (const int n : {49, 64, 77, 97, 100, 121, 128, 143, 169, 243, 256, 343, 361, 512, 625, 720})
    all.push_back(n);
  for (const int n : all) {
    cufftHandle plan = 0;
    const int batches = n % 3 + 1;
    ok(cufftPlan1d(&plan, n, kComplex<R>, batches), "Plan1d");
    check_complex<R>(plan, {1, 1, static_cast<std::size_t>(n)}, static_cast<std::size_t>(batches),
                     n % 2 == 0 ? CUFFT_FORWARD : CUFFT_INVERSE, n % 5 < 2,
                     "a length of " + std::to_string(n));
  }
  // Too long for the definition: some results, and the sum of squares.
  for (const int n : {1000, 1024, 2048, 4096, 6561, 10007, 16384, 17017, 65536, 1 << 17}) {
    const auto size = static_cast<std::size_t>(n);
    const Numbers x = random_numbers(size);
    OnDevice<R> at(stored<R>(x, false));
    cufftHandle plan = 0;
    ok(cufftPlan1d(&plan, n, kComplex<R>, 1), "Plan1d");
    ok(kDouble<R> ? cufftExecZ2Z(plan, at, at, CUFFT_FORWARD) : cufftExecC2C(plan, at, at, CUFFT_FORWARD),
       "Exec");
    const Numbers y = loaded(at.get(), false);
    // Sums of so many numbers want more digits than a double has.
    using Long = std::complex<long double>;
    long double before = 0, after = 0, difference = 0;
    for (std::size_t i = 0; i < size; ++i) {
      before += std::norm(Long(x[i]));
      after += std::norm(Long(y[i])) / static_cast<long double>(n);
    }
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, size / 2, size - 1, size / 3, size * 5 / 7}) {
      Long sum = 0;
      for (std::size_t t = 0; t < size; ++t) sum += Long(x[t]) * Long(root(t * k, size, CUFFT_FORWARD));
      difference = std::max(difference, std::abs(Long(y[k]) - sum));
    }
    // Errors are like the root of what is summed.
    const double epsilon =
        kDouble<R> ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    const double error = static_cast<double>(difference / std::sqrt(before)) / epsilon;
    const std::string what = std::string(kDouble<R> ? "f64" : "f32") + ", a length of " + std::to_string(n);
    expect(error <= 6, what + ": wrong by " + std::to_string(error));
    expect(std::fabs(static_cast<double>(after / before) - 1) < 6 * epsilon, what + ": the sum of squares");
    ok(cufftDestroy(plan), "Destroy");
  }
}
void lengths() {
  lengths_of<float>();
  lengths_of<double>();
}

template <class R>
void dimensions_of() {
  for (const Sizes n : {Sizes{1, 8, 8}, Sizes{1, 5, 12}, Sizes{1, 30, 7}, Sizes{1, 17, 23}, Sizes{1, 64, 3},
                        Sizes{1, 1, 20}}) {
    cufftHandle plan = 0;
    ok(cufftPlan2d(&plan, static_cast<int>(n[1]), static_cast<int>(n[2]), kComplex<R>), "Plan2d");
    check_complex<R>(plan, n, 1, CUFFT_FORWARD, n[1] % 2 == 0, "two dimensions");
  }
  for (const Sizes n : {Sizes{4, 4, 4}, Sizes{3, 5, 7}, Sizes{6, 1, 10}, Sizes{19, 4, 6}}) {
    cufftHandle plan = 0;
    ok(cufftPlan3d(&plan, static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2]),
                   kComplex<R>),
       "Plan3d");
    check_complex<R>(plan, n, 1, CUFFT_INVERSE, n[0] % 2 == 0, "three dimensions");
  }
  // A dimension that takes two passes, with neighbours beside it.
  cufftHandle plan = 0;
  ok(cufftPlan2d(&plan, 1100, 2, kComplex<R>), "Plan2d");
  check_complex<R>(plan, {1, 1100, 2}, 1, CUFFT_FORWARD, true, "a long first dimension");
}
void dimensions() {
  dimensions_of<float>();
  dimensions_of<double>();
}

template <class R>
void real_of() {
  constexpr cufftType kThere = kDouble<R> ? CUFFT_D2Z : CUFFT_R2C, kBack = kDouble<R> ? CUFFT_Z2D : CUFFT_C2R;
  for (const Sizes n : {Sizes{1, 1, 1}, Sizes{1, 1, 2}, Sizes{1, 1, 16}, Sizes{1, 1, 15}, Sizes{1, 1, 34},
                        Sizes{1, 6, 10}, Sizes{1, 5, 9}, Sizes{4, 3, 6}, Sizes{3, 4, 5}})
    for (const bool in_place : {false, true}) {
      const int rank = n[0] > 1 ? 3 : n[1] > 1 ? 2 : 1;
      const std::size_t batches = rank == 1 ? 3 : 2, rows = batches * n[0] * n[1], half = n[2] / 2 + 1;
      const Numbers x = random_numbers(batches * product(n), true), y = transformed(x, n, CUFFT_FORWARD);
      // In place real rows have room for the complex ones.
      const std::size_t row = in_place ? 2 * half : n[2];
      std::vector<R> laid(rows * row, R(7));
      std::vector<R> halves;
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = 0; i < n[2]; ++i) laid[r * row + i] = static_cast<R>(x[r * n[2] + i].real());
      Numbers wanted;
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t k = 0; k < half; ++k) wanted.push_back(y[r * n[2] + k]);
      std::array<int, 3> sizes = {static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2])};
      cufftHandle there = 0, back = 0;
      int* const first = sizes.data() + 3 - rank;
      ok(cufftPlanMany(&there, rank, first, nullptr, 1, 0, nullptr, 1, 0, kThere, static_cast<int>(batches)),
         "PlanMany");
      ok(cufftPlanMany(&back, rank, first, nullptr, 1, 0, nullptr, 1, 0, kBack, static_cast<int>(batches)),
         "PlanMany");
      OnDevice<R> from(laid), other(std::vector<R>(2 * rows * half, R(5)));
      R* const to = in_place ? static_cast<R*>(from) : static_cast<R*>(other);
      ok(kDouble<R> ? cufftExecD2Z(there, from, to) : cufftExecR2C(there, from, to), "ExecR2C");
      const std::string what = "real numbers" + std::string(in_place ? " in place" : "") + " in " +
                               std::to_string(rank) + " dimensions";
      compare(loaded((in_place ? from : other).get(), false), wanted, kDouble<R>, what);
      ok(kDouble<R> ? cufftExecZ2D(back, to, from) : cufftExecC2R(back, to, from), "ExecC2R");
      Numbers again, scaled;
      const auto got = from.get();
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = 0; i < n[2]; ++i) {
          again.emplace_back(got[r * row + i]);
          scaled.push_back(x[r * n[2] + i] * static_cast<double>(product(n)));
        }
      compare(again, scaled, kDouble<R>, what + " and back");
      ok(cufftDestroy(there), "Destroy");
      ok(cufftDestroy(back), "Destroy");
    }
}
void real() {
  real_of<float>();
  real_of<double>();
}

/// Numbers apart from one another, rows longer than they need, transforms one into another: and what is
/// between untouched.
void layouts() {
  std::array<int, 2> n = {6, 5}, in_embed = {7, 8}, out_embed = {6, 9};
  constexpr int kBatches = 3, kInStride = 2, kOutStride = 3, kInDistance = 7 * 8 * 2 + 5, kOutDistance = 1;
  const Numbers laid = random_numbers(400), before = random_numbers(200);
  cufftHandle plan = 0;
  ok(cufftPlanMany(&plan, 2, n.data(), in_embed.data(), kInStride, kInDistance, out_embed.data(), kOutStride,
                   kOutDistance, CUFFT_Z2Z, kBatches),
     "PlanMany");
  const OnDevice<double> from(stored<double>(laid, false)), to(stored<double>(before, false));
  ok(cufftExecZ2Z(plan, from, to, CUFFT_FORWARD), "ExecZ2Z");
  Numbers wanted = before;
  for (std::size_t b = 0; b < kBatches; ++b) {
    Numbers x;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 5; ++j) x.push_back(laid[b * kInDistance + (i * 8 + j) * kInStride]);
    const Numbers y = transformed(x, {1, 6, 5}, CUFFT_FORWARD);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 5; ++j) wanted[b * kOutDistance + (i * 9 + j) * kOutStride] = y[i * 5 + j];
  }
  compare(loaded(to.get(), false), wanted, true, "an advanced layout");
  ok(cufftDestroy(plan), "Destroy");

  // Columns of a matrix.
  constexpr std::size_t kRows = 12, kColumns = 10;
  const Numbers matrix = random_numbers(kRows * kColumns);
  int rows = kRows, embed = kRows;
  ok(cufftPlanMany(&plan, 1, &rows, &embed, kColumns, 1, &embed, kColumns, 1, CUFFT_C2C, kColumns),
     "PlanMany");
  const OnDevice<float> at(stored<float>(matrix, false));
  ok(cufftExecC2C(plan, at, at, CUFFT_FORWARD), "ExecC2C");
  compare(loaded(at.get(), false), along(matrix, kRows, kColumns, CUFFT_FORWARD), false,
          "columns of a matrix");
  ok(cufftDestroy(plan), "Destroy");

  // Real rows with a distance of the program's own, both ways.
  int length = 12, real_embed = 20, half_embed = 9;
  const Numbers real_rows = random_numbers(40, true);
  const OnDevice<float> reals(stored<float>(real_rows, true)), halves(std::vector<float>(2 * 18, 5.0f));
  ok(cufftPlanMany(&plan, 1, &length, &real_embed, 1, 20, &half_embed, 1, 9, CUFFT_R2C, 2), "PlanMany");
  ok(cufftExecR2C(plan, reals, halves), "ExecR2C");
  Numbers of_halves(18, Number(5, 5));
  for (std::size_t b = 0; b < 2; ++b) {
    const auto first = real_rows.begin() + static_cast<std::ptrdiff_t>(20 * b);
    const Numbers y = transformed(Numbers(first, first + 12), {1, 1, 12}, CUFFT_FORWARD);
    for (std::size_t k = 0; k < 7; ++k) of_halves[9 * b + k] = y[k];
  }
  compare(loaded(halves.get(), false), of_halves, false, "rows of real numbers");
  ok(cufftDestroy(plan), "Destroy");
}

void plans() {
  // In steps, with memory of the program's own, in a stream.
  cufftHandle plan = 0;
  std::size_t bytes = 0, again = 0, estimated = 0;
  ok(cufftCreate(&plan), "Create");
  ok(cufftSetAutoAllocation(plan, 0), "SetAutoAllocation");
  ok(cufftMakePlan1d(plan, 3000, CUFFT_C2C, 2, &bytes), "MakePlan1d");
  ok(cufftGetSize(plan, &again), "GetSize");
  ok(cufftEstimate1d(3000, CUFFT_C2C, 2, &estimated), "Estimate1d");
  expect(bytes == again && bytes == estimated && bytes != 0, "the size of the work area");
  const Numbers x = random_numbers(6000);
  const OnDevice<float> at(stored<float>(x, false));
  expect(cufftExecC2C(plan, at, at, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "no work area");
  const OnDevice<std::uint8_t> area((std::vector<std::uint8_t>(bytes)));
  ok(cufftSetWorkArea(plan, static_cast<std::uint8_t*>(area)), "SetWorkArea");
  CUstream stream = nullptr;
  expect(cuStreamCreate(&stream, 0) == 0, "a stream");
  ok(cufftSetStream(plan, stream), "SetStream");
  ok(cufftExecC2C(plan, at, at, CUFFT_FORWARD), "ExecC2C");
  ok(cufftExecC2C(plan, at, at, CUFFT_INVERSE), "ExecC2C");
  Numbers back = loaded(at.get(), false);
  for (Number& v : back) v /= 3000;
  compare(back, x, false, "there and back");
  ok(cufftDestroy(plan), "Destroy");

  // By types of numbers, and by sizes of 64 bits.
  long long n = 24;
  for (const bool by_types : {false, true}) {
    ok(cufftCreate(&plan), "Create");
    ok(by_types ? cufftXtMakePlanMany(plan, 1, &n, nullptr, 1, 1, CUDA_R_64F, nullptr, 1, 1, CUDA_C_64F, 2,
                                      &bytes, CUDA_C_64F)
                : cufftMakePlanMany64(plan, 1, &n, nullptr, 1, 1, nullptr, 1, 1, CUFFT_D2Z, 2, &bytes),
       "MakePlanMany");
    const Numbers reals = random_numbers(48, true), y = transformed(reals, {1, 1, 24}, CUFFT_FORWARD);
    const OnDevice<double> from(stored<double>(reals, true)), to(std::vector<double>(2 * 26));
    ok(cufftXtExec(plan, from, to, CUFFT_FORWARD), "XtExec");
    Numbers wanted;
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t k = 0; k < 13; ++k) wanted.push_back(y[b * 24 + k]);
    compare(loaded(to.get(), false), wanted, true, "a plan by types of numbers");
    ok(cufftDestroy(plan), "Destroy");
  }
}

void mistakes_of_callers() {
  cufftHandle plan = 0, none = 12345;
  const OnDevice<float> at(std::vector<float>(64));
  expect(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE, "no numbers");
  expect(cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE, "no transforms");
  expect(cufftPlan1d(&plan, 8, static_cast<cufftType>(3), 1) == CUFFT_INVALID_TYPE, "no type");
  expect(cufftPlan1d(nullptr, 8, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE, "nowhere for the plan");
  int n = 8;
  expect(cufftPlanMany(&plan, 4, &n, nullptr, 1, 1, nullptr, 1, 1, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE,
         "four dimensions");
  expect(cufftExecC2C(none, at, at, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "no plan");
  expect(cufftDestroy(none) == CUFFT_INVALID_PLAN, "no plan to destroy");
  ok(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), "Plan1d");
  expect(cufftExecC2C(plan, at, at, 0) == CUFFT_INVALID_VALUE, "no direction");
  expect(cufftExecC2C(plan, nullptr, at, CUFFT_FORWARD) == CUFFT_INVALID_VALUE, "nothing to read");
  expect(cufftExecR2C(plan, at, at) == CUFFT_INVALID_TYPE, "another type");
  expect(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, nullptr) == CUFFT_INVALID_PLAN, "made twice");
  ok(cufftDestroy(plan), "Destroy");
  expect(cufftXtSetCallback() == CUFFT_NOT_SUPPORTED, "callbacks");
  int version = 0;
  ok(cufftGetVersion(&version), "GetVersion");
  expect(version / 1000 == 11, "the version");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  const std::map<std::string, void (*)()> cases = {{"lengths", lengths}, {"dimensions", dimensions},
                                                   {"real", real},       {"layouts", layouts},
                                                   {"plans", plans},     {"mistakes", mistakes_of_callers}};
  const auto found = cases.find(name);
  expect(found != cases.end(), "no case " + name);
  if (found != cases.end()) found->second();
  return mistakes == 0 ? 0 : 1;
}
