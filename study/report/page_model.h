#pragma once
// What a report says, before it is HTML: facts, and sections of text, charts and tables. The scripts of
// study/report/page draw any page of this shape; they know nothing of runs and experiments.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpvp::report {

/// An axis of a chart: "time", "us".
struct Axis {
  std::string title;
  std::string unit;  ///< empty: none
  bool logarithmic = false;
};

/// A number that may be missing, with the interval it is known to lie in, if one is known.
struct Value {
  std::optional<double> number;
  std::optional<double> low, high;
};

/// Values of one colour.
struct Series {
  std::string name;
  std::vector<Value> y;
  std::vector<std::optional<double>> x;  ///< as many; empty where the chart has categories
  std::vector<std::string> labels;       ///< of the points; empty: none
  bool line = true;                      ///< points only, or joined
  bool dashed = false;
  std::optional<unsigned> colour;  ///< of the ten of the page; none: by its place
};

/// Something that lasts: a bar from `from` to `to` in row `row` (an index of Chart::categories).
struct Span {
  std::size_t row = 0;
  double from = 0, to = 0;
  std::size_t series = 0;
  std::string label;
};

/// kBars: side by side over categories. kStack: one on another. kLines: over numbers. kArea: lines one on
/// another. kScatter: points, and lines such as roofs. kSpans: bars along x, categories down.
enum class ChartKind : std::uint8_t { kBars, kStack, kLines, kArea, kScatter, kSpans };

struct Chart {
  std::string id;  ///< unique on the page, of letters, digits and '-'
  ChartKind kind = ChartKind::kBars;
  std::string title;
  std::string summary;  ///< what it shows, in words: for those who cannot see it
  Axis x, y;
  std::vector<std::string> categories;
  std::vector<Series> series;
  std::vector<Span> spans;
  bool over_time = false;  ///< x is simulated time: all such charts of a page are zoomed together
};

/// A cell: a number, a text, a text with the number that it is sorted by, a text with a link, or nothing.
struct Cell {
  std::optional<double> number;
  std::string text;
  std::string link;  ///< relative to the page; empty: none

  Cell() = default;
  Cell(double value) : number(value) {}
  Cell(std::optional<double> value) : number(value) {}
  Cell(std::string value) : text(std::move(value)) {}
  Cell(const char* value) : text(value) {}
  Cell(std::string value, std::string to) : text(std::move(value)), link(std::move(to)) {}
};

struct Column {
  std::string title;
  std::string unit;
  bool numeric = true;
  std::optional<unsigned> digits =
      std::nullopt;   ///< after the point; none: as many as the size of the number asks for
  bool code = false;  ///< set in a fixed width
};

struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::vector<Cell>> foot;  ///< stays below however the rows are sorted
};

struct Section {
  std::string id;  ///< as Chart::id
  std::string title;
  std::vector<std::string> text;  ///< paragraphs
  std::vector<Chart> charts;
  std::vector<Table> tables;
  std::string listing;  ///< text as it is, behind a button; empty: none
  std::string listing_title;

  bool empty() const { return charts.empty() && tables.empty() && listing.empty() && text.empty(); }
};

/// How the whole thing came out.
enum class Verdict : std::uint8_t { kGood, kUnknown, kBad };

struct Page {
  std::string title;
  std::string subtitle;
  Verdict verdict = Verdict::kUnknown;
  std::string verdict_text;
  std::vector<std::pair<std::string, std::string>> facts;    ///< platform, seed, version, ...
  std::vector<std::pair<std::string, std::string>> figures;  ///< the few numbers to begin with
  std::vector<Section> sections;
};

/// The page as the scripts read it; keys are documented by study/report/page/report.js.
nlohmann::ordered_json to_json(const Page& page);

}  // namespace warpvp::report
