#include "sw/cuda/server/fault_text.h"

#include <regex>

namespace warpvp::cuda {

FaultText read_fault(const std::string& line) {
  FaultText fault;
  // "WHAT at address ADDRESS, kernel NAME, ..., program: module 1:36: INSTRUCTION"
  const std::string what = line.substr(0, line.find(", kernel "));
  const auto is = [&what](const char* words) { return what.find(words) != std::string::npos; };
  if (is("device assertion failed"))
    fault.error = kAssert;
  else if (is("trap instruction"))
    fault.error = kLaunchFailure;
  else if (is("misaligned "))
    fault.error = kMisalignedAddress;
  std::smatch kernel, place;
  static const std::regex kKernel("kernel ([^,]+),"), kPlace("module (\\d+):(\\d+):");
  if (std::regex_search(line, kernel, kKernel) && std::regex_search(line, place, kPlace))
    fault.place = FaultText::Place{kernel[1], std::stoul(place[1]), std::stoul(place[2])};
  return fault;
}

}  // namespace warpvp::cuda
