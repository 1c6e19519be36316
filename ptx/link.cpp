#include "ptx/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "ptx/lexer.h"

namespace warpvp::ptx {

namespace {

enum class Linkage { kNone, kVisible, kExtern, kWeak };

/// A directive of a module, tokens [begin, end).
struct Item {
  std::size_t begin = 0, end = 0;
  std::string name;  ///< empty: declares none
  Linkage linkage = Linkage::kNone;
  bool definition = true;  ///< no prototype and not `.extern`
};

struct Scanned {
  const ModuleText* module = nullptr;
  std::vector<Token> tokens;
  std::vector<Item> items;
  std::string version, target;
};

/// Splits a module into its directives.
class Scanner {
 public:
  explicit Scanner(const ModuleText& module) {
    out_.module = &module;
    out_.tokens = tokenize(module.text, module.file);
  }

  Scanned run() {
    while (token().kind != TokenKind::kEnd) item();
    return std::move(out_);
  }

 private:
  const Token& token(std::size_t ahead = 0) const {
    return out_.tokens[std::min(at_ + ahead, out_.tokens.size() - 1)];
  }
  bool dotted(const char* word) const { return token().kind == TokenKind::kDotted && token().text == word; }
  bool mark(const char* text) const {
    return token().kind == TokenKind::kPunctuation && token().text == text;
  }
  void next() {
    if (token().kind == TokenKind::kEnd)
      fail_at(out_.module->file, token().where, "unexpected end of file in a directive");
    ++at_;
  }
  void skip_pair(const char* open, const char* close) {
    int depth = 0;
    do {
      depth += mark(open);
      depth -= mark(close);
      next();
    } while (depth > 0);
  }

  void item() {
    if (mark(";")) return next();
    if (dotted("version")) {
      next();
      out_.version = std::string(token().text);
      return next();
    }
    if (dotted("target")) {
      next();
      out_.target = std::string(token().text);
      next();
      while (mark(",")) {
        out_.target += ", " + std::string(token(1).text);
        next();
        next();
      }
      return;
    }
    if (dotted("address_size")) {
      next();
      return next();
    }
    Item item;
    item.begin = at_;
    if (dotted("file")) {
      for (int i = 0; i < 3; ++i) next();
      while (mark(",")) {
        next();
        next();
      }
    } else if (dotted("section")) {
      while (!mark("{")) next();
      skip_pair("{", "}");
    } else if (dotted("pragma") || dotted("alias")) {
      while (!mark(";")) next();
      next();
    } else {
      declaration(item);
    }
    item.end = at_;
    out_.items.push_back(std::move(item));
  }

  void declaration(Item& item) {
    for (;; next()) {
      if (dotted("visible")) {
        item.linkage = Linkage::kVisible;
      } else if (dotted("extern")) {
        item.linkage = Linkage::kExtern;
      } else if (dotted("weak") || dotted("common")) {
        item.linkage = Linkage::kWeak;
      } else {
        break;
      }
    }
    const bool function = dotted("func") || dotted("entry");
    // The name is the first identifier outside of brackets: types and alignments are no identifiers.
    while (!mark(";") && !mark("{")) {
      if (mark("(")) {
        skip_pair("(", ")");
        continue;
      }
      if (token().kind == TokenKind::kIdentifier && item.name.empty()) item.name = std::string(token().text);
      if (!function && mark("=")) break;
      next();
    }
    item.definition = item.linkage != Linkage::kExtern;
    if (function) {
      item.definition = mark("{");
      if (item.definition) return skip_pair("{", "}");
    }
    while (!mark(";")) next();
    next();
  }

  Scanned out_;
  std::size_t at_ = 0;
};

/// "9.0" is older than "10.1", and "sm_75" less than "sm_100".
bool numbers_less(const std::string& a, const std::string& b) {
  const auto numbers = [](const std::string& text) {
    std::vector<unsigned> all(1);
    for (const char c : text) {
      if (c >= '0' && c <= '9') {
        all.back() = all.back() * 10 + static_cast<unsigned>(c - '0');
      } else if (all.back() != 0) {
        all.push_back(0);
      }
    }
    return all;
  };
  return numbers(a) < numbers(b);
}

/// The token is followed by the number of a source file.
bool names_file(const Token& token) {
  return (token.kind == TokenKind::kDotted && (token.text == "file" || token.text == "loc")) ||
         (token.kind == TokenKind::kIdentifier && token.text == "inlined_at");
}

/// The greatest number of a source file.
std::uint64_t last_file(const Scanned& module) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i + 1 < module.tokens.size(); ++i)
    if (names_file(module.tokens[i]) && module.tokens[i + 1].kind == TokenKind::kInteger)
      last = std::max(last, module.tokens[i + 1].bits);
  return last;
}

/// The text of an item with names replaced, and `files` added to the numbers of source files.
std::string rewritten(const Scanned& module, const Item& item,
                      const std::map<std::string, std::string>& names, std::uint64_t files) {
  const char* const begin = module.module->text.data();
  std::string out;
  const Token& first = module.tokens[item.begin];
  const char* from = first.text.data() - (first.kind == TokenKind::kDotted ? 1 : 0);  // with the dot in front
  for (std::size_t i = item.begin; i < item.end; ++i) {
    const Token& token = module.tokens[i];
    std::string instead;
    if (token.kind == TokenKind::kIdentifier) {
      const auto found = names.find(std::string(token.text));
      if (found != names.end()) instead = found->second;
    } else if (files != 0 && token.kind == TokenKind::kInteger && i > item.begin &&
               names_file(module.tokens[i - 1])) {
      instead = std::to_string(token.bits + files);
    }
    if (instead.empty()) continue;
    out.append(from, token.text.data());
    out += instead;
    from = token.text.data() + token.text.size();
  }
  const Token& last = module.tokens[item.end - 1];
  const char* end = last.text.data() + last.text.size();
  if (last.kind == TokenKind::kString) ++end;
  out.append(from, std::min(end, begin + module.module->text.size()));
  return out;
}

}  // namespace

std::string link_modules(const std::vector<ModuleText>& modules) {
  std::vector<Scanned> scanned;
  std::string version, target;
  for (const ModuleText& module : modules) {
    scanned.push_back(Scanner(module).run());
    if (version.empty() || numbers_less(version, scanned.back().version)) version = scanned.back().version;
    if (target.empty() || numbers_less(target, scanned.back().target)) target = scanned.back().target;
  }
  // Who has a name at all, and who defines it for all.
  std::map<std::string, std::set<std::size_t>> users;
  std::set<std::string> shared;
  std::map<std::string, std::size_t> strong;
  for (std::size_t m = 0; m < scanned.size(); ++m)
    for (const Item& item : scanned[m].items) {
      if (item.name.empty()) continue;
      users[item.name].insert(m);
      if (item.linkage != Linkage::kNone) shared.insert(item.name);
      if (item.linkage != Linkage::kVisible || !item.definition) continue;
      const auto [earlier, first] = strong.emplace(item.name, m);
      if (!first && earlier->second != m)
        throw InputError(fmt::format("'{}' is defined in {} and in {}; allowed: one definition", item.name,
                                     modules[earlier->second].file, modules[m].file));
    }
  std::string out = fmt::format(".version {}\n.target {}\n.address_size 64\n", version, target);
  std::set<std::string> declared, defined, given;
  std::uint64_t files = 0;
  for (std::size_t m = 0; m < scanned.size(); ++m) {
    std::map<std::string, std::string> names;
    for (const Item& item : scanned[m].items)
      if (!item.name.empty() && item.linkage == Linkage::kNone && users[item.name].size() > 1 &&
          (m > 0 || shared.count(item.name) != 0) && names.count(item.name) == 0) {
        std::string own = fmt::format("{}${}", item.name, m + 1);
        // Compilers give such names too.
        while (users.count(own) != 0 || !given.insert(own).second) own += "$";
        names[item.name] = own;
      }
    out += fmt::format("\n// From {}\n", modules[m].file);
    for (const Item& item : scanned[m].items) {
      if (item.linkage == Linkage::kWeak && item.definition &&
          (strong.count(item.name) != 0 || !defined.insert(item.name).second))
        continue;
      if (item.linkage == Linkage::kExtern && !declared.insert(item.name).second) continue;
      out += rewritten(scanned[m], item, names, files) + "\n";
    }
    files += last_file(scanned[m]);
  }
  return out;
}

}  // namespace warpvp::ptx
