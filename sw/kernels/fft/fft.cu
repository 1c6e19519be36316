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

/// The numbers from `first` on, `step` apart, as a remainder and a quotient by `size`, without dividing at each.
struct Walk {
  int low, high, size, low_step, high_step;
  INLINE Walk(int first, int step, int size)
      : low(first % size), high(first / size), size(size), low_step(step % size), high_step(step / size) {}
  INLINE void next() {
    low += low_step;
    high += high_step;
    if (low >= size) {
      low -= size;
      ++high;
    }
  }
};

template <class R>
INLINE void transform(const Pass<R>& pass, const Complex<R>* in, Complex<R>* out) {
  __shared__ Complex<R> room[2][kRoom<R>];
  // Of each transform of this CTA: where its first number is, where its first result goes, and by which root of the
  // length that of place k is turned, over k.
  __shared__ long long reads[kMostTogether], writes[kMostTogether], turns[kMostTogether];
  const int points = pass.points, most = together<R>(points), threads = blockDim.x, thread = threadIdx.x;
  const long long apart = pass.length / points;  // of what one transform takes
  const long long all = pass.outer * apart * pass.inner, first = static_cast<long long>(blockIdx.x) * most;
  const int here = static_cast<int>(all - first < most ? all - first : most);
  ONCE for (int mine = thread; mine < here; mine += threads) {
    // A transform's number has its place inside last, so that neighbours read and write side by side.
    const long long number = first + mine, rest = number / pass.inner, o = rest / apart, u = rest - o * apart;
    const long long base = o * pass.length * pass.inner + (number - rest * pass.inner);
    const long long p = u / pass.done, q = u - p * pass.done;
    reads[mine] = base + u * pass.inner;
    writes[mine] = base + (q + pass.done * points * p) * pass.inner;
    turns[mine] = p * pass.done;
  }
  __syncthreads();
  const long long read_step = apart * pass.inner, write_step = pass.done * pass.inner;
  ONCE for (Walk at(thread, threads, here); at.high < points; at.next())
    room[0][at.low * points + at.high] = in[reads[at.low] + read_step * at.high];
  int side = 0, left = points, stride = 1;
  ONCE for (int stage = 0; stage < kMostRadices && pass.radices[stage] != 0; ++stage) {
    __syncthreads();
    const int radix = pass.radices[stage], rest = left / radix, each = points / radix, turn_step = points / left;
    Walk of_transform(thread, threads, each);  // which butterfly of which transform
    Walk at(of_transform.low, of_transform.low_step, stride);
    ONCE while (of_transform.high < here) {
      const int q = at.low, p = at.high, start = of_transform.high * points + q;
      const Complex<R>* const from = room[side] + start + stride * p;
      Complex<R>* const to = room[side ^ 1] + start + stride * radix * p;
      const int step = stride * rest, turn = p * turn_step;
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
      of_transform.next();
      at.next();
      if (at.high >= rest) at.high -= rest;  // of the next transform
    }
    side ^= 1;
    left = rest;
    stride *= radix;
  }
  __syncthreads();
  const bool by_result = pass.done == 1 && pass.inner == 1;  // results of one transform lie side by side
  const bool turned = pass.length / pass.done > points;
  const int size = by_result ? points : here, end = by_result ? here : points;
  ONCE for (Walk at(thread, threads, size); at.high < end; at.next()) {
    const int mine = by_result ? at.high : at.low, k = by_result ? at.low : at.high;
    Complex<R> v = room[side][mine * points + k];
    const long long turn = turns[mine] * k;
    if (turned && turn != 0) v = v * conjugate_if(pass.inverse, root(pass.roots, turn));
    out[writes[mine] + write_step * k] = v;
  }
}

// ---- from and to the program's arrays

struct At {
  long long batch, i[3];
};
/// The remainder of `number`, which becomes the quotient.
template <class I>
INLINE I divided(I& number, I by) {
  if (by == 1) return 0;
  const I all = number;
  number = all / by;
  return all - number * by;
}
/// Indices are computed in 32 bits where they fit.
template <class I>
INLINE At at(const Layout& l, long long index, long long last) {
  I number = static_cast<I>(index);
  At a;
  a.i[2] = divided<I>(number, static_cast<I>(last));
  a.i[1] = divided<I>(number, static_cast<I>(l.n[1]));
  a.i[0] = l.batches == 1 ? number : divided<I>(number, static_cast<I>(l.n[0]));
  a.batch = l.batches == 1 ? 0 : number;
  return a;
}
INLINE At at(const Layout& l, long long all, long long number, long long last) {
  return all >> 32 == 0 ? at<unsigned>(l, number, last) : at<unsigned long long>(l, number, last);
}
INLINE long long address(const Layout& l, const At& a) {
  return a.batch * l.distance + ((a.i[0] * l.embed1 + a.i[1]) * l.embed2 + a.i[2]) * l.stride;
}
/// Real numbers, or the half of a symmetric array, become whole complex ones.
template <class R>
INLINE void gather(const Layout& l, const R* in, Complex<R>* out) {
  const long long all = l.batches * l.n[0] * l.n[1] * l.n[2];
  FOR_EACH(number, all) {
    At a = at(l, all, number, l.n[2]);
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
  const long long all = l.batches * l.n[0] * l.n[1] * last;
  FOR_EACH(number, all) {
    const At a = at(l, all, number, last);
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

#define DEFINE(letter, R)                                                                               \
  extern "C" __global__ void transform_##letter(Pass<R> pass, const Complex<R>* in, Complex<R>* out) {         \
    transform(pass, in, out);                                                                        \
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
DEFINE(s, float)
DEFINE(d, double)
