#pragma once
// What DMA engines have in common that cut a copy into pieces, several of which are under way at once: the
// register window, reading and writing pieces over the link and in device memory, and how a copy ends. Which
// piece starts when is the type's (chunked_dma_engine.h, burst_dma_engine.h).
//
// In device memory a piece travels as requests of at most a line of the L2, through a crossbar port of the
// engine's own, and competes there with kernels. Values are sampled and appear request by request, when
// the memory system has answered (line_requester.h); in host memory piece by piece.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <string>
#include <vector>

#include "base/outlook.h"
#include "interconnect/ports.h"
#include "interconnect/transaction.h"
#include "modules/host/dma_engine.h"
#include "modules/host/dma_registers.h"
#include "modules/host/line_requester.h"
#include "modules/host/timed_calls.h"

namespace warpvp {

/// The field `traffic` of both.
inline constexpr const char* kCopyTrafficSentence =
    "Copies make requests to device memory, through crossbar, L2 and DRAM. false: their bytes are there as "
    "soon as they have come over the link, and what stays within device memory takes setup_ns alone; for who "
    "looks at kernels, as copies may take most of the host's time.";

class PiecewiseDmaEngine : public DmaEngine, public Foreseeing, private InitiatorPort::Client {
 public:
  struct Pieces {
    std::uint32_t bytes = 4096;
    std::uint32_t most_under_way = 4;
    std::uint32_t memory_requests = 64;  ///< under way at once
    double setup_ns = 0;                 ///< from START until the first piece may start
    bool values = true;                  ///< false: time and traffic alone, memory stays what it is
    bool traffic = true;                 ///< false: device memory takes no time and sees no requests
  };
  PiecewiseDmaEngine(sc_core::sc_module_name name, const Pieces& pieces, const DmaPlace& place);

  tlm_utils::simple_target_socket<PiecewiseDmaEngine> registers;  ///< window of regmap::dma
  tlm_utils::simple_initiator_socket<PiecewiseDmaEngine> bus;     ///< completion mailbox writes
  InitiatorPort link;                                             ///< host memory, over PCIe

  tlm::tlm_target_socket<>& registers_socket() override { return registers; }
  tlm::tlm_initiator_socket<>& bus_socket() override { return bus; }
  tlm::tlm_initiator_socket<>& link_socket() override { return link.socket; }
  tlm::tlm_initiator_socket<>& memory_socket() override { return memory_.port.socket; }
  const RegisterBlock& register_block() const override { return window_.block(); }
  DmaStats statistics() const override;
  std::uint64_t activity() const override { return stats_.copies + stats_.bytes + stats_.failed; }
  bool busy() const override { return busy_; }
  Outlook outlook() const override {
    if (!busy_) return Outlook::kRests;
    return later_.idle() ? Outlook::kAwaits : Outlook::kActs;
  }
  std::string describe() const override;

 protected:
  /// The set-up of a copy of at least a byte is over: pieces may start.
  virtual void ready() = 0;
  /// A piece has ended, and others may start. What is left of a copy that failed starts no more.
  virtual void piece_ended() = 0;
  /// The copy has met an error; called before piece_ended().
  virtual void failed() {}

  /// The copy has pieces that have not started, and may start them.
  bool has_pieces() const { return error_ == 0 && next_offset_ < copy_.bytes; }
  bool has_room() const { return !free_.empty(); }
  /// Starts the next piece; has_pieces() and has_room() must hold.
  void start_piece();
  const regmap::dma::Descriptor& copy() const { return copy_; }
  CopyRecord record() const;
  unsigned index() const { return index_; }
  bool is_fill() const;

 private:
  struct Piece {
    std::uint64_t offset = 0;
    unsigned length = 0;
    std::vector<unsigned char> data;  // not where no values move
    LineRequester::Access access;     // to device memory
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    window_.block().transport(payload);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return window_.block().transport_dbg(payload); }
  void start();
  void fetched(unsigned piece);
  void stored(unsigned piece);
  void ended(unsigned piece);
  void access_at(tlm::tlm_command command, std::uint64_t address, unsigned piece);
  void access_device(tlm::tlm_command command, std::uint64_t address, unsigned piece);
  void access_host(tlm::tlm_command command, std::uint64_t address, unsigned piece);
  void accessed(tlm::tlm_command command, tlm::tlm_response_status status, unsigned piece);
  void send_next();
  void finish();
  void link_free(InitiatorPort&) override { send_next(); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;

  const Pieces pieces_config_;
  const unsigned index_;
  FaultSink& faults_;
  const AddressSpaces* spaces_;
  TimedCalls later_;
  LineRequester memory_;
  DmaRegisters window_;
  TransactionPool pool_;

  bool busy_ = false;
  regmap::dma::Descriptor copy_;
  std::uint64_t next_offset_ = 0, done_bytes_ = 0;
  std::uint32_t error_ = 0;
  unsigned under_way_ = 0;
  std::vector<Piece> pieces_;
  std::vector<unsigned char> nothing_;  // what accesses name as theirs where no values move
  std::vector<unsigned> free_;          // indices of pieces that are not under way
  std::deque<tlm::tlm_generic_payload*> to_send_;
  sc_core::sc_time started_at_;
  DmaStats stats_;
};

}  // namespace warpvp
