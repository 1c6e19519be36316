#pragma once
// SMs divided among several, as evenly as can be: for policies and controllers that give kernels SMs of their
// own.

namespace warpvp {

/// SMs begin to end - 1.
struct SmPart {
  unsigned begin, end;
};

/// The `index`-th of `parts` parts of `sms` SMs. Where there are more parts than SMs, several have the same
/// SM.
inline SmPart part_of(unsigned sms, unsigned index, unsigned parts) {
  if (parts > sms) return {index % sms, index % sms + 1};
  return {index * sms / parts, (index + 1) * sms / parts};
}

}  // namespace warpvp
