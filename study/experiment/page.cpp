#include "study/experiment/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "platform/results/result_writer.h"
#include "study/experiment/comparison.h"
#include "study/experiment/joined_table.h"
#include "study/experiment/report.h"
#include "study/experiment/svg_chart.h"

namespace warpvp {

namespace {

class PageWriter {
 public:
  PageWriter(const Experiment& experiment, const std::vector<ExperimentResults>& results)
      : e_(experiment), page_(*experiment.page), results_(results) {}

  std::vector<PageFile> write() {
    std::string text = fmt::format(
        "<!-- Written by `warpvp experiment {}`; change the experiment, not this file. -->\n\n# {}\n",
        e_.name, page_.title);
    for (const PageBlock& block : page_.blocks) {
      text += "\n";
      switch (block.kind) {
        case PageBlock::Kind::kText:
          text += filled(block);
          break;
        case PageBlock::Kind::kTable:
          text += table_text(block);
          break;
        case PageBlock::Kind::kPlot:
          text += plots(block);
          break;
        case PageBlock::Kind::kComparison:
          text += comparison_text(compared(block.comparisons[0], block.place));
          break;
        case PageBlock::Kind::kAgreement: {
          std::vector<Comparison> all;
          for (const std::string& name : block.comparisons) all.push_back(compared(name, block.place));
          text += agreement_text(std::move(all));
          break;
        }
      }
    }
    files_.insert(files_.begin(), {page_.file.filename().string(), std::move(text)});
    return std::move(files_);
  }

 private:
  ResultTable table(const std::string& name, const std::string& place) const {
    if (const JoinedSpec* joined = e_.joined_table(name)) {
      std::vector<std::pair<std::string, ResultTable>> parts;
      for (const std::string& part : joined->tables) parts.emplace_back(part, table(part, joined->place));
      return join_tables(*joined, parts);
    }
    const auto [owner, spec] = e_.table(name);
    for (const ExperimentResults& r : results_)
      if (spec && r.experiment == owner) return make_table(*owner, *spec, r.runs, r.results);
    throw InputError(fmt::format("{}: no table is called '{}'", place, name));
  }

  Comparison compared(const std::string& name, const std::string& place) const {
    const ComparisonSpec& spec = *e_.comparison(name);
    return compare(spec, table(spec.table, place));
  }

  /// The text with every `{{table/row/column}}` replaced, ending in one line break.
  std::string filled(const PageBlock& block) const {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at; (at = block.text.find("{{", from)) != std::string::npos;) {
      const std::size_t end = block.text.find("}}", at);
      if (end == std::string::npos)
        throw InputError(fmt::format("{}: '{{{{' without '}}}}' in the text", block.place));
      out += block.text.substr(from, at - from) + cell(block.text.substr(at + 2, end - at - 2), block.place);
      from = end + 2;
    }
    out += block.text.substr(from);
    out.erase(out.find_last_not_of('\n') + 1);
    return out + "\n";
  }

  std::string cell(const std::string& path, const std::string& place) const {
    const std::size_t first = path.find('/');
    const std::size_t last = path.rfind('/');
    if (first == last)
      throw InputError(
          fmt::format("{}: '{{{{{}}}}}' in the text; allowed: {{{{table/row/column}}}}", place, path));
    const ResultTable found = table(path.substr(0, first), place);
    const std::string row = path.substr(first + 1, last - first - 1);
    const std::string column = path.substr(last + 1);
    const std::string* text = found.cell(row, column);
    if (!text)
      throw InputError(fmt::format("{}: table '{}' has no row '{}' with a column '{}'", place,
                                   path.substr(0, first), row, column));
    return *text;
  }

  std::string table_text(const PageBlock& block) const {
    const ResultTable found = table(block.table, block.place);
    std::string out;
    if (!found.title.empty()) out += fmt::format("**{}**\n\n", found.title);
    out += found.text.markdown();
    if (!found.note.empty()) out += "\n" + found.note + "\n";
    std::string sources;
    const TableSpec* spec = e_.table(block.table).second;
    for (const ReferenceSpec& reference : spec ? spec->references : std::vector<ReferenceSpec>())
      if (!reference.source.empty())
        sources += fmt::format("{}*{}*: {}.", sources.empty() ? "" : " ", reference.title, reference.source);
    if (!sources.empty()) out += "\n" + sources + "\n";
    return out;
  }

  std::string plots(const PageBlock& block) {
    std::string out;
    for (const Chart& chart : charts(table(block.table, block.place))) {
      std::string name = page_.file.stem().string() + "-" + block.table;
      std::replace(name.begin(), name.end(), '.', '-');
      const auto taken = [&](const std::string& candidate) {
        return std::any_of(files_.begin(), files_.end(),
                           [&](const PageFile& f) { return f.name == candidate + ".svg"; });
      };
      std::string numbered = name;
      for (int n = 2; taken(numbered); ++n) numbered = fmt::format("{}-{}", name, n);
      files_.push_back({numbered + ".svg", to_svg(chart)});
      out += fmt::format("{}![{}]({}.svg)\n", out.empty() ? "" : "\n", chart.title, numbered);
    }
    return out;
  }

  const Experiment& e_;
  const PageSpec& page_;
  const std::vector<ExperimentResults>& results_;
  std::vector<PageFile> files_;
};

}  // namespace

std::vector<PageFile> make_page(const Experiment& experiment, const std::vector<ExperimentResults>& results) {
  return PageWriter(experiment, results).write();
}

void write_page(const std::vector<PageFile>& files, const std::filesystem::path& folder) {
  make_writable_folder(folder);
  for (const PageFile& file : files) write_file_atomically(folder / file.name, file.content);
}

}  // namespace warpvp
