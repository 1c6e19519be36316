// `warpvp report`.

#include <ostream>

#include "cli/commands.h"
#include "cli/options.h"
#include "study/report/report_folder.h"

namespace warpvp {
namespace po = boost::program_options;

CommandOptions report_options() {
  CommandOptions options(
      {"report", "DIR",
       "Writes DIR/report.html: one page with everything in it, charts included, that needs no network. DIR "
       "is\n"
       "the output folder of a run or of an experiment; of an experiment its runs get reports too.",
       "  warpvp run matmul --out runs/first && warpvp report runs/first\n"
       "  warpvp run matmul --set output.instructions=true && warpvp report runs/matmul\n"
       "  warpvp report runs/qaws_quick --out qaws.html\n"});
  options.positional("dir", 1);
  options.add()("out,o", po::value<std::string>()->value_name("FILE"),
                "File to write instead of DIR/report.html.")("no-runs",
                                                             "Of an experiment: leave its runs alone.")(
      "chart-library", po::value<std::string>()->value_name("FILE"),
      "Chart.js, version 3 or 4, as one file; default: that of Debian's package libjs-chart.js.");
  return options;
}

ExitCode report_command(const Words& words, const Console& console) {
  CommandOptions options = report_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  report::ReportRequest request;
  request.folder = options.required("dir");
  request.out = options.get_or<std::string>("out", "");
  request.library = options.get_or<std::string>("chart-library", "");
  request.runs = !options.has("no-runs");
  const auto files = write_reports(request);
  if (files.size() > 1) *console.out << files.size() - 1 << " reports of runs\n";
  *console.out << files.back().string() << "\n";
  return ExitCode::kOk;
}

}  // namespace warpvp
