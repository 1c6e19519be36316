#pragma once
// The dirty lines of a cache in the order in which they became dirty, and how many of their sectors are.

#include <cstdint>
#include <vector>

namespace warpvp {

class DirtyLines {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit DirtyLines(std::uint32_t lines) : nodes_(std::size_t{lines} + 1, Node{lines, lines, 0}) {}

  /// `sectors` of the line are dirty now; 0 takes it out of the list. One that joins becomes the last.
  void set(std::uint32_t line, std::uint32_t sectors) {
    Node& node = nodes_[line];
    if (node.sectors == sectors) return;
    sectors_ += sectors;
    sectors_ -= node.sectors;
    if (node.sectors == 0) {
      const std::uint32_t last = nodes_[end()].previous;
      node.previous = last;
      node.next = end();
      nodes_[last].next = nodes_[end()].previous = line;
    } else if (sectors == 0) {
      nodes_[node.previous].next = node.next;
      nodes_[node.next].previous = node.previous;
    }
    node.sectors = sectors;
  }
  /// The line that has been dirty for longest, or kNone.
  std::uint32_t first() const { return at(nodes_[end()].next); }
  /// The one that became dirty after `line`, or kNone.
  std::uint32_t after(std::uint32_t line) const { return at(nodes_[line].next); }
  std::uint64_t sectors() const { return sectors_; }
  void clear() {
    for (std::uint32_t line = first(); line != kNone;) {
      const std::uint32_t next = after(line);
      nodes_[line].sectors = 0;
      line = next;
    }
    nodes_[end()] = {end(), end(), 0};
    sectors_ = 0;
  }

 private:
  struct Node {
    std::uint32_t previous, next;
    std::uint32_t sectors;
  };
  std::uint32_t end() const { return static_cast<std::uint32_t>(nodes_.size() - 1); }
  std::uint32_t at(std::uint32_t node) const { return node == end() ? kNone : node; }

  std::vector<Node> nodes_;  // by line; the last one closes the ring
  std::uint64_t sectors_ = 0;
};

}  // namespace warpvp
