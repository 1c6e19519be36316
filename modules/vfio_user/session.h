#pragma once
// What one client has of the device, and its commands. Those that need the device are carried out by a
// Device; the rest (version, what regions and interrupts there are, configuration space, DMA regions,
// eventfds) is done here.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modules/vfio_user/config_space.h"
#include "modules/vfio_user/connection.h"
#include "modules/vfio_user/dma_regions.h"
#include "modules/vfio_user/interrupts.h"

namespace warpvp::vfio_user {

/// The device as the protocol has to know it.
struct DeviceShape {
  std::uint64_t bar0_bytes = 0, bar2_bytes = 0;  ///< powers of two
  std::uint64_t memory_bytes = 0;                ///< of BAR 2, device memory from its first byte on
  int memory_file = -1;                          ///< that clients map in place of BAR 2; -1: none
  unsigned vectors = 1;                          ///< of MSI-X
  std::uint64_t dma_limit = 0;                   ///< first DMA address that the device cannot reach
};

class Session;

/// The device behind the protocol. Its calls may take simulated time.
class Device {
 public:
  virtual ~Device() = default;
  /// An access to BAR 0 or BAR 2 within its size. 0, or an errno.
  virtual int access(Session& session, bool write, std::uint32_t region, std::uint64_t offset,
                     std::uint8_t* data, std::size_t bytes) = 0;
  /// The client's part of the device becomes as it was when the client came.
  virtual void reset(Session& session) = 0;
};

class Session {
 public:
  Session(Connection connection, const DeviceShape& shape, Device& device);

  Connection& connection() { return connection_; }
  const Connection& connection() const { return connection_; }
  /// A command lies there whose turn is to be settled with the device's own time: one that reads or writes
  /// BAR 0 or BAR 2.
  bool next_needs_device() const;
  /// Carries out the oldest command and answers it. Requires connection().has_command().
  void handle_next();
  /// Answers the command under way, if there is one, with an error: the device will not.
  void fail_current(int error);

  /// The client has gone, or was sent away: nothing of it is reached any more.
  bool over() const { return over_; }
  /// `why`: it is sent away for that; empty: it has gone by itself.
  void end(const std::string& why = {});
  bool negotiated() const { return negotiated_; }
  /// Why it was sent away; empty: it was not.
  const std::string& problem() const { return problem_; }

  /// The device reads or writes the client's memory, by DMA address. False: not open, or the client did not
  /// answer within `patience_ms`, which ends it.
  bool access_memory(bool write, std::uint64_t address, std::uint8_t* data, std::size_t bytes,
                     int patience_ms);
  Interrupts& interrupts() { return interrupts_; }
  const ConfigSpace& config_space() const { return config_; }

 private:
  using Payload = std::vector<std::uint8_t>;

  void answer(const Payload& payload, int file = -1);
  void refuse(int error);
  /// 0, or an errno; `reply` is what the answer has, `file` goes with it.
  int carry_out(Message& message, Payload& reply, int& file);
  void reset();
  int negotiate(const Message& message, Payload& reply);
  int region_info(const Message& message, Payload& reply, int& file) const;
  int irq_info(const Message& message, Payload& reply) const;
  int unmap(const Message& message, Payload& reply);
  int access_region(bool write, Message& message, Payload& reply);
  int access_bar4(bool write, std::uint64_t offset, std::uint8_t* data, std::size_t bytes);
  std::uint64_t region_bytes(std::uint32_t region) const;
  bool exchange(bool write, std::uint64_t address, std::uint8_t* data, std::size_t bytes, int patience_ms);

  Connection connection_;
  const DeviceShape shape_;
  Device& device_;
  ConfigSpace config_;
  DmaRegions memory_;
  Interrupts interrupts_;
  std::vector<std::uint8_t> msix_table_;
  bool negotiated_ = false;
  std::uint64_t transfer_ = kMaxTransfer;  // that the client takes in one message
  std::optional<Header> current_;          // the command that is being carried out
  std::uint16_t next_id_ = 0;              // of commands to the client
  bool over_ = false;
  std::string problem_;
};

}  // namespace warpvp::vfio_user
