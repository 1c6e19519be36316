#include "modules/vfio_user/interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace warpvp::vfio_user {

int Interrupts::set(const IrqSet& request, const std::uint8_t* data, std::size_t bytes,
                    std::vector<FileDescriptor> files) {
  const std::uint32_t kind = request.flags & (IrqSet::kDataNone | IrqSet::kDataBool | IrqSet::kDataEventfd);
  const std::uint32_t action = request.flags & (IrqSet::kMask | IrqSet::kUnmask | IrqSet::kTrigger);
  if (request.index >= kIrqs || (kind | action) != request.flags) return EINVAL;
  const bool all_off = kind == IrqSet::kDataNone && request.count == 0 && request.start == 0;
  // Of the other kinds of interrupts there are none: to switch them off is in order.
  if (request.index != kMsixIrq) return all_off ? 0 : EINVAL;
  if (request.start > count() || request.count > count() - request.start) return EINVAL;
  if (action == IrqSet::kMask || action == IrqSet::kUnmask) return ENOTSUP;
  if (action != IrqSet::kTrigger) return EINVAL;
  if (all_off) {
    clear();
    return 0;
  }
  switch (kind) {
    case IrqSet::kDataNone:
      for (std::uint32_t i = 0; i < request.count; ++i) raise(request.start + i);
      return 0;
    case IrqSet::kDataBool:
      if (bytes < request.count) return EINVAL;
      for (std::uint32_t i = 0; i < request.count; ++i)
        if (data[i] != 0) raise(request.start + i);
      return 0;
    case IrqSet::kDataEventfd:
      if (!files.empty() && files.size() != request.count) return EINVAL;
      for (std::uint32_t i = 0; i < request.count; ++i) {
        Vector& vector = vectors_[request.start + i];
        vector.event = files.empty() ? FileDescriptor() : std::move(files[i]);
        // A full counter or a pipe that nobody reads must not stop the simulation.
        if (vector.event.open())
          fcntl(vector.event.get(), F_SETFL, fcntl(vector.event.get(), F_GETFL) | O_NONBLOCK);
        if (vector.event.open() && vector.pending) signal(vector);
      }
      return 0;
    default:
      return EINVAL;
  }
}

void Interrupts::raise(unsigned vector) {
  Vector& v = vectors_[vector];
  if (v.event.open())
    signal(v);
  else
    v.pending = true;
}

void Interrupts::signal(Vector& vector) {
  vector.pending = false;
  const std::uint64_t one = 1;
  // EAGAIN: the counter is full, so the client will see it all the same. Anything else: it was no eventfd.
  [[maybe_unused]] const ssize_t written = write(vector.event.get(), &one, sizeof one);
}

void Interrupts::clear() {
  for (Vector& vector : vectors_) vector = Vector();
}

}  // namespace warpvp::vfio_user
