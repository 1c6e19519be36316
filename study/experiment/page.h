#pragma once
// The page of an experiment: Markdown with its tables and those of its parts, plots as SVG files beside it.

#include <filesystem>
#include <string>
#include <vector>

#include "study/experiment/experiment.h"
#include "study/experiment/result_table.h"

namespace warpvp {

/// An experiment (or a part of one) with what its runs gave.
struct ExperimentResults {
  const Experiment* experiment = nullptr;
  std::vector<ExperimentRun> runs;
  std::vector<FinishedRun> results;
};

struct PageFile {
  std::string name;  ///< without folders
  std::string content;
};

/// The page first, then its plots. `results` holds the experiment and its parts. The same results give the
/// same bytes. InputError, with place, for a `{{table/row/column}}` that does not exist.
std::vector<PageFile> make_page(const Experiment& experiment, const std::vector<ExperimentResults>& results);

/// Makes the folder and writes the files into it.
void write_page(const std::vector<PageFile>& files, const std::filesystem::path& folder);

}  // namespace warpvp
