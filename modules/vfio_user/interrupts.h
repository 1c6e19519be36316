#pragma once
// The MSI-X interrupts of one client: an eventfd a vector. Which vectors are masked is the client's affair,
// as with VFIO: it takes the eventfd away.

#include <cstdint>
#include <vector>

#include "interconnect/vfio_user.h"
#include "modules/vfio_user/file_descriptor.h"

namespace warpvp::vfio_user {

class Interrupts {
 public:
  explicit Interrupts(unsigned vectors) : vectors_(vectors) {}

  unsigned count() const { return static_cast<unsigned>(vectors_.size()); }
  /// Carries out VFIO_USER_DEVICE_SET_IRQS; `data` follows the fixed part. 0, or an errno: EINVAL for another
  /// kind of interrupt, vectors that there are not, flags that do not go together, or too few eventfds or
  /// bytes; ENOTSUP for masking.
  int set(const IrqSet& request, const std::uint8_t* data, std::size_t bytes,
          std::vector<FileDescriptor> files);
  /// Signals the vector's eventfd, or, if it has none, notes that it is pending. A client that does not read
  /// its eventfd loses nothing: it counts.
  void raise(unsigned vector);
  bool pending(unsigned vector) const { return vectors_[vector].pending; }
  void clear();

 private:
  struct Vector {
    FileDescriptor event;
    bool pending = false;
  };
  void signal(Vector& vector);
  std::vector<Vector> vectors_;
};

}  // namespace warpvp::vfio_user
