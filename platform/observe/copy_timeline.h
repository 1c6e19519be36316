#pragma once
// What copies and the link do, on the Perfetto timeline: a row for each engine (or channel) and direction
// with its copies, and within them the times in which a more urgent copy had the engine; a row for each
// engine that channels share, with the stretches in which it had bursts under way; and two rows for the PCIe
// link.
//
// A link may send a million packets: what follows each other within kGapPs is one span, which says how much
// of it the wire was busy.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "modules/host/dma_engine.h"
#include "modules/host/pcie_link.h"
#include "platform/results/trace_writer.h"

namespace warpvp {

class CopyTimeline : public CopyObserver, public PcieObserver {
 public:
  static constexpr std::uint64_t kGapPs = 10'000'000;  ///< 10 us

  /// The order of the groups "Copies" and "PCIe"; `owner_of` names whose a device address is, empty for
  /// nobody's. `trace` outlives this.
  CopyTimeline(TraceWriter& trace, std::uint32_t copies_order, std::uint32_t link_order,
               std::function<std::string(std::uint64_t address)> owner_of)
      : trace_(trace), copies_order_(copies_order), link_order_(link_order), owner_of_(std::move(owner_of)) {}

  void copy_begin(const CopyRecord& copy) override;
  void copy_end(const CopyRecord& copy) override;
  void copy_overtaken(const CopyRecord& copy) override;
  void copy_goes_on(const CopyRecord& copy) override;
  void engine_works(const EngineStretch& stretch) override;
  void engine_rests(const EngineStretch& stretch) override;
  void sends(const PcieTransfer& transfer) override;
  /// Shows what has not ended.
  void finish(std::uint64_t now_ps);

 private:
  struct Open {
    CopyRecord copy;
    std::uint64_t overtaken_ps = 0;  ///< 0: it is not
    unsigned times = 0;              ///< overtaken
  };
  struct Sent {
    std::uint64_t from_ps = 0, to_ps = 0, busy_ps = 0, bytes = 0, wire_bytes = 0, transfers = 0;
  };
  TraceWriter::Track track_of(const CopyRecord& copy);
  void write_copy(const Open& open, std::uint64_t now_ps, bool ended);
  void write_overtaken(Open& open, std::uint64_t now_ps);
  void write_stretch(const EngineStretch& stretch, std::uint64_t now_ps, bool ended);
  void write_sent(bool to_device);

  TraceWriter& trace_;
  const std::uint32_t copies_order_, link_order_;
  std::function<std::string(std::uint64_t)> owner_of_;
  std::map<unsigned, Open> copies_;                 // by engine, those under way
  std::map<CopyDirection, EngineStretch> working_;  // by engine that channels share
  Sent sent_[2];                                    // to the host, to the device
};

}  // namespace warpvp
