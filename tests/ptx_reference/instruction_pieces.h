#pragma once
// The instructions that random programs are made of, straight on: what a thread does by itself, and what it
// does to cells that all threads share. generator.h makes programs of them.

#include <string>

#include "tests/ptx_reference/generator.h"
#include "tests/ptx_reference/random.h"

namespace warpvp::reference {

constexpr unsigned kSlot = 64;  ///< bytes of shared, local and scratch memory of each thread

class InstructionPieces {
 protected:
  InstructionPieces(std::uint64_t seed, Dialect dialect) : random_(seed), dialect_(dialect) {}

  static Piece leaf(std::string text) { return {std::move(text), "", {}, true}; }
  /// A leaf each; the whole stays.
  static Piece lines(const std::string& text);
  /// Any register of 32 bits, and of 64.
  std::string word();
  std::string wide();
  /// Loads general registers with fresh values; all of them (~0), or each with `chance` out of 16.
  std::string loads(unsigned chance);
  static std::string call_text(unsigned number, const std::string& x, const std::string& y,
                               const std::string& d);
  Piece arithmetic();
  /// One or a few of any kind.
  Piece simple();

  Random random_;
  Dialect dialect_;
  unsigned functions_ = 0;  ///< that can be called

 private:
  Piece carry_chain();
  Piece pack_or_unpack();
  Piece own_memory();
  Piece own_atomic();
  Piece shared_cell();
  Piece call();
  Piece const_lookup();
};

}  // namespace warpvp::reference
