#pragma once
// `dma.type: burst`: transfers cut into bursts that take turns. `dma.engines` says how many channels there
// are (register windows, each with one copy at a time); behind them stand three engines that all channels
// share: one moves data to the device, one to the host, one within device memory (copies and fills). An
// engine moves one burst after another, and decides before each burst whose is next (BurstArbiter): a
// transfer of greater priority overtakes others at the next burst boundary, equals take turns. (CUsched,
// section I: preemption of DMA transfers at packet boundaries; table I: bursts of 4 KB.)
//
// A burst is under way from its first request to its last answer. As a link has a round trip, an engine has
// `bursts` of them under way at once; those are not taken back.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/fields.h"
#include "interconnect/ports.h"
#include "interconnect/transaction.h"
#include "modules/host/burst_arbiter.h"
#include "modules/host/dma_engine.h"
#include "modules/host/dma_registers.h"
#include "modules/host/line_requester.h"
#include "modules/host/timed_calls.h"

namespace warpvp {

struct BurstDmaConfig {
  std::uint32_t burst_bytes = 4096;
  std::uint32_t bursts = 4;
  std::uint32_t memory_requests = 64;
  double setup_ns = 200;
  bool values = true;

  void fields(FieldVisitor& v);
};

class BurstDmaEngine;

/// One of the engines behind the channels.
class TransferEngine {
 public:
  explicit TransferEngine(unsigned bursts) : most_(bursts) {}
  /// The channel has bursts to move in this direction.
  void join(BurstDmaEngine& channel, unsigned id, int priority);
  void leave(unsigned id) { arbiter_.leave(id); }
  /// A burst has ended; the next ones start.
  void burst_done();
  /// Time with at least one burst under way, until now.
  double busy_us() const;
  std::uint64_t bursts() const { return bursts_; }
  std::uint64_t switches() const { return arbiter_.switches(); }

 private:
  void start_bursts();

  unsigned most_, under_way_ = 0;
  BurstArbiter arbiter_;
  std::vector<BurstDmaEngine*> channels_;  // by id
  std::uint64_t bursts_ = 0;
  sc_core::sc_time busy_, since_;
};

/// Shared by all channels.
struct TransferEngines {
  explicit TransferEngines(unsigned bursts) : to_device(bursts), to_host(bursts), on_device(bursts) {}
  TransferEngine to_device, to_host, on_device;
};

/// One channel.
class BurstDmaEngine : public DmaEngine, private InitiatorPort::Client {
 public:
  BurstDmaEngine(sc_core::sc_module_name name, const BurstDmaConfig& config, const DmaPlace& place,
                 std::shared_ptr<TransferEngines> engines);

  tlm_utils::simple_target_socket<BurstDmaEngine> registers;  ///< window of regmap::dma
  tlm_utils::simple_initiator_socket<BurstDmaEngine> bus;     ///< completion mailbox writes
  InitiatorPort link;                                         ///< host memory, over PCIe

  tlm::tlm_target_socket<>& registers_socket() override { return registers; }
  tlm::tlm_initiator_socket<>& bus_socket() override { return bus; }
  tlm::tlm_initiator_socket<>& link_socket() override { return link.socket; }
  tlm::tlm_initiator_socket<>& memory_socket() override { return memory_.port.socket; }
  const RegisterBlock& register_block() const override { return window_.block(); }
  /// Of this channel; the first one also tells of the engines that all share.
  DmaStats statistics() const override;
  bool busy() const override { return busy_; }
  std::string describe() const override;

  /// For the engine: moves the next burst. False: that was the last one.
  bool start_burst();

 private:
  struct Burst {
    std::uint64_t offset = 0;
    std::vector<unsigned char> data;
    LineRequester::Access access;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    window_.block().transport(payload);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return window_.block().transport_dbg(payload); }
  void start();
  TransferEngine& engine() const;
  bool is_fill() const;
  void fetched(unsigned burst);
  void stored(unsigned burst);
  void ended(unsigned burst);
  void access_device(tlm::tlm_command command, std::uint64_t address, unsigned burst);
  void access_host(tlm::tlm_command command, std::uint64_t address, unsigned burst);
  void accessed(tlm::tlm_command command, tlm::tlm_response_status status, unsigned burst);
  void send_next();
  void finish();
  CopyRecord record() const;
  void link_free(InitiatorPort&) override { send_next(); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;

  const BurstDmaConfig config_;
  const unsigned index_;
  FaultSink& faults_;
  std::shared_ptr<TransferEngines> engines_;
  TimedCalls later_;
  LineRequester memory_;
  DmaRegisters window_;
  TransactionPool pool_;

  bool busy_ = false;
  regmap::dma::Descriptor copy_;
  std::uint64_t next_offset_ = 0, done_bytes_ = 0;
  std::uint32_t error_ = 0;
  unsigned under_way_ = 0;
  std::vector<Burst> bursts_;
  std::vector<unsigned> free_bursts_;
  std::deque<tlm::tlm_generic_payload*> to_send_;
  sc_core::sc_time started_at_;
  DmaStats stats_;
};

}  // namespace warpvp
