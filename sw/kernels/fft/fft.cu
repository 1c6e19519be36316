// Fast Fourier transforms (docs/cuda.md, cuFFT): Stockham's algorithm with mixed radices (Van Loan, Computational frameworks for
// the fast Fourier transform, 1992, chapters 1.7 and 2.1), Bluestein's for lengths with large prime factors.

#include "arithmetic.h"
#include "fft/steps.h"

using namespace fft_kernels;

#define UNROLLED _Pragma("unroll")

template <class R>
INLINE Complex<R> conjugate_if(bool inverse, Complex<R> v) {
  return {v.re, inverse ? -v.im : v.im};
}
template <class R>
INLINE Complex<R> root(const Roots<R>& roots, long long e) {
  return e < kFine ? roots.fine[e] : roots.coarse[e / kFine] * roots.fine[e % kFine];
}

/// kRadix numbers at `from`, `step` apart, to their transform at `to`, `stride` apart, the k-th of it times the root `turn` k
/// of points.
template <int kRadix, class R>
INLINE void butterfly(const Complex<R>* from, int step, Complex<R>* to, int stride, int turn, const Pass<R>& pass) {
  Complex<R> x[kRadix], y[kRadix];
  UNROLLED for (int t = 0; t < kRadix; ++t) x[t] = from[t * step];
  if constexpr (kRadix == 2) {
    y[0] = x[0] + x[1];
    y[1] = x[0] - x[1];
  } else if constexpr (kRadix == 4) {
    const Complex<R> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
    // By -i, or by i in the inverse.
    const Complex<R> e = pass.inverse ? Complex<R>{-d.im, d.re} : Complex<R>{d.im, -d.re};
    y[0] = a + c;
    y[1] = b + e;
    y[2] = a - c;
    y[3] = b - e;
  } else {
    const int apart = pass.points / kRadix;
    Complex<R> roots[kRadix];
    UNROLLED for (int t = 0; t < kRadix; ++t) roots[t] = conjugate_if(pass.inverse, pass.of_points[t * apart]);
    UNROLLED for (int k = 0; k < kRadix; ++k) {
      y[k] = x[0];
      UNROLLED for (int t = 1; t < kRadix; ++t) y[k] = y[k] + x[t] * roots[t * k % kRadix];
    }
  }
  to[0] = y[0];
  UNROLLED for (int k = 1; k < kRadix; ++k)
    to[k * stride] = turn == 0 ? y[k] : y[k] * conjugate_if(pass.inverse, pass.of_points[turn * k]);
}

template <class R, int kRoom>
INLINE void transform(const Pass<R>& pass, const Complex<R>* in, Complex<R>* out) {
  __shared__ Complex<R> room[2][kRoom];
  const int points = pass.points, together = kRoom / points, threads = blockDim.x;
  const long long apart = pass.length / points;  // of what one transform takes
  const long long all = pass.outer * apart * pass.inner, first = static_cast<long long>(blockIdx.x) * together;
  const int here = static_cast<int>(all - first < together ? all - first : together);
  // A transform's number has its place inside last, so that neighbours read and write side by side.
  const auto place = [&](long long number, long long* u) {
    const long long i = number % pass.inner, rest = number / pass.inner;
    *u = rest % apart;
    return rest / apart * pass.length * pass.inner + i;
  };
  ONCE for (int i = threadIdx.x; i < here * points; i += threads) {
    const int mine = i % here, t = i / here;
    long long u;
    const long long base = place(first + mine, &u);
    room[0][mine * points + t] = in[base + (u + apart * t) * pass.inner];
  }
  int side = 0, left = points, stride = 1;
  ONCE for (int stage = 0; stage < kMostRadices && pass.radices[stage] != 0; ++stage) {
    __syncthreads();
    const int radix = pass.radices[stage], rest = left / radix, each = points / radix;
    ONCE for (int i = threadIdx.x; i < here * each; i += threads) {
      const int mine = i / each, w = i % each, q = w % stride, p = w / stride;
      const Complex<R>* const from = room[side] + mine * points + q + stride * p;
      Complex<R>* const to = room[side ^ 1] + mine * points + q + stride * radix * p;
      const int step = stride * rest, turn = p * (points / left);
      switch (radix) {
        case 2:
          butterfly<2>(from, step, to, stride, turn, pass);
          break;
        case 3:
          butterfly<3>(from, step, to, stride, turn, pass);
          break;
        case 4:
          butterfly<4>(from, step, to, stride, turn, pass);
          break;
        case 5:
          butterfly<5>(from, step, to, stride, turn, pass);
          break;
        case 7:
          butterfly<7>(from, step, to, stride, turn, pass);
          break;
        case 11:
          butterfly<11>(from, step, to, stride, turn, pass);
          break;
        default:
          butterfly<13>(from, step, to, stride, turn, pass);
      }
    }
    side ^= 1;
    left = rest;
    stride *= radix;
  }
  __syncthreads();
  const bool by_result = pass.done == 1 && pass.inner == 1;  // results of one transform lie side by side
  const long long current = pass.length / pass.done;
  ONCE for (int i = threadIdx.x; i < here * points; i += threads) {
    const int mine = by_result ? i / points : i % here, k = by_result ? i % points : i / here;
    long long u;
    const long long base = place(first + mine, &u);
    const long long q = u % pass.done, p = u / pass.done;
    Complex<R> v = room[side][mine * points + k];
    if (current > points && p != 0 && k != 0) v = v * conjugate_if(pass.inverse, root(pass.roots, p * k * pass.done));
    out[base + (q + pass.done * (points * p + k)) * pass.inner] = v;
  }
}

// ---- from and to the program's arrays

struct At {
  long long batch, i[3];
};
INLINE At at(const Layout& l, long long number, long long last) {
  At a;
  a.i[2] = number % last;
  number /= last;
  a.i[1] = number % l.n[1];
  number /= l.n[1];
  a.i[0] = number % l.n[0];
  a.batch = number / l.n[0];
  return a;
}
INLINE long long address(const Layout& l, const At& a) {
  return a.batch * l.distance + ((a.i[0] * l.embed1 + a.i[1]) * l.embed2 + a.i[2]) * l.stride;
}
/// Real numbers, or the half of a symmetric array, become whole complex ones.
template <class R>
INLINE void gather(const Layout& l, const R* in, Complex<R>* out) {
  FOR_EACH(number, l.batches * l.n[0] * l.n[1] * l.n[2]) {
    At a = at(l, number, l.n[2]);
    Complex<R> v;
    if (l.real) {
      v = {in[address(l, a)], 0};
    } else {
      const bool mirrored = l.half && a.i[2] > l.n[2] / 2;
      if (mirrored)
        UNROLLED for (int d = 0; d < 3; ++d) a.i[d] = a.i[d] == 0 ? 0 : l.n[d] - a.i[d];
      v = conjugate_if(mirrored, reinterpret_cast<const Complex<R>*>(in)[address(l, a)]);
    }
    out[number] = v;
  }
}
template <class R>
INLINE void scatter(const Layout& l, const Complex<R>* in, R* out) {
  const long long last = l.half ? l.n[2] / 2 + 1 : l.n[2];
  FOR_EACH(number, l.batches * l.n[0] * l.n[1] * last) {
    const At a = at(l, number, last);
    const Complex<R> v = in[((a.batch * l.n[0] + a.i[0]) * l.n[1] + a.i[1]) * l.n[2] + a.i[2]];
    const long long to = address(l, a);
    if (l.real) {
      out[to] = v.re;
    } else {
      reinterpret_cast<Complex<R>*>(out)[to] = v;
    }
  }
}

// ---- Bluestein's algorithm

template <class R>
INLINE void chirp_in(const Chirp<R>& c, const Complex<R>* in, Complex<R>* out) {
  FOR_EACH(number, c.outer * c.inner * c.padded) {
    const long long k = number % c.padded, line = number / c.padded, i = line % c.inner, o = line / c.inner;
    Complex<R> v = {0, 0};
    if (k < c.length) v = in[(o * c.length + k) * c.inner + i] * conjugate_if(c.inverse, c.chirp[k]);
    out[number] = v;
  }
}
template <class R>
INLINE void filter(const Chirp<R>& c, Complex<R>* all) {
  FOR_EACH(number, c.outer * c.inner * c.padded)
  all[number] = all[number] * conjugate_if(c.inverse, c.filter[number % c.padded]);
}
template <class R>
INLINE void chirp_out(const Chirp<R>& c, const Complex<R>* in, Complex<R>* out) {
  const R scale = R(1) / static_cast<R>(c.padded);
  FOR_EACH(number, c.outer * c.length * c.inner) {
    const long long i = number % c.inner, k = number / c.inner % c.length, o = number / c.inner / c.length;
    const Complex<R> v = in[(o * c.inner + i) * c.padded + k] * conjugate_if(c.inverse, c.chirp[k]);
    out[number] = {v.re * scale, v.im * scale};
  }
}

#define DEFINE(letter, R, room)                                                                               \
  extern "C" __global__ void transform_##letter(Pass<R> pass, const Complex<R>* in, Complex<R>* out) {         \
    transform<R, room>(pass, in, out);                                                                        \
  }                                                                                                           \
  extern "C" __global__ void gather_##letter(Layout l, const R* in, Complex<R>* out) { gather(l, in, out); }  \
  extern "C" __global__ void scatter_##letter(Layout l, const Complex<R>* in, R* out) { scatter(l, in, out); } \
  extern "C" __global__ void chirp_in_##letter(Chirp<R> c, const Complex<R>* in, Complex<R>* out) {           \
    chirp_in(c, in, out);                                                                                     \
  }                                                                                                           \
  extern "C" __global__ void filter_##letter(Chirp<R> c, Complex<R>* all) { filter(c, all); }                 \
  extern "C" __global__ void chirp_out_##letter(Chirp<R> c, const Complex<R>* in, Complex<R>* out) {          \
    chirp_out(c, in, out);                                                                                    \
  }
DEFINE(s, float, 2048)
DEFINE(d, double, 1024)
