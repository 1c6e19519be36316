#pragma once
// CPU references of the kernels of jobs with deadlines (lstm, ipv6, cuckoo, gmm, stem), written from their
// definitions rather than from the kernels.

#include <cstdint>
#include <string>
#include <vector>

namespace warpvp::apps::reference {

/// Weights of an LSTM of one layer: rows are the gates input, forget, output, candidate, `hidden` of each;
/// columns are the input and then the state, `hidden` of each. Stored column by column.
struct LstmLayer {
  std::uint32_t hidden = 0;
  std::vector<float> weights, bias;
};
/// The state after these inputs (`hidden` numbers each, one step after the other), from zero; in double
/// precision, so close to the kernels', not the same bits.
std::vector<float> lstm(const LstmLayer& layer, const std::vector<float>& inputs);

/// A route: the first `length` bits (1 to 64) of an address, the rest zero.
struct Route {
  std::uint64_t prefix = 0;
  std::uint32_t length = 0, hop = 0;
};
/// Hop of the longest route that matches the upper half of each address; 0: none does.
std::vector<std::uint32_t> longest_match(const std::vector<Route>& routes,
                                         const std::vector<std::uint64_t>& addresses);

/// Mixtures of Gaussians with diagonal covariance; of mixture m, component c and feature f at
/// [(c * features + f) * mixtures + m]; weights at [c * mixtures + m], logarithms to the base 2.
struct Mixtures {
  std::uint32_t mixtures = 0, components = 0, features = 0;
  std::vector<float> means, precisions, weights;
};
/// Logarithm to the base 2 of each mixture's density; in double precision, as lstm().
std::vector<float> gmm_scores(const Mixtures& set, const std::vector<float>& frame);

/// Step 1 of Porter's stemming of a word in small letters.
std::string porter_step1(const std::string& word);

}  // namespace warpvp::apps::reference
