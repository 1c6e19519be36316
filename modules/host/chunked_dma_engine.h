#pragma once
// `dma.type: chunked`: moves bytes between host memory (over the PCIe link) and device memory, within device
// memory, or fills device memory. Programmed through registers; tells the command processor by a mailbox
// write when done.
//
// A copy is cut into chunks, several under way at once, so that engines working at the same time share the
// link; the next one starts when one has ended (piecewise_dma_engine.h).

#include "base/fields.h"
#include "modules/host/piecewise_dma_engine.h"

namespace warpvp {

struct DmaConfig {
  std::uint32_t chunk_bytes = 4096;
  std::uint32_t outstanding = 4;
  std::uint32_t memory_requests = 64;
  double setup_ns = 200;
  bool traffic = true;

  void fields(FieldVisitor& v) {
    v.field("chunk_bytes", chunk_bytes, "bytes", "Copies are cut into pieces of this size.",
            Constraint::pow2(64, 1048576));
    v.field("outstanding", outstanding, "chunks", "Chunks of a copy under way at once.",
            Constraint::range(1, 256));
    v.field("memory_requests", memory_requests, "requests",
            "Requests to device memory that one engine has under way at once, each of at most an L2 line.",
            Constraint::range(1, 4096));
    v.field("setup_ns", setup_ns, "ns", "From start to the first chunk.", Constraint::at_least(0));
    v.field("traffic", traffic, kCopyTrafficSentence);
  }
};

class ChunkedDmaEngine : public PiecewiseDmaEngine {
 public:
  ChunkedDmaEngine(sc_core::sc_module_name name, const DmaConfig& config, const DmaPlace& place)
      : PiecewiseDmaEngine(name,
                           {config.chunk_bytes, config.outstanding, config.memory_requests, config.setup_ns,
                            true, config.traffic},
                           place) {}

 private:
  void ready() override { start_chunks(); }
  void piece_ended() override { start_chunks(); }
  void start_chunks() {
    while (has_pieces() && has_room()) start_piece();
  }
};

}  // namespace warpvp
