#pragma once
// Words between the host and the firmware: a FIFO towards the core, records posted to host memory the other
// way.

#include <deque>
#include <functional>

#include "interconnect/register_map.h"
#include "modules/command_processor/devices/device.h"

namespace warpvp {

class HostMailbox : public Device {
 public:
  /// Posts a record to a host bus address.
  using Post = std::function<void(std::uint64_t address, const regmap::mailbox::HostRecord& record)>;

  HostMailbox(sc_core::sc_module_name name, Post post);

  /// Called at each word that the host sends.
  std::function<void()> on_word;
  bool has_word() const { return !to_core_.empty(); }

 private:
  Post post_;
  RegisterBlock::Id host_address_, host_records_;
  std::deque<std::uint32_t> to_core_;
  std::uint32_t to_host_ = 0;  // words sent
};

}  // namespace warpvp
