#pragma once
// The report of one run.

#include "study/report/page_model.h"
#include "study/report/run_view.h"

namespace warpvp::report {

Page run_page(const RunView& run);

}  // namespace warpvp::report
