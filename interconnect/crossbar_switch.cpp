#include "interconnect/crossbar_switch.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace warpvp {

namespace {
void set_bit(std::vector<std::uint64_t>& bits, unsigned i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }
void clear_bit(std::vector<std::uint64_t>& bits, unsigned i) {
  bits[i / 64] &= ~(std::uint64_t{1} << (i % 64));
}
bool test_bit(const std::vector<std::uint64_t>& bits, unsigned i) { return bits[i / 64] >> (i % 64) & 1; }
/// How far ahead something can be due.
unsigned span_of(const CrossbarSwitch::Config& config) {
  unsigned span = 64;
  while (span < config.latency + CrossbarSwitch::kMaxFlits + 2) span *= 2;
  return span;
}
}  // namespace

CrossbarSwitch::CrossbarSwitch(const Config& config)
    : config_(config),
      input_shift_(static_cast<unsigned>(__builtin_ctz(config.input_flits))),
      output_shift_(static_cast<unsigned>(__builtin_ctz(config.output_flits))),
      inputs_(config.inputs),
      outputs_(config.outputs),
      in_words_((config.inputs + 63) / 64),
      out_words_((config.outputs + 63) / 64),
      wheel_(span_of(config), in_words_ + 2 * out_words_) {
  assert(config.latency >= 1 && config.latency <= kMaxLatency);
  for (Input& input : inputs_) input.queue.set_capacity(config.input_packets);
  for (Output& output : outputs_) output.egress.set_capacity(config.output_packets + config.latency);
  requests_.assign(std::size_t{config.outputs} * in_words_, 0);
  free_.assign(out_words_, 0);
  deliverable_.assign(out_words_, 0);
  drained_.assign(in_words_, 0);
  open_inputs_.assign(in_words_, ~std::uint64_t{0});
  open_outputs_.assign(out_words_, ~std::uint64_t{0});
  for (const auto* groups : {&config_.input_groups, &config_.output_groups})
    for (const unsigned group : *groups)
      if (group != kNoGroup && group >= taken_until_.size()) taken_until_.resize(group + 1, 0);
  const auto members = [&](const std::vector<unsigned>& groups, unsigned words) {
    std::vector<Bits> of(taken_until_.size(), Bits(words, 0));
    for (unsigned port = 0; port < groups.size(); ++port)
      if (groups[port] != kNoGroup) set_bit(of[groups[port]], port);
    return of;
  };
  inputs_of_ = members(config_.input_groups, in_words_);
  outputs_of_ = members(config_.output_groups, out_words_);
}

void CrossbarSwitch::schedule(Cycle cycle, unsigned section_word, unsigned index) {
  assert(cycle > done_ && cycle - done_ < wheel_.span());
  wheel_.add(cycle, section_word * 64 + index);
  due_ = std::min(due_, cycle);
}

void CrossbarSwitch::push(unsigned input, Packet packet, Cycle visible) {
  Input& in = inputs_[input];
  assert(packet.output < config_.outputs && packet.flits >= 1 && packet.flits <= kMaxFlits);
  assert(visible > done_);
  // With nothing on the wheel the time since the last event was idle, however long. What a pop has just made
  // room for may be granted in the cycle before `visible` yet.
  if (due_ == kNever) {
    const Cycle idle = can_grant() ? 2 : 1;
    if (visible > idle) done_ = std::max(done_, visible - idle);
  }
  packet.visible = visible;
  in.queue.push(packet);
  ++inside_;
  if (in.state == InputState::kIdle) await_head(input);
}

// The head asks for its output when it is visible and the packet before it has left.
void CrossbarSwitch::await_head(unsigned input) {
  Input& in = inputs_[input];
  in.state = InputState::kScheduled;
  schedule(std::max(in.queue.front().visible, in.free_at), 0, input);
}

void CrossbarSwitch::request(unsigned input, Cycle now) {
  Input& in = inputs_[input];
  const unsigned output = in.queue.front().output;
  Output& out = outputs_[output];
  in.state = InputState::kRequesting;
  requests_[std::size_t{output} * in_words_ + input / 64] |= std::uint64_t{1} << (input % 64);
  if (out.wanted++ != 0) return;
  if (out.free_at <= now) {
    set_free_if_room(output);
  } else {
    schedule(out.free_at, in_words_, output);
  }
}

void CrossbarSwitch::set_free_if_room(unsigned output) {
  if (!outputs_[output].egress.full()) set_bit(free_, output);
}

void CrossbarSwitch::advance(Cycle now) {
  if (any_drained_) {
    for (std::uint64_t& word : drained_)
      if (word) word = 0;  // mostly one word: a call of memset costs more
    any_drained_ = false;
  }
  if (now <= done_) return;
  assert(due_ >= now);
  done_ = now;
  if (due_ == now) handle_due(now);
  if (taken_until_.empty()) {
    for (unsigned w = 0; w < out_words_; ++w)
      for (std::uint64_t bits = free_[w]; bits; bits &= bits - 1)
        arbitrate(w * 64 + __builtin_ctzll(bits), now);
  } else {
    arbitrate_in_turn(now);
  }
}

// Links go to the outputs that have waited longest for their last grant, so that none of a group starves.
void CrossbarSwitch::arbitrate_in_turn(Cycle now) {
  open_groups(now);
  turn_.clear();
  for (unsigned w = 0; w < out_words_; ++w)
    for (std::uint64_t bits = free_[w] & open_outputs_[w]; bits; bits &= bits - 1)
      turn_.push_back(w * 64 + __builtin_ctzll(bits));
  std::sort(turn_.begin(), turn_.end(), [this](unsigned a, unsigned b) {
    return std::pair(outputs_[a].turn, a) < std::pair(outputs_[b].turn, b);
  });
  for (const unsigned output : turn_)
    if (test_bit(open_outputs_, output)) arbitrate(output, now);
}

void CrossbarSwitch::open_groups(Cycle now) {
  const auto opens = [&](unsigned group) {
    if (taken_until_[group] >= (now + 1) * config_.group_flits) return false;
    for (unsigned w = 0; w < in_words_; ++w) open_inputs_[w] |= inputs_of_[group][w];
    for (unsigned w = 0; w < out_words_; ++w) open_outputs_[w] |= outputs_of_[group][w];
    return true;
  };
  closed_.erase(std::remove_if(closed_.begin(), closed_.end(), opens), closed_.end());
}

void CrossbarSwitch::occupy(unsigned group, unsigned flits, Cycle now) {
  if (group == kNoGroup) return;
  std::uint64_t& until = taken_until_[group];
  until = std::max(until, now * config_.group_flits) + flits;
  if (until < (now + 1) * config_.group_flits) return;
  for (unsigned w = 0; w < in_words_; ++w) open_inputs_[w] &= ~inputs_of_[group][w];
  for (unsigned w = 0; w < out_words_; ++w) open_outputs_[w] &= ~outputs_of_[group][w];
  closed_.push_back(group);
}

void CrossbarSwitch::handle_due(Cycle now) {
  std::uint64_t* const inputs = wheel_.take(now);
  due_ = wheel_.first(done_ + 1);
  std::uint64_t* const outputs = inputs + in_words_;
  std::uint64_t* const ready = outputs + out_words_;
  for (unsigned w = 0; w < out_words_; ++w) {
    for (std::uint64_t bits = outputs[w]; bits; bits &= bits - 1)
      set_free_if_room(w * 64 + __builtin_ctzll(bits));
    outputs[w] = 0;
    deliverable_[w] |= ready[w];
    ready[w] = 0;
  }
  for (unsigned w = 0; w < in_words_; ++w) {
    for (std::uint64_t bits = inputs[w]; bits; bits &= bits - 1) request(w * 64 + __builtin_ctzll(bits), now);
    inputs[w] = 0;
  }
}

void CrossbarSwitch::arbitrate(unsigned output, Cycle now) {
  Output& out = outputs_[output];
  std::uint64_t* const requests = &requests_[std::size_t{output} * in_words_];
  // The first request at or after out.next, wrapping round, whose link is free.
  unsigned word = out.next / 64;
  std::uint64_t bits = requests[word] & open_inputs_[word] & (~std::uint64_t{0} << (out.next % 64));
  for (unsigned looked = 0; !bits; ++looked) {
    if (looked == in_words_) return;  // its links are all taken
    word = word + 1 == in_words_ ? 0 : word + 1;
    bits = requests[word] & open_inputs_[word];
  }
  const unsigned input = word * 64 + __builtin_ctzll(bits);
  requests[word] &= ~(std::uint64_t{1} << (input % 64));
  --out.wanted;
  out.next = input + 1 == config_.inputs ? 0 : input + 1;

  Input& in = inputs_[input];
  Packet packet = in.queue.front();
  in.queue.pop();
  packet.granted = now;
  totals_.packets += 1;
  totals_.flits += packet.flits;
  totals_.queueing_cycles += now - packet.visible;
  set_bit(drained_, input);
  any_drained_ = true;
  if (!config_.input_groups.empty()) occupy(config_.input_groups[input], packet.flits, now);
  if (!config_.output_groups.empty()) occupy(config_.output_groups[output], packet.flits, now);

  const unsigned in_cycles = (packet.flits + config_.input_flits - 1) >> input_shift_;
  const unsigned out_cycles = (packet.flits + config_.output_flits - 1) >> output_shift_;
  in.free_at = now + in_cycles;
  out.free_at = now + out_cycles;
  out.turn = totals_.packets;
  in.state = InputState::kIdle;
  if (!in.queue.empty()) await_head(input);
  clear_bit(free_, output);
  if (out.wanted != 0) schedule(out.free_at, in_words_, output);
  const Cycle ready = now + config_.latency + std::max(in_cycles, out_cycles) - 1;
  if (out.egress.empty()) schedule(ready, in_words_ + out_words_, output);
  out.egress.push({packet, ready});
}

void CrossbarSwitch::pop(unsigned output, Cycle now) {
  Output& out = outputs_[output];
  assert(test_bit(deliverable_, output));
  out.egress.pop();
  --inside_;
  if (out.wanted != 0 && out.free_at <= now) set_bit(free_, output);
  if (out.egress.empty()) {
    clear_bit(deliverable_, output);
  } else if (out.egress.front().ready > now) {
    clear_bit(deliverable_, output);
    schedule(out.egress.front().ready, in_words_ + out_words_, output);
  }
}

// After an evaluate this means that a pop made room, or that the link of a group is taken.
bool CrossbarSwitch::can_grant() const {
  for (const std::uint64_t word : free_)
    if (word) return true;
  return false;
}

}  // namespace warpvp
