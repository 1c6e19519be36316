#pragma once
// What the front ends of an SM's sub-cores share: tables by CTA, rows that warps of several sub-cores read.
// A type of front end that needs it makes one for each SM (FrontEndType::build_shared); each front end finds
// it in its context.

#include "base/cycle.h"

namespace warpvp {

class SharedRows;

class SharedFrontEnd {
 public:
  virtual ~SharedFrontEnd() = default;
  /// Rows that its row maps name as shared; nullptr: none. The same for the whole run.
  virtual SharedRows* rows() { return nullptr; }
  /// The edge from which a shared row may be read has become known.
  virtual void row_written(unsigned /*row*/, Cycle /*at*/) {}
};

}  // namespace warpvp
