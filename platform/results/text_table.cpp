#include "platform/results/text_table.h"

#include <algorithm>
#include <cassert>

namespace warpvp {

namespace {

/// Characters rather than bytes, so that µ and × do not shift columns.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string escaped(const std::string& text, char special) {
  std::string out;
  for (const char c : text) {
    if (c == special) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

void TextTable::add_row(std::vector<std::string> cells) {
  assert(cells.size() <= titles_.size());
  cells.resize(titles_.size());
  rows_.push_back(std::move(cells));
}

void TextTable::add_foot(std::vector<std::string> cells) {
  assert(cells.size() <= titles_.size());
  cells.resize(titles_.size());
  foot_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (const std::string& title : titles_) widths.push_back(width_of(title));
  for (const auto* part : {&rows_, &foot_})
    for (const auto& row : *part)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  return widths;
}

std::string TextTable::text() const {
  const std::vector<std::size_t> width = widths();
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(width[i] - width_of(cells[i]), ' ');
      if (i > 0) text += "  ";
      text += align_[i] == Align::kRight ? blanks + cells[i] : cells[i] + blanks;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  const auto rule = [&] {
    std::size_t total = 0;
    for (std::size_t i = 0; i < width.size(); ++i) total += width[i] + (i > 0 ? 2 : 0);
    out += std::string(total, '-') + "\n";
  };
  line(titles_);
  rule();
  for (const auto& row : rows_) line(row);
  if (!foot_.empty()) rule();
  for (const auto& row : foot_) line(row);
  return out;
}

std::string TextTable::markdown() const {
  std::string out = "|";
  for (const std::string& title : titles_) out += " " + escaped(title, '|') + " |";
  out += "\n|";
  for (const Align align : align_) out += align == Align::kRight ? "---:|" : "---|";
  out += "\n";
  for (const auto* part : {&rows_, &foot_}) {
    for (const auto& row : *part) {
      out += "|";
      for (const std::string& cell : row) out += " " + escaped(cell, '|') + " |";
      out += "\n";
    }
  }
  return out;
}

std::string TextTable::csv() const {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i > 0 ? "," : "") + csv_cell(cells[i]);
    out += "\n";
  };
  line(titles_);
  for (const auto& row : rows_) line(row);
  for (const auto& row : foot_) line(row);
  return out;
}

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace warpvp
