#pragma once
// The report of one run.

#include "platform/report/page_model.h"
#include "platform/report/run_view.h"

namespace warpvp::report {

Page run_page(const RunView& run);

}  // namespace warpvp::report
