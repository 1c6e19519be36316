#pragma once
// The memory of a packet parser whose reads take time: what has been read so far. parse_packet() asks for one
// piece after the other, each depending on those before; it is called again with each piece that arrives, and
// stops at the first that is not there yet.

#include <cstring>
#include <functional>
#include <vector>

#include "modules/command_processor/queues/aql_parser.h"

namespace warpvp {

class FetchedPieces : public PacketMemory {
 public:
  static constexpr unsigned kMaxBytes = 64;
  struct Piece {
    std::uint64_t address = 0;
    unsigned bytes = 0;
    bool arrived = false, ok = false;
    unsigned char data[kMaxBytes] = {};
  };

  /// `reachable` answers what takes no read.
  explicit FetchedPieces(std::function<bool(std::uint64_t, std::uint64_t)> reachable)
      : reachable_(std::move(reachable)) {}

  /// Forgets everything: for the next packet.
  void clear() { pieces_.clear(); }
  /// Before each call of parse_packet().
  void rewind() { next_ = 0; }
  /// The piece that the last call lacked, or nullptr: then what it returned holds.
  const Piece* missing() const {
    return !pieces_.empty() && !pieces_.back().arrived ? &pieces_.back() : nullptr;
  }
  /// The missing piece is there; `ok` false: memory refused it.
  void arrive(const unsigned char* data, bool ok) {
    Piece& piece = pieces_.back();
    piece.arrived = true;
    piece.ok = ok;
    std::memcpy(piece.data, data, piece.bytes);
  }

  bool fetch(std::uint64_t address, void* data, unsigned bytes) override {
    if (bytes > kMaxBytes) return false;
    if (next_ == pieces_.size()) {
      pieces_.emplace_back();
      pieces_.back().address = address;
      pieces_.back().bytes = bytes;
      return false;
    }
    const Piece& piece = pieces_[next_++];
    if (piece.ok) std::memcpy(data, piece.data, bytes);
    return piece.ok;
  }
  bool reachable(std::uint64_t address, std::uint64_t bytes) override { return reachable_(address, bytes); }

 private:
  std::function<bool(std::uint64_t, std::uint64_t)> reachable_;
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
};

}  // namespace warpvp
