#include "study/report/page_model.h"

#include <cmath>

namespace warpvp::report {

namespace {

using Json = nlohmann::ordered_json;

/// Six digits: more cannot be seen, and a page holds many numbers.
Json number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  if (*value == std::floor(*value) && std::abs(*value) < 1e15) return static_cast<std::int64_t>(*value);
  const double scale = std::pow(10.0, 8 - std::ceil(std::log10(std::abs(*value))));
  return std::isfinite(scale) && scale > 0 ? std::round(*value * scale) / scale : *value;
}

template <class Item, class Convert>
Json list(const std::vector<Item>& items, Convert convert) {
  Json out = Json::array();
  for (const Item& item : items) out.push_back(convert(item));
  return out;
}

Json pairs(const std::vector<std::pair<std::string, std::string>>& items) {
  return list(items, [](const auto& item) { return Json::array({item.first, item.second}); });
}

const char* kind_name(ChartKind kind) {
  constexpr const char* kNames[] = {"bars", "stack", "lines", "area", "scatter", "spans"};
  return kNames[static_cast<unsigned>(kind)];
}

Json axis(const Axis& a) { return {{"title", a.title}, {"unit", a.unit}, {"log", a.logarithmic}}; }

Json series(const Series& s) {
  Json out{{"name", s.name}, {"line", s.line}, {"dashed", s.dashed}};
  out["y"] = list(s.y, [](const Value& v) { return number(v.number); });
  bool bounded = false;
  for (const Value& v : s.y) bounded = bounded || v.low || v.high;
  if (bounded) {
    out["low"] = list(s.y, [](const Value& v) { return number(v.low); });
    out["high"] = list(s.y, [](const Value& v) { return number(v.high); });
  }
  if (!s.x.empty()) out["x"] = list(s.x, number);
  if (!s.labels.empty()) out["labels"] = s.labels;
  if (s.colour) out["colour"] = *s.colour;
  return out;
}

Json chart(const Chart& c) {
  Json out{{"id", c.id},          {"kind", kind_name(c.kind)},
           {"title", c.title},    {"summary", c.summary},
           {"x", axis(c.x)},      {"y", axis(c.y)},
           {"time", c.over_time}, {"categories", c.categories}};
  out["series"] = list(c.series, series);
  if (!c.spans.empty())
    out["spans"] = list(c.spans, [](const Span& s) {
      return Json::array({s.row, number(s.from), number(s.to), s.series, s.label});
    });
  return out;
}

Json cell(const Cell& c) {
  if (!c.link.empty()) return {{"text", c.text}, {"link", c.link}};
  if (c.number && !c.text.empty()) return {{"text", c.text}, {"value", number(c.number)}};
  if (c.number) return number(c.number);
  return c.text.empty() ? Json(nullptr) : Json(c.text);
}

Json table(const Table& t) {
  const auto row = [](const std::vector<Cell>& cells) { return list(cells, cell); };
  Json out{{"caption", t.caption}};
  out["columns"] = list(t.columns, [](const Column& c) {
    Json column{{"title", c.title}, {"unit", c.unit}, {"numeric", c.numeric}, {"code", c.code}};
    column["digits"] = c.digits ? Json(*c.digits) : Json(nullptr);
    return column;
  });
  out["rows"] = list(t.rows, row);
  out["foot"] = list(t.foot, row);
  return out;
}

Json section(const Section& s) {
  Json out{{"id", s.id}, {"title", s.title}, {"text", s.text}};
  out["charts"] = list(s.charts, chart);
  out["tables"] = list(s.tables, table);
  if (!s.listing.empty()) out["listing"] = {{"title", s.listing_title}, {"text", s.listing}};
  return out;
}

}  // namespace

nlohmann::ordered_json to_json(const Page& page) {
  constexpr const char* kVerdicts[] = {"good", "unknown", "bad"};
  Json out{{"title", page.title},
           {"subtitle", page.subtitle},
           {"verdict", kVerdicts[static_cast<unsigned>(page.verdict)]},
           {"verdict_text", page.verdict_text}};
  out["facts"] = pairs(page.facts);
  out["figures"] = pairs(page.figures);
  out["sections"] = list(page.sections, section);
  return out;
}

}  // namespace warpvp::report
