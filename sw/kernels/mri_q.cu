// The Q matrix of a magnetic resonance reconstruction, as Parboil's mri-q: each thread sums, for its place in the image,
// the waves of up to 1024 sample points in constant memory. Sines and cosines are the special function unit's, as the
// original's compiler option (--use_fast_math) has it.

constexpr unsigned kMostSamples = 1024;

struct __attribute__((aligned(16))) Sample {
  float x, y, z, magnitude;
};
__constant__ Sample samples[kMostSamples];

extern "C" __global__ void mri_q(unsigned count, const float* x, const float* y, const float* z, float* real, float* imaginary) {
  constexpr float kTwoPi = 6.2831853071795864769f;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float px = x[i], py = y[i], pz = z[i];
  float re = real[i], im = imaginary[i];
#pragma unroll 2
  for (unsigned k = 0; k < count; ++k) {
    const Sample s = samples[k];
    const float angle = kTwoPi * fmaf(s.z, pz, fmaf(s.y, py, s.x * px));
    re = fmaf(s.magnitude, cos_approx(angle), re);
    im = fmaf(s.magnitude, sin_approx(angle), im);
  }
  real[i] = re;
  imaginary[i] = im;
}
