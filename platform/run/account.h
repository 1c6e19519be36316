#pragma once
// What is unanswered in a platform, in words.

#include <string>
#include <systemc>

namespace warpvp {

class Platform;

/// "link l2_0_dram (platform.l2_0.out): write of 32 bytes at address 0x80001000 unanswered for 12.3 us; 4
/// others are unanswered too": of the links whose far end waits for nobody itself, the one that has kept
/// the oldest transaction. Only if it has for `at_least`; else, and if nothing is unanswered, "".
std::string describe_unanswered(const Platform& platform, const sc_core::sc_time& at_least);

}  // namespace warpvp
