#pragma once
// Binds the two ends of a link. Whoever wires modules asks a binder, so that one place can slip monitors
// between (platform/build/links.h); DirectBinder puts nothing there.

#include <string>
#include <tlm>

#include "interconnect/link_monitor.h"

namespace warpvp {

class LinkBinder {
 public:
  virtual ~LinkBinder() = default;
  /// `link` names the link and is unique on the platform.
  virtual void bind(const std::string& link, LinkKind kind, tlm::tlm_initiator_socket<>& from,
                    tlm::tlm_target_socket<>& to) = 0;
};

class DirectBinder final : public LinkBinder {
 public:
  void bind(const std::string&, LinkKind, tlm::tlm_initiator_socket<>& from,
            tlm::tlm_target_socket<>& to) override {
    from.bind(to);
  }
};

}  // namespace warpvp
