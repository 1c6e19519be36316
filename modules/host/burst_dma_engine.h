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

#include <memory>
#include <vector>

#include "base/fields.h"
#include "modules/host/burst_arbiter.h"
#include "modules/host/piecewise_dma_engine.h"

namespace warpvp {

struct BurstDmaConfig {
  std::uint32_t burst_bytes = 4096;
  std::uint32_t bursts = 4;
  std::uint32_t memory_requests = 64;
  double setup_ns = 200;
  bool values = true, traffic = true;

  void fields(FieldVisitor& v);
};

class BurstDmaEngine;

/// One of the engines behind the channels.
class TransferEngine {
 public:
  TransferEngine(CopyDirection direction, unsigned bursts) : direction_(direction), most_(bursts) {}
  /// The channel has bursts to move in this direction.
  void join(BurstDmaEngine& channel, unsigned id, int priority);
  void leave(unsigned id) { arbiter_.leave(id); }
  /// A burst has ended; the next ones start.
  void burst_done(BurstDmaEngine& channel);
  /// Time with at least one burst under way, until now.
  double busy_us() const;
  std::uint64_t bursts() const { return bursts_; }
  const BurstArbiter& arbiter() const { return arbiter_; }

 private:
  void start_bursts();
  void tell_granted(unsigned id);

  const CopyDirection direction_;
  unsigned most_, under_way_ = 0;
  BurstArbiter arbiter_;
  std::vector<BurstDmaEngine*> channels_;         // by id
  std::uint64_t bursts_ = 0, bursts_before_ = 0;  // in all; until the stretch under way
  sc_core::sc_time busy_, since_;
};

/// Shared by all channels.
struct TransferEngines {
  explicit TransferEngines(unsigned bursts)
      : to_device(CopyDirection::kToDevice, bursts),
        to_host(CopyDirection::kToHost, bursts),
        on_device(CopyDirection::kOnDevice, bursts) {}
  TransferEngine to_device, to_host, on_device;
};

/// One channel.
class BurstDmaEngine : public PiecewiseDmaEngine {
 public:
  BurstDmaEngine(sc_core::sc_module_name name, const BurstDmaConfig& config, const DmaPlace& place,
                 std::shared_ptr<TransferEngines> engines);

  /// Of this channel; the first one also tells of the engines that all share.
  DmaStats statistics() const override;

  /// For the engine: moves the next burst. False: that was the last one.
  bool start_burst() {
    start_piece();
    return has_pieces();
  }
  /// For the engine, which tells of channels and of itself.
  using DmaEngine::observer;
  using PiecewiseDmaEngine::record;

 private:
  TransferEngine& engine() const;
  void ready() override { engine().join(*this, index(), copy().priority); }
  void piece_ended() override { engine().burst_done(*this); }
  void failed() override { engine().leave(index()); }  // the rest of the copy is not moved

  std::shared_ptr<TransferEngines> engines_;
};

}  // namespace warpvp
