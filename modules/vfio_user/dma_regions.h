#pragma once
// The parts of a client's memory that it has opened to the device, by DMA address.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "interconnect/vfio_user.h"
#include "modules/vfio_user/file_descriptor.h"

namespace warpvp::vfio_user {

class DmaRegions {
 public:
  /// Moves bytes of a region that has no file by messages to the client; false: it did not.
  using ByMessages =
      std::function<bool(bool write, std::uint64_t address, std::uint8_t* data, std::size_t bytes)>;

  /// Opens a region. With a file, accesses go to the file; it must lie in memory (a memfd, tmpfs), so that no
  /// access waits for a device. Without one they go by messages. `limit`: first DMA address that there is
  /// not. 0, or an errno: EINVAL (no bytes, no permission, not whole pages of 4 KiB, beyond the limit, a file
  /// of another kind or too short), EACCES (the file is not open for it), EEXIST (overlaps another), ENOSPC
  /// (too many).
  int add(const DmaMap& map, FileDescriptor file, std::uint64_t limit);
  /// Closes the regions that lie in a range, and says how many bytes they had: as VFIO does it. 0 or EINVAL:
  /// no range, or a region lies in it by a part.
  int remove(std::uint64_t address, std::uint64_t bytes, std::uint64_t& removed);
  /// Closes all; the bytes that they had.
  std::uint64_t clear();
  std::size_t size() const { return regions_.size(); }

  /// Reads or writes [address, address + bytes), which may span regions. False: part of it is not open for
  /// that, or its client has cut the file off or not answered. Files are read and written rather than mapped,
  /// so that a client that cuts one off hurts nobody.
  bool access(bool write, std::uint64_t address, std::uint8_t* data, std::size_t bytes,
              const ByMessages& by_messages) const;

 private:
  struct Region {
    std::uint64_t bytes = 0;
    std::uint32_t flags = 0;
    std::uint64_t offset = 0;  // in the file
    FileDescriptor file;
  };
  /// The region that `address` lies in if it is open for that direction, and where it begins.
  const Region* find(std::uint64_t address, bool write, std::uint64_t& begin) const;

  std::map<std::uint64_t, Region> regions_;  // by address
};

}  // namespace warpvp::vfio_user
