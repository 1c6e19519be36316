#include "tests/ptx_reference/text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace warpvp::reference {

Type type_named(const std::string& word) {
  static const std::map<std::string, Type> kTypes = [] {
    std::map<std::string, Type> types{{"pred", {'p', 1}}, {"f32", {'f', 32}}, {"f64", {'f', 64}}};
    for (const char kind : {'u', 's', 'b'})
      for (const int bits : {2, 4, 8, 16, 32, 64}) types[kind + std::to_string(bits)] = {kind, bits};
    types["u16x2"] = {'u', 16, true};
    types["s16x2"] = {'s', 16, true};
    return types;
  }();
  const auto it = kTypes.find(word);
  return it == kTypes.end() ? Type{} : it->second;
}

bool Opcode::has(const char* word) const {
  return std::find(parts.begin(), parts.end(), word) != parts.end();
}
std::vector<Type> Opcode::types() const {
  std::vector<Type> found;
  for (const std::string& part : parts)
    if (const Type t = type_named(part)) found.push_back(t);
  return found;
}
std::string Opcode::text() const {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ".") + part;
  return all;
}

const Parameter* Function::parameter(const std::string& wanted) const {
  // The latest declaration of a name: blocks that declare the same argument name follow one another.
  for (auto it = parameters.rbegin(); it != parameters.rend(); ++it)
    if (it->name == wanted) return &*it;
  return nullptr;
}

namespace {

class Reader {
 public:
  explicit Reader(const std::string& source) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (source.compare(i, 2, "//") == 0)
        while (i < source.size() && source[i] != '\n') ++i;
      if (i < source.size()) text_ += source[i];
    }
  }

  Text read() {
    for (skip(); at_ < text_.size(); skip()) {
      const std::string word = peek_word();
      if (word == ".version" || word == ".target") {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (word == ".address_size") {
        take_word();
        take_word();
      } else if (word == ".visible" || word == ".extern" || word == ".weak") {
        take_word();
      } else if (word == ".entry" || word == ".func") {
        function();
      } else {
        declaration(until(';'), nullptr);
      }
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ReferenceError("reference: " + what); }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '%' ||
           c == ':';
  }
  std::string peek_word() {
    skip();
    std::size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  std::string take_word() {
    std::string w = peek_word();
    if (w.empty()) fail("a word expected at: " + text_.substr(at_, 40));
    at_ += w.size();
    return w;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string until(char c) {
    const std::size_t end = text_.find(c, at_);
    if (end == std::string::npos) fail(std::string("no '") + c + "' behind: " + text_.substr(at_, 40));
    std::string s = text_.substr(at_, end - at_);
    at_ = end + 1;
    return s;
  }
  static std::string trimmed(std::string s) {
    while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.pop_back();
    std::size_t n = 0;
    while (n < s.size() && std::isspace(static_cast<unsigned char>(s[n]))) ++n;
    return s.substr(n);
  }
  static std::vector<std::string> words(const std::string& s) {
    std::vector<std::string> all;
    std::string w;
    for (const char c : s + " ") {
      if (!std::isspace(static_cast<unsigned char>(c))) {
        w += c;
      } else if (!w.empty()) {
        all.push_back(w);
        w.clear();
      }
    }
    return all;
  }
  // Splits at commas outside of brackets.
  static std::vector<std::string> items(const std::string& s) {
    std::vector<std::string> all;
    std::string item;
    int depth = 0;
    for (const char c : s) {
      if (c == '{' || c == '[' || c == '(') ++depth;
      if (c == '}' || c == ']' || c == ')') --depth;
      if (c == ',' && depth == 0) {
        all.push_back(trimmed(item));
        item.clear();
      } else {
        item += c;
      }
    }
    if (!trimmed(item).empty()) all.push_back(trimmed(item));
    return all;
  }
  static std::uint64_t number(const std::string& s) {
    if (s.size() > 2 && s[0] == '0' && (s[1] == 'f' || s[1] == 'F' || s[1] == 'd' || s[1] == 'D'))
      return std::strtoull(s.c_str() + 2, nullptr, 16);
    const bool negative = s[0] == '-';
    const std::uint64_t magnitude = std::strtoull(s.c_str() + negative, nullptr, 0);
    return negative ? 0 - magnitude : magnitude;
  }
  static int bytes_of(Type t) { return t.kind == 'p' ? 1 : t.bits / 8; }

  Parameter parameter(const std::string& text, int& next) {
    Parameter p;
    int size = 0, align = 0;
    auto parts = words(text);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == ".align") {
        align = static_cast<int>(number(parts[++i]));
      } else if (parts[i][0] == '.') {
        if (const Type t = type_named(parts[i].substr(1))) size = bytes_of(t);
      } else {
        p.name = parts[i];
      }
    }
    const std::size_t bracket = p.name.find('[');
    align = std::max(align, size);
    p.bytes = size;
    if (bracket != std::string::npos) {
      p.bytes = size * static_cast<int>(number(p.name.substr(bracket + 1)));
      p.name.resize(bracket);
    }
    p.offset = (next + align - 1) / align * align;
    next = p.offset + p.bytes;
    return p;
  }

  void function() {
    Function f;
    f.is_entry = take_word() == ".entry";
    if (!f.is_entry && accept('(')) {
      for (const std::string& p : items(until(')'))) f.parameters.push_back(parameter(p, f.parameter_bytes));
      f.results = f.parameters.size();
    }
    f.name = take_word();
    if (accept('(')) {
      for (const std::string& p : items(until(')'))) f.parameters.push_back(parameter(p, f.parameter_bytes));
      f.inputs = f.parameters.size() - f.results;
    }
    if (accept(';')) return;  // a declaration before the definition
    if (!accept('{')) fail("a body expected for " + f.name);
    for (int depth = 1; depth > 0;) {
      skip();
      if (accept('{')) {
        ++depth;
      } else if (accept('}')) {
        --depth;
      } else {
        statement(f);
      }
    }
    result_.functions[f.name] = std::move(f);
  }

  void statement(Function& f) {
    const std::string word = peek_word();
    if (!word.empty() && word.back() == ':') {
      take_word();
      const std::string label = word.substr(0, word.size() - 1);
      if (peek_word() == ".branchtargets") {
        take_word();
        f.branch_targets[label] = items(until(';'));
      } else {
        f.labels[label] = static_cast<int>(f.code.size());
      }
      return;
    }
    if (!word.empty() && word[0] == '.') return declaration(until(';'), &f);
    const std::string source = trimmed(until(';'));
    if (!source.empty()) f.code.push_back(instruction(f, source));
  }

  void declaration(const std::string& source, Function* f) {
    const std::string text = trimmed(source);
    const auto parts = words(text.substr(0, text.find('=')));
    if (parts[0] == ".reg" && f != nullptr) {
      const Type t = type_named(parts[1].substr(1));
      std::string rest;
      for (std::size_t i = 2; i < parts.size(); ++i) rest += parts[i];
      for (const std::string& name : items(rest)) {
        const std::size_t many = name.find('<');
        const int count = many == std::string::npos ? 1 : std::atoi(name.c_str() + many + 1);
        for (int i = 0; i < count; ++i) {
          const std::string full =
              many == std::string::npos ? name : name.substr(0, many) + std::to_string(i);
          f->register_index[full] = static_cast<int>(f->registers.size());
          f->registers.push_back(t);
        }
      }
      return;
    }
    if (parts[0] == ".param" && f != nullptr) {
      f->parameters.push_back(parameter(text.substr(6), f->parameter_bytes));
      return;
    }
    Variable v;
    v.space = parts[0].substr(1);
    if (v.space != "shared" && v.space != "local" && v.space != "const" && v.space != "global")
      fail("declaration " + text);
    int unused = 0;
    std::string rest;
    for (std::size_t i = 1; i < parts.size(); ++i) rest += parts[i] + " ";
    const Parameter shape = parameter(rest, unused);
    v.bytes = static_cast<std::uint64_t>(shape.bytes);
    std::uint64_t align = 8;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      if (parts[i] == ".align") align = std::max<std::uint64_t>(align, number(parts[i + 1]));
    std::uint64_t& end = v.space == "shared"  ? result_.shared_bytes
                         : v.space == "local" ? result_.local_bytes
                                              : result_.const_bytes;
    if (v.space != "global") {
      v.offset = (end + align - 1) / align * align;
      end = v.offset + v.bytes;
    }
    if (const std::size_t equals = text.find('='); equals != std::string::npos) {
      int element = 1;
      for (const std::string& p : parts)
        if (p[0] == '.' && type_named(p.substr(1))) element = bytes_of(type_named(p.substr(1)));
      std::string list = trimmed(text.substr(equals + 1));
      if (list[0] == '{') list = list.substr(1, list.size() - 2);
      for (const std::string& item : items(list))
        for (int i = 0; i < element; ++i)
          v.initial.push_back(static_cast<std::uint8_t>(number(item) >> (8 * i)));
    }
    v.initial.resize(v.bytes);
    result_.variables[shape.name] = v;
  }

  Operand operand(const Function& f, std::string s) {
    s = trimmed(s);
    Operand o;
    if (s.empty()) fail("an empty operand");
    if (s[0] == '{' || s[0] == '(') {
      o.kind = s[0] == '{' ? Operand::Kind::kVector : Operand::Kind::kList;
      for (const std::string& item : items(s.substr(1, s.size() - 2))) o.parts.push_back(operand(f, item));
      return o;
    }
    if (s[0] == '[') {
      o.kind = Operand::Kind::kMemory;
      s = trimmed(s.substr(1, s.size() - 2));
      std::size_t sign = s.find_first_of("+-", 1);
      if (sign != std::string::npos) {
        const std::string offset = trimmed(s.substr(sign + 1));
        o.value = s[sign] == '-' ? 0 - number(offset) : number(offset);
        s = trimmed(s.substr(0, sign));
      }
      if (const auto it = f.register_index.find(s); it != f.register_index.end()) {
        o.index = it->second;
      } else if (std::isdigit(static_cast<unsigned char>(s[0]))) {
        o.value += number(s);
      } else {
        o.name = s;
      }
      return o;
    }
    if (const std::size_t bar = s.find('|'); bar != std::string::npos) {
      const std::string second = trimmed(s.substr(bar + 1));
      o = operand(f, s.substr(0, bar));
      if (second == "_") {
        o.predicate_sink = second;
      } else {
        o.pair = operand(f, second).index;
      }
      return o;
    }
    if (s == "_") return o;
    if (s[0] == '!') {
      o = operand(f, s.substr(1));
      o.negated = true;
      return o;
    }
    if (s == "WARP_SZ") s = "32";
    if (s[0] == '-' && s.size() > 1 && s[1] == '%') {  // an operand of vmad
      o = operand(f, s.substr(1));
      o.negated = true;
      return o;
    }
    if (std::isdigit(static_cast<unsigned char>(s[0])) || s[0] == '-') {
      o.kind = Operand::Kind::kImmediate;
      o.value = number(s);
      return o;
    }
    if (const auto it = f.register_index.find(s); it != f.register_index.end()) {
      o.kind = Operand::Kind::kRegister;
      o.index = it->second;
      return o;
    }
    o.name = s;
    o.kind = s[0] == '%' ? Operand::Kind::kSpecial : Operand::Kind::kSymbol;
    if (const std::size_t plus = s.find('+'); plus != std::string::npos) {
      o.name = trimmed(s.substr(0, plus));
      o.value = number(trimmed(s.substr(plus + 1)));
      return o;
    }
    // %r3.b2 of a video instruction: a register with a selector.
    if (const std::size_t dot = s.find('.'); dot != std::string::npos && s[0] == '%') {
      if (const auto it = f.register_index.find(s.substr(0, dot)); it != f.register_index.end()) {
        o.kind = Operand::Kind::kRegister;
        o.index = it->second;
        o.name = s.substr(dot + 1);
      }
    }
    return o;
  }

  Instruction instruction(const Function& f, const std::string& source) {
    Instruction in;
    in.source = source;
    std::string s = source;
    if (s[0] == '@') {
      in.guard_negated = s[1] == '!';
      const std::size_t begin = in.guard_negated ? 2 : 1, end = s.find_first_of(" \t\n");
      const auto it = f.register_index.find(s.substr(begin, end - begin));
      if (it == f.register_index.end()) fail("guard of " + source);
      in.guard = it->second;
      s = trimmed(s.substr(end));
    }
    const std::size_t end = std::min(s.find_first_of(" \t\n"), s.size());
    std::string part;
    for (const char c : s.substr(0, end) + ".") {
      if (c == '.') {
        in.op.parts.push_back(part);
        part.clear();
      } else {
        part += c;
      }
    }
    for (const std::string& item : items(s.substr(end))) in.operands.push_back(operand(f, item));
    return in;
  }

  std::string text_;
  std::size_t at_ = 0;
  Text result_;
};

}  // namespace

Text read_text(const std::string& source) { return Reader(source).read(); }

}  // namespace warpvp::reference
