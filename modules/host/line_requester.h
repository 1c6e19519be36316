#pragma once
// The way of copy engines and of the hub to device memory: accesses of any length and alignment, cut into
// requests that never cross a line of the L2, sent through one port under the TLM-2.0 base protocol.
//
// Values move request by request, at the time of its response: a read samples device memory then, a write
// appears in it then. So nothing is visible before its traffic has reached the L2. Without traffic they move
// at once.

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "interconnect/device_memory.h"
#include "interconnect/ports.h"
#include "interconnect/transaction.h"

namespace warpvp {

class LineRequester : private InitiatorPort::Client {
 public:
  struct Config {
    unsigned line_bytes = 128;  ///< of the L2, a power of two
    unsigned outstanding = 64;  ///< requests under way at once
    AccessKind kind = AccessKind::kCopy;
    std::uint32_t launch = 0;  ///< under which the traffic is counted: kCopyLaunch, kCommandLaunch
    bool traffic = true;       ///< false: values alone move, all of an access at once and in no time
  };
  /// One access. Its owner keeps it, and the data, until it is done.
  struct Access {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    unsigned char* data = nullptr;  ///< read into or written from; nullptr: traffic only, no values move
    std::uint64_t token = 0;        ///< for the owner
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;  ///< when done: OK or the first error

   private:
    friend class LineRequester;
    std::uint64_t sent = 0, answered = 0;
  };
  struct Traffic {
    std::uint64_t reads = 0, writes = 0;  ///< requests sent
    std::uint64_t read_bytes = 0, written_bytes = 0;
  };

  /// Construct inside an sc_module's constructor. `done` is called once for each access, from a thread of
  /// the requester's own and never from within start().
  LineRequester(const char* name, const Config& config, DeviceMemory& memory,
                std::function<void(Access&)> done);

  InitiatorPort port;  ///< to the crossbar

  /// Queues an access behind those started before. One of no bytes, or outside device memory, is answered
  /// with an error and causes no traffic.
  void start(Access& access);
  const Traffic& traffic() const { return traffic_; }
  DeviceMemory& memory() const { return memory_; }

 private:
  void send_requests();
  void call_back();
  void send(Access& access);
  void move_values(const Access& access, std::uint64_t address, std::uint64_t bytes);
  void link_free(InitiatorPort&) override { work_.notify(sc_core::SC_ZERO_TIME); }
  bool response(InitiatorPort&, tlm::tlm_generic_payload& payload) override;

  Config config_;
  DeviceMemory& memory_;
  std::function<void(Access&)> done_;
  TransactionPool pool_;
  std::deque<Access*> queue_;      // not all of it sent, in order
  std::vector<Access*> finished_;  // `done_` has not been called
  std::vector<Access*> calling_;
  std::vector<unsigned char> long_data_;  // what requests longer than a transaction's scratch name as theirs
  unsigned under_way_ = 0;
  Traffic traffic_;
  sc_core::sc_event work_, answered_;
};

}  // namespace warpvp
