#pragma once
// What kernels of cuFFT are told (docs/cuda.md). The host includes this too. An array has `outer` times
// `length` times `inner` complex numbers, of which those that are `inner` apart are transformed.

#include "../complex.h"

namespace fft_kernels {

/// exp(-2 pi i e / n) for e below n: fine[e] for e below kFine, else coarse[e / kFine] fine[e % kFine].
constexpr int kFine = 1024;
template <class R>
struct Roots {
  const Complex<R>*fine, *coarse;
};

/// A pass of Stockham's algorithm over an array: transforms of `points`, each by part of a CTA, whose results
/// lie where the next pass, or the caller, looks for them. `done`: the product of the points of earlier
/// passes.
constexpr int kMostPoints = 1024, kMostRadices = 10;
/// Numbers that a CTA has room for, and transforms of a pass that it does at once.
template <class R>
constexpr int kRoom = sizeof(R) == sizeof(float) ? 2048 : 1024;
constexpr int kMostTogether = 256;
template <class R>
constexpr int together(int points) {
  return kRoom<R> / points < kMostTogether ? kRoom<R> / points : kMostTogether;
}
template <class R>
struct Pass {
  long long outer, length, inner, done;
  int points, inverse;
  int radices[kMostRadices];    ///< whose product is `points`; 0 ends them
  Roots<R> roots;               ///< of length
  const Complex<R>* of_points;  ///< roots of points
};

/// Where a program has its numbers: a transform of up to three dimensions, rows by rows. The last dimension
/// has `last` numbers, half of what it stands for if `half`.
struct Layout {
  long long batches, n[3];  ///< of the transform
  long long embed1,
      embed2;  ///< numbers from a plane, and from a row, to the next are embed1 * embed2 and embed2
  long long stride, distance;  ///< from a number, and from a transform, to the next
  int real, half;
};

/// Bluestein's algorithm: transforms of `length` by convolutions of `padded` numbers.
template <class R>
struct Chirp {
  long long outer, length, inner, padded;
  const Complex<R>* chirp;   ///< exp(-pi i k k / length)
  const Complex<R>* filter;  ///< the transform of its conjugate, padded on both sides
  int inverse;
};

}  // namespace fft_kernels
