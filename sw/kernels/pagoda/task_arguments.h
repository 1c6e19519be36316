#pragma once
// What each body of a narrow task takes: the same structs for device code and for the host, which fills them in. A
// pointer is a device address on either side.

#ifdef __CUDA__
template <class T>
using TaskPointer = T*;
#else
#include <cstdint>
namespace warpvp::pagoda {
template <class T>
using TaskPointer = std::uint64_t;
struct uint2;
#endif

/// filter_bank.h
struct FilterBankArguments {
  TaskPointer<const float> signal;     ///< `length` samples
  TaskPointer<const float> analysis;   ///< `taps` weights
  TaskPointer<const float> synthesis;  ///< the same
  TaskPointer<float> filtered;         ///< scratch: `length` samples
  TaskPointer<float> expanded;         ///< scratch: the same
  TaskPointer<float> out;              ///< `length` samples
  unsigned length, taps, decimation;
};

/// mandelbrot.h
struct MandelbrotArguments {
  TaskPointer<unsigned> out;  ///< iterations of each pixel
  unsigned width, height;     ///< pixels
  unsigned iterations;        ///< at most
  float left, top, step;      ///< of the first pixel, and from one to the next
};

/// beam_former.h
struct BeamFormerArguments {
  TaskPointer<const float> samples;  ///< `length` complex numbers
  TaskPointer<const float> weights;  ///< `taps` of them
  TaskPointer<float> out;            ///< `length` magnitudes
  unsigned length, taps;
};

/// convolution.h
struct ConvolutionArguments {
  TaskPointer<const unsigned char> in;  ///< pixels
  TaskPointer<const int> weights;       ///< (2 radius + 1) squared, their sum 256
  TaskPointer<unsigned char> out;       ///< pixels
  unsigned width, height, radius;
};

/// dct.h
struct DctArguments {
  TaskPointer<const float> in;       ///< pixels
  TaskPointer<const float> cosines;  ///< 8 rows of 8
  TaskPointer<float> rows;           ///< scratch: as many as pixels; not for the form with shared memory
  TaskPointer<float> out;            ///< coefficients
  unsigned width, height;            ///< multiples of 8
};

/// matmul.h
struct MatmulArguments {
  TaskPointer<const float> a, b;
  TaskPointer<float> c;
  unsigned size;  ///< of the square matrices; a multiple of 16
};

/// sparse_lu.h
struct SparseLuArguments {
  TaskPointer<const float> first, second;  ///< what is read, as each body says
  TaskPointer<float> target;               ///< what is changed
  unsigned size;                           ///< of the square sub-matrices
};

/// triple_des.h: what a key gives.
struct TripleDesTables {
  unsigned boxes[8][64];   ///< a substitution box and the permutation behind it, rotated left by one
  unsigned keys[3][16][2]; ///< of each round in the order of use: bits of boxes 1, 3, 5, 7, and of 2, 4, 6, 8
};
struct TripleDesArguments {
  TaskPointer<const uint2> in;  ///< blocks of eight bytes
  TaskPointer<const TripleDesTables> tables;
  TaskPointer<uint2> out;
  unsigned blocks;
};

#ifndef __CUDA__
}  // namespace warpvp::pagoda
#endif
