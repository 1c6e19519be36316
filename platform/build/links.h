#pragma once
// The platform's links: binds the two ends of each, with the monitors that a run asks for in between.
//
//   initiator -> monitor -> ... -> monitor -> target

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/fault.h"
#include "interconnect/link_binder.h"
#include "platform/config/run_config.h"

namespace warpvp {

class Links final : public LinkBinder {
 public:
  /// `check_protocol`: a protocol checker on every link, besides `monitors`. InputError for a file in
  /// `folder` that a monitor cannot write.
  Links(const std::vector<MonitorConfig>& monitors, bool check_protocol, FaultSink& faults,
        const std::filesystem::path& folder);
  ~Links() override;

  void bind(const std::string& link, LinkKind kind, tlm::tlm_initiator_socket<>& from,
            tlm::tlm_target_socket<>& to) override;
  /// The block behind a link, and the link's name, by the socket that sends over it.
  struct End {
    std::string link;
    const sc_core::sc_object* from;
    const sc_core::sc_object* target;
  };
  const std::vector<End>& ends() const { return ends_; }
  /// All links are bound. InputError if a pattern of `monitors` names none of them.
  void check_all_found() const;
  /// The simulation is over.
  void finish();

 private:
  struct Watch {
    std::vector<std::string> patterns;
    std::vector<bool> found;  ///< which patterns have named a link
    std::string place;
    std::unique_ptr<LinkMonitorType> type;
  };

  FaultSink& faults_;
  std::vector<Watch> watches_;
  std::vector<std::string> names_;
  std::vector<End> ends_;
  std::vector<std::unique_ptr<LinkMonitor>> monitors_;
};

}  // namespace warpvp
