#pragma once
// Tries every forbidden access on every register of a block, through its socket.

#include <gtest/gtest.h>

#include "interconnect/register_block.h"
#include "tests/control/rig.h"

namespace warpvp::test {

/// `socket` reaches `block` at `base`. Only accesses that must be refused are made, and reads.
template <class Socket>
void expect_access_rules(Socket& socket, const RegisterBlock& block, std::uint64_t base) {
  unsigned char data[1024] = {};
  const auto expect = [&](tlm::tlm_command command, std::uint64_t offset, unsigned bytes,
                          tlm::tlm_response_status expected, const std::string& what) {
    EXPECT_EQ(access(socket, command, base + offset, data, bytes), expected)
        << what << (command == tlm::TLM_READ_COMMAND ? ": read of " : ": write of ") << bytes << " bytes at "
        << std::hex << offset;
  };
  constexpr auto read = tlm::TLM_READ_COMMAND;
  constexpr auto write = tlm::TLM_WRITE_COMMAND;
  block.for_each([&](const RegisterSpec& r) {
    for (unsigned i : {0u, r.count - 1}) {
      const std::uint64_t at = r.offset + i * r.stride;
      const bool reads = r.access != RegisterAccess::kWriteOnly;
      const auto allowed = tlm::TLM_OK_RESPONSE, forbidden = tlm::TLM_COMMAND_ERROR_RESPONSE;
      expect(read, at, r.width, reads ? allowed : forbidden, r.name);
      if (r.access == RegisterAccess::kReadOnly) expect(write, at, r.width, forbidden, r.name);
      for (unsigned bytes : {0u, 1u, 2u, 3u, 6u}) {
        expect(read, at, bytes, tlm::TLM_BURST_ERROR_RESPONSE, r.name);
        expect(write, at, bytes, tlm::TLM_BURST_ERROR_RESPONSE, r.name);
      }
      expect(read, at + 2, 4, tlm::TLM_BURST_ERROR_RESPONSE, r.name);
      expect(write, at + 2, 4, tlm::TLM_BURST_ERROR_RESPONSE, r.name);
      if (r.width == 8)
        for (unsigned half : {0u, 4u})
          expect(read, at + half, 4,
                 !r.halves ? tlm::TLM_BURST_ERROR_RESPONSE
                 : reads   ? allowed
                           : forbidden,
                 r.name);
    }
  });
  for (const MailboxSpec& m : block.mailboxes()) {
    expect(read, m.offset, m.bytes, tlm::TLM_COMMAND_ERROR_RESPONSE, m.name);
    expect(write, m.offset, m.bytes - 4, tlm::TLM_BURST_ERROR_RESPONSE, m.name);
    expect(write, m.offset + 4, m.bytes, tlm::TLM_BURST_ERROR_RESPONSE, m.name);
  }
  // Words where nothing is.
  unsigned holes = 0;
  for (std::uint64_t at = 0; at < block.size(); at += 4) {
    if (!block.name_of(at).empty()) continue;
    if (++holes > 500 && at + 4 < block.size()) continue;
    expect(read, at, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE, "hole");
    expect(write, at, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE, "hole");
  }
}

}  // namespace warpvp::test
