#include "sw/cuda/fft/plan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <utility>

namespace warpvp::cuda::fft {

namespace {

using Number = std::complex<double>;

/// exp(-2 pi i e / n), to the last place.
Number root(long long e, long long n) {
  const long double angle =
      -2 * std::acos(-1.0L) * static_cast<long double>(e % n) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

/// On the host, of a power of two.
void transform_here(std::vector<Number>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t k = 0; k < half; ++k) {
      const Number w = root(static_cast<long long>(k), 2 * static_cast<long long>(half));
      for (std::size_t i = k; i < n; i += 2 * half) {
        const Number a = x[i], b = w * x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
    }
}

/// The radices of a length, four where there are two twos, and what remains of it.
std::vector<int> radices_of(long long* length) {
  std::vector<int> radices;
  for (const int radix : {13, 11, 7, 5, 3, 4, 2})
    for (; *length % radix == 0; *length /= radix) radices.push_back(radix);
  return radices;
}
/// Radices of passes, as few as fit.
std::vector<std::vector<int>> passes_of(const std::vector<int>& radices) {
  std::vector<std::vector<int>> passes;
  std::vector<int> points;
  for (const int radix : radices) {
    // Where it fits best: the passes fill up, and the last does not stay with one radix alone.
    std::size_t best = passes.size();
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (points[i] * radix <= kMostPoints && passes[i].size() < kMostRadices &&
          (best == passes.size() || points[i] < points[best]))
        best = i;
    if (best == passes.size()) {
      passes.emplace_back();
      points.push_back(1);
    }
    passes[best].push_back(radix);
    points[best] *= radix;
  }
  return passes;
}

template <class R>
class TransformsOf : public Transforms {
 public:
  explicit TransformsOf(const Request& request) : request_(request) {}

  cufftResult make() {
    const Request& r = request_;
    long long inner = 1;
    for (int d = 2; d >= 0; --d) {
      const long long outer = r.batches * (d > 0 ? r.n[0] : 1) * (d > 1 ? r.n[1] : 1);
      if (const cufftResult result = add_axis(outer, r.n[d], inner)) return result;
      inner *= r.n[d];
    }
    return CUFFT_SUCCESS;
  }

  std::size_t scratch_bytes() const override {
    return sizeof(Complex<R>) * static_cast<std::size_t>(2 * numbers() + 2 * padded_);
  }

  cufftResult run(CUstream stream, void* in, void* out, bool inverse, void* scratch) const override {
    auto* const first = static_cast<Complex<R>*>(scratch);
    auto* const second = first + numbers();
    auto* const third = second + numbers();
    const Layout from = layout(request_.in, from_real(request_.type), to_real(request_.type), in == out);
    const Layout to = layout(request_.out, to_real(request_.type), from_real(request_.type), in == out);
    const long long all = numbers();
    const Complex<R>* source = static_cast<const Complex<R>*>(in);
    if (!plain(from)) {
      if (const cufftResult result = start(stream, "gather", all, from, in, first)) return result;
      source = first;
    }
    // Scratch arrays take turns; what the program finds is written by the last step alone.
    const bool last_is_program = plain(to);
    std::size_t left = steps_.size();
    const auto target = [&]() -> Complex<R>* {
      --left;
      if (left == 0 && last_is_program) return static_cast<Complex<R>*>(out);
      return source == first ? second : first;
    };
    for (const Step& step : steps_) {
      Complex<R>* const result = target();
      if (const cufftResult failed = step.chirp.filter == nullptr
                                         ? run_pass(stream, step.pass, inverse, source, result)
                                         : run_chirp(stream, step, inverse, source, result, third))
        return failed;
      source = result;
    }
    if (last_is_program && !steps_.empty()) return CUFFT_SUCCESS;
    return start(stream, "scatter", all, to, source, out);
  }

 private:
  /// One pass, or Bluestein's algorithm with passes of its own.
  struct Step {
    Pass<R> pass = {};
    Chirp<R> chirp = {};
    std::vector<Pass<R>> convolution;
  };

  long long numbers() const { return request_.batches * request_.n[0] * request_.n[1] * request_.n[2]; }

  /// `real`: this side has real numbers; `half`: the other one has.
  Layout layout(const Embedding& e, bool real, bool half, bool in_place) const {
    const Request& r = request_;
    Layout l = {};
    l.batches = r.batches;
    for (int d = 0; d < 3; ++d) l.n[d] = r.n[d];
    l.real = real;
    l.half = half;
    if (e.given) {
      l.embed1 = e.n[1];
      l.embed2 = e.n[2];
      l.stride = e.stride;
      l.distance = e.distance;
      return l;
    }
    // Real rows in place have room for the complex ones.
    const long long half_row = r.n[2] / 2 + 1;
    l.embed1 = r.n[1];
    l.embed2 = half ? half_row : real && in_place ? 2 * half_row : r.n[2];
    l.stride = 1;
    l.distance = r.n[0] * l.embed1 * l.embed2;
    return l;
  }
  /// As the passes have their arrays.
  bool plain(const Layout& l) const {
    return !l.real && !l.half && l.stride == 1 && (l.n[2] == l.embed2 || (l.n[0] == 1 && l.n[1] == 1)) &&
           (l.n[1] == l.embed1 || l.n[0] == 1) && (l.distance == l.n[0] * l.n[1] * l.n[2] || l.batches == 1);
  }

  template <class... Arguments>
  static cufftResult start(CUstream stream, const std::string& name, long long n, Arguments... arguments) {
    constexpr unsigned kThreads = 256;
    constexpr long long kMostCtas = 1 << 20;
    const auto ctas = static_cast<unsigned>(std::min<long long>(kMostCtas, (n + kThreads - 1) / kThreads));
    return start_kernel(kernels(), name + letter(), {ctas, 1, 1}, {kThreads, 1, 1}, stream, arguments...) == 0
               ? CUFFT_SUCCESS
               : CUFFT_EXEC_FAILED;
  }
  static const char* letter() { return sizeof(R) == sizeof(float) ? "_s" : "_d"; }

  static cufftResult run_pass(CUstream stream, Pass<R> pass, bool inverse, const Complex<R>* in,
                              Complex<R>* out) {
    constexpr unsigned kThreads = 128;
    const long long all = pass.outer * (pass.length / pass.points) * pass.inner,
                    at_once = together<R>(pass.points);
    pass.inverse = inverse;
    return start_kernel(kernels(), std::string("transform") + letter(),
                        {static_cast<unsigned>((all + at_once - 1) / at_once), 1, 1}, {kThreads, 1, 1},
                        stream, pass, in, out) == 0
               ? CUFFT_SUCCESS
               : CUFFT_EXEC_FAILED;
  }
  cufftResult run_chirp(CUstream stream, const Step& step, bool inverse, const Complex<R>* in,
                        Complex<R>* out, Complex<R>* scratch) const {
    Chirp<R> chirp = step.chirp;
    chirp.inverse = inverse;
    const long long padded = chirp.outer * chirp.inner * chirp.padded;
    Complex<R>*source = scratch, *target = scratch + padded_;
    if (const cufftResult result = start(stream, "chirp_in", padded, chirp, in, source)) return result;
    for (const bool back : {false, true}) {
      for (const Pass<R>& pass : step.convolution) {
        if (const cufftResult result = run_pass(stream, pass, back, source, target)) return result;
        std::swap(source, target);
      }
      if (back) break;
      if (const cufftResult result = start(stream, "filter", padded, chirp, source)) return result;
    }
    return start(stream, "chirp_out", chirp.outer * chirp.length * chirp.inner, chirp, source, out);
  }

  cufftResult table(const std::vector<Number>& from, const Complex<R>** at) {
    std::vector<Complex<R>> values;
    for (const Number v : from) values.push_back({static_cast<R>(v.real()), static_cast<R>(v.imag())});
    tables_.push_back(std::make_unique<DeviceMemory>());
    if (tables_.back()->put(values.data(), values.size() * sizeof(Complex<R>)) != 0)
      return CUFFT_ALLOC_FAILED;
    *at = tables_.back()->as<Complex<R>>();
    return CUFFT_SUCCESS;
  }
  /// Of a length, each once.
  cufftResult roots_of(long long n, Roots<R>* roots) {
    const auto known = roots_.find(n);
    if (known != roots_.end()) {
      *roots = known->second;
      return CUFFT_SUCCESS;
    }
    std::vector<Number> fine, coarse;
    for (long long e = 0; e < std::min<long long>(n, kFine); ++e) fine.push_back(root(e, n));
    for (long long e = 0; e < n; e += kFine) coarse.push_back(root(e, n));
    if (const cufftResult result = table(fine, &roots->fine)) return result;
    if (const cufftResult result = table(coarse, &roots->coarse)) return result;
    roots_[n] = *roots;
    return CUFFT_SUCCESS;
  }
  cufftResult passes(long long outer, long long length, long long inner, const std::vector<int>& radices,
                     std::vector<Pass<R>>* made) {
    long long done = 1;
    for (const std::vector<int>& of_pass : passes_of(radices)) {
      Pass<R> pass = {};
      pass.outer = outer;
      pass.length = length;
      pass.inner = inner;
      pass.done = done;
      pass.points = 1;
      for (std::size_t i = 0; i < of_pass.size(); ++i) {
        pass.radices[i] = of_pass[i];
        pass.points *= of_pass[i];
      }
      Roots<R> of_points;
      if (const cufftResult result = roots_of(length, &pass.roots)) return result;
      if (const cufftResult result = roots_of(pass.points, &of_points)) return result;
      pass.of_points = of_points.fine;
      made->push_back(pass);
      done *= pass.points;
    }
    return CUFFT_SUCCESS;
  }
  cufftResult add_axis(long long outer, long long length, long long inner) {
    if (length == 1) return CUFFT_SUCCESS;
    long long left = length;
    const std::vector<int> radices = radices_of(&left);
    if (left == 1) {
      std::vector<Pass<R>> made;
      if (const cufftResult result = passes(outer, length, inner, radices, &made)) return result;
      for (const Pass<R>& pass : made) steps_.push_back({pass, {}, {}});
      return CUFFT_SUCCESS;
    }
    long long padded = 1;
    while (padded < 2 * length - 1) padded *= 2;
    std::vector<Number> chirp, filter(static_cast<std::size_t>(padded));
    for (long long k = 0; k < length; ++k) {
      // k squared counts by twice the length.
      const auto square =
          static_cast<long long>(static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k) %
                                 static_cast<unsigned __int128>(2 * length));
      chirp.push_back(root(square, 2 * length));
      filter[static_cast<std::size_t>(k)] = std::conj(chirp.back());
      if (k != 0) filter[static_cast<std::size_t>(padded - k)] = std::conj(chirp.back());
    }
    transform_here(filter);
    Step step;
    step.chirp = {outer, length, inner, padded, nullptr, nullptr, 0};
    if (const cufftResult result = table(chirp, &step.chirp.chirp)) return result;
    if (const cufftResult result = table(filter, &step.chirp.filter)) return result;
    long long nothing = padded;
    if (const cufftResult result = passes(outer * inner, padded, 1, radices_of(&nothing), &step.convolution))
      return result;
    padded_ = std::max(padded_, outer * inner * padded);
    steps_.push_back(std::move(step));
    return CUFFT_SUCCESS;
  }

  Request request_;
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<DeviceMemory>> tables_;
  std::map<long long, Roots<R>> roots_;
  long long padded_ = 0;  ///< numbers of the largest convolution
};

template <class R>
cufftResult make_of(const Request& request, std::unique_ptr<Transforms>* made) {
  auto transforms = std::make_unique<TransformsOf<R>>(request);
  const cufftResult result = transforms->make();
  *made = std::move(transforms);
  return result;
}

}  // namespace

cufftResult make_transforms(const Request& request, std::unique_ptr<Transforms>* made) {
  return is_double(request.type) ? make_of<double>(request, made) : make_of<float>(request, made);
}

}  // namespace warpvp::cuda::fft
