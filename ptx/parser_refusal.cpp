// What is not supported refuses what needs it, not the module: an error in a body refuses the function, an
// unsupported type the variable or the function that has it. The parser goes on behind the statement.

#include <fmt/format.h>

#include "ptx/parser_impl.h"

namespace warpvp::ptx {

using ir::Location;

// Goes behind the ';' that ends the statement beginning at token `begin`, or before the '}' that closes the
// block it stands in. Vectors and initial values are in braces of their own.
void Parser::skip_statement(std::size_t begin) {
  at_ = begin;
  for (int braces = 0; peek().kind != TokenKind::kEnd; next()) {
    if (at("{")) {
      ++braces;
    } else if (at("}")) {
      if (braces == 0) return;
      --braces;
    } else if (braces == 0 && at(";")) {
      next();
      return;
    }
  }
}

void Parser::skip_braces(Location where, const char* what) {
  int depth = 0;
  do {
    if (peek().kind == TokenKind::kEnd) fail(where, fmt::format("{} is not closed; expected '}}'", what));
    if (at("{")) ++depth;
    if (at("}")) --depth;
    next();
  } while (depth > 0);
}

void Parser::refuse_function(const std::string& message) {
  if (function_->refusal.empty()) function_->refusal = message;
}

void Parser::refuse_function(Location where, const std::string& message) {
  refuse_function(fmt::format("{}:{}:{}: {}", file_, where.line, where.column, message));
}

void Parser::refuse_statement(std::size_t begin, const std::string& message) {
  refuse_function(message);
  depth_ = 0;
  // Uses of labels by an instruction or a table that has not come to be.
  while (!pending_.empty() && (pending_.back().instruction >= static_cast<int>(function_->code.size()) ||
                               pending_.back().table >= static_cast<int>(function_->tables.size()))) {
    pending_.pop_back();
  }
  skip_statement(begin);
}

// The declaration beginning at token `begin` is of variables that are known by name only from here on.
void Parser::refuse_variables(std::size_t begin, const std::string& message) {
  depth_ = 0;
  at_ = begin;
  int depth = 0;
  for (bool in_value = false; depth > 0 || !at(";"); next()) {
    const Token& t = peek();
    if (t.kind == TokenKind::kEnd) throw InputError(message);
    if (at("{") || at("[") || at("(")) {
      ++depth;
    } else if (at("}") || at("]") || at(")")) {
      --depth;
    } else if (depth == 0 && at("=")) {
      in_value = true;
    } else if (depth == 0 && at(",")) {
      in_value = false;
    } else if (depth == 0 && !in_value && t.kind == TokenKind::kIdentifier) {
      const std::string name(t.text);
      const auto known = module_names_.find(name);
      if (known == module_names_.end()) {
        declare_module(name, {false, static_cast<int>(module_.variables.size())}, t.where);
        module_.variables.emplace_back();
        module_.variables.back().name = name;
        module_.variables.back().where = t.where;
        module_.variables.back().refusal = message;
      } else if (!known->second.is_function) {
        ir::Variable& v = module_.variables[static_cast<std::size_t>(known->second.index)];
        const bool of_this_list = v.where.line == t.where.line && v.where.column == t.where.column;
        if (!of_this_list && v.refusal.empty()) v.refusal = message;
      }
    }
  }
  next();
}

// The function whose header begins at token `begin` is known by name only; goes to its body or to its ';'.
void Parser::refuse_header(std::size_t begin, const std::string& message) {
  ir::Function& f = *function_;
  refuse_function(message);
  depth_ = 0;
  f.signature_known = false;
  f.returns.clear();
  f.params.clear();
  f.registers.clear();
  f.variables.clear();
  at_ = begin;
  f.name.clear();
  for (int depth = 0; depth > 0 || !(at("{") || at(";")); next()) {
    if (peek().kind == TokenKind::kEnd) throw InputError(message);
    if (at("(")) ++depth;
    if (at(")")) --depth;
    if (depth == 0 && f.name.empty() && peek().kind == TokenKind::kIdentifier) {
      f.where = peek().where;
      f.name = peek().text;
    }
  }
  if (f.name.empty()) throw InputError(message);
}

// A call must know what it passes.
void Parser::check_signature(int function) const {
  const ir::Function& f = module_.functions[static_cast<std::size_t>(function)];
  if (!f.signature_known) throw InputError(f.refusal);
}

// Clusters of several CTAs are not modelled: such kernels are refused. Of one CTA each CTA is one. True if
// there was such a directive.
bool Parser::cluster_directive() {
  const Location where = peek().where;
  const auto refuse = [&](const char* name) {
    refuse_function(where,
                    fmt::format("'.{}' is not supported: thread-block clusters are not modelled", name));
  };
  if (accept_dotted("reqnctapercluster")) {
    bool one = true;
    do one &= expect_integer("a number of CTAs") == 1;
    while (accept(","));
    if (!one) refuse("reqnctapercluster");
    return true;
  }
  for (const char* name : {"explicitcluster", "maxclusterrank", "blocksareclusters"}) {
    if (!accept_dotted(name)) continue;
    // Compilers write .explicitcluster before the size.
    if (!(name == std::string("explicitcluster") && at_dotted("reqnctapercluster"))) refuse(name);
    if (peek().kind == TokenKind::kInteger) next();
    return true;
  }
  return false;
}

}  // namespace warpvp::ptx
