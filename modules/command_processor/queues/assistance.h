#pragma once
// What firmware tells hardware that starts packets by itself (command_processor.type: assisted), through the
// registers of the scheduler port.

#include <cstdint>
#include <deque>

#include "interconnect/register_map.h"

namespace warpvp {

class Assistance {
 public:
  virtual ~Assistance() = default;
  /// regmap::qc::Option bits.
  virtual void set_options(std::uint32_t options) = 0;
  /// Order of the queue among others; smaller goes first.
  virtual void set_rank(unsigned queue, std::uint32_t rank) = 0;
  /// Opens the queue's gate, until a packet of no job, or the last one of a job, has gone through.
  virtual void admit(unsigned queue) = 0;
  /// The queue's head waits for that.
  virtual bool gated(unsigned queue) const = 0;
  /// What was started and what ended, the oldest first; at most kLogDepth entries.
  virtual const std::deque<regmap::qc::LogEntry>& log() const = 0;
  virtual void drop_log(std::uint32_t entries) = 0;
};

}  // namespace warpvp
