#pragma once
// `dma.type: chunked`: moves bytes between host memory (over the PCIe link) and device memory, within device
// memory, or fills device memory. Programmed through registers; tells the command processor by a mailbox
// write when done.
//
// A copy is cut into chunks, several under way at once, so that engines working at the same time share the
// link. In device memory a chunk travels as requests of at most a line of the L2, through a crossbar port of
// the engine's own, and competes there with kernels. Values are sampled and appear request by request, when
// the memory system has answered (line_requester.h); in host memory chunk by chunk.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <string>
#include <vector>

#include "base/fields.h"
#include "interconnect/aql.h"
#include "interconnect/ports.h"
#include "interconnect/register_map.h"
#include "interconnect/transaction.h"
#include "modules/host/dma_engine.h"
#include "modules/host/dma_registers.h"
#include "modules/host/line_requester.h"
#include "modules/host/timed_calls.h"

namespace warpvp {

struct DmaConfig {
  std::uint32_t chunk_bytes = 4096;
  std::uint32_t outstanding = 4;
  std::uint32_t memory_requests = 64;
  double setup_ns = 200;

  void fields(FieldVisitor& v) {
    v.field("chunk_bytes", chunk_bytes, "bytes", "Copies are cut into pieces of this size.",
            Constraint::pow2(64, 1048576));
    v.field("outstanding", outstanding, "chunks", "Chunks of a copy under way at once.",
            Constraint::range(1, 256));
    v.field("memory_requests", memory_requests, "requests",
            "Requests to device memory that one engine has under way at once, each of at most an L2 line.",
            Constraint::range(1, 4096));
    v.field("setup_ns", setup_ns, "ns", "From start to the first chunk.", Constraint::at_least(0));
  }
};

class ChunkedDmaEngine : public DmaEngine, private InitiatorPort::Client {
 public:
  /// `line_bytes`: of the L2.
  ChunkedDmaEngine(sc_core::sc_module_name name, const DmaConfig& config, unsigned index,
                   DeviceMemory& memory, unsigned line_bytes, FaultSink& faults);

  tlm_utils::simple_target_socket<ChunkedDmaEngine> registers;  ///< window of regmap::dma
  tlm_utils::simple_initiator_socket<ChunkedDmaEngine> bus;     ///< completion mailbox writes
  InitiatorPort link;                                           ///< host memory, over PCIe

  tlm::tlm_target_socket<>& registers_socket() override { return registers; }
  tlm::tlm_initiator_socket<>& bus_socket() override { return bus; }
  tlm::tlm_initiator_socket<>& link_socket() override { return link.socket; }
  tlm::tlm_initiator_socket<>& memory_socket() override { return memory_.port.socket; }
  const RegisterBlock& register_block() const override { return window_.block(); }
  DmaStats statistics() const override;
  bool busy() const override { return busy_; }
  std::string describe() const override;

 private:
  struct Chunk {
    std::uint64_t offset = 0;
    std::vector<unsigned char> data;
    LineRequester::Access access;  // to device memory
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    window_.block().transport(payload);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return window_.block().transport_dbg(payload); }
  void start();
  void start_chunks();
  void fetched(unsigned chunk);
  void stored(unsigned chunk);
  void access_device(tlm::tlm_command command, std::uint64_t address, unsigned chunk);
  void access_host(tlm::tlm_command command, std::uint64_t address, unsigned chunk);
  void accessed(tlm::tlm_command command, tlm::tlm_response_status status, unsigned chunk);
  void send_next();
  void fail(tlm::tlm_response_status status);
  void finish();
  CopyRecord record() const;
  void link_free(InitiatorPort&) override { send_next(); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;

  DmaConfig config_;
  unsigned index_;
  FaultSink& faults_;
  TimedCalls later_;
  LineRequester memory_;
  DmaRegisters window_;
  TransactionPool pool_;

  bool busy_ = false;
  regmap::dma::Descriptor copy_;
  std::uint64_t next_offset_ = 0, done_bytes_ = 0;
  std::uint32_t error_ = 0;
  unsigned under_way_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<unsigned> free_chunks_;
  std::deque<tlm::tlm_generic_payload*> to_send_;
  sc_core::sc_time started_at_;
  DmaStats stats_;
};

}  // namespace warpvp
