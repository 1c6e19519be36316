#include "modules/vfio_user/served_endpoint.h"

#include <utility>

namespace warpvp::vfio_user {

namespace ep = regmap::ep;

ServedEndpoint::ServedEndpoint(const EndpointPart& part, EndpointActions actions, PaceActions pace)
    : EndpointRegisters(part, std::move(actions)) {
  const auto flag = [this](const char* name, std::uint64_t at, std::uint32_t& value, const char* doc) {
    block().add({name, at, 4, 1, 0, RegisterAccess::kReadWrite, 0, doc,
                 [&value](unsigned) { return std::uint64_t{value}; },
                 [&value](unsigned, std::uint64_t written) { value = static_cast<std::uint32_t>(written); }});
  };
  flag("PACE", ep::kPace, paced_,
       "0: after an access the device works on until it rests, and then comes the client's next access. 1: "
       "simulated time passes only during accesses of clients, WAIT and ADVANCE among them.");
  flag("UNTIMED", ep::kUntimed, untimed_,
       "1: the client's accesses to device memory and to the memory manager take no simulated time, and "
       "other registers are only read.");
  block().add({"WAIT",
               ep::kWait,
               8,
               1,
               0,
               RegisterAccess::kWriteOnly,
               0,
               "The write is answered when the device writes the client's memory or raises one of its "
               "interrupts, at the "
               "latest at this simulated time in fs. All ones: at the latest when the device rests.",
               {},
               [wait = std::move(pace.wait)](unsigned, std::uint64_t latest) { wait(latest); }});
  block().add({"ADVANCE",
               ep::kAdvance,
               8,
               1,
               0,
               RegisterAccess::kWriteOnly,
               0,
               "The write is answered when so many fs have passed.",
               {},
               [advance = std::move(pace.advance)](unsigned, std::uint64_t fs) { advance(fs); }});
}

void ServedEndpoint::reset() {
  EndpointRegisters::reset();
  paced_ = untimed_ = 0;
}

}  // namespace warpvp::vfio_user
