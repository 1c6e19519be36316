#include "sw/apps/reference_jobs.h"

#include <cmath>
#include <cstddef>

namespace warpvp::apps::reference {

std::vector<float> lstm(const LstmLayer& layer, const std::vector<float>& inputs) {
  const std::size_t h = layer.hidden, rows = 4 * h;
  std::vector<double> state(h, 0), cell(h, 0);
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (std::size_t step = 0; step < inputs.size() / h; ++step) {
    std::vector<double> gates(layer.bias.begin(), layer.bias.end());
    for (std::size_t c = 0; c < 2 * h; ++c) {
      const double v = c < h ? static_cast<double>(inputs[step * h + c]) : state[c - h];
      for (std::size_t r = 0; r < rows; ++r) gates[r] += static_cast<double>(layer.weights[c * rows + r]) * v;
    }
    for (std::size_t i = 0; i < h; ++i) {
      cell[i] = sigmoid(gates[h + i]) * cell[i] + sigmoid(gates[i]) * std::tanh(gates[3 * h + i]);
      state[i] = sigmoid(gates[2 * h + i]) * std::tanh(cell[i]);
    }
  }
  return {state.begin(), state.end()};
}

std::vector<std::uint32_t> longest_match(const std::vector<Route>& routes,
                                         const std::vector<std::uint64_t>& addresses) {
  std::vector<std::uint32_t> hops;
  for (const std::uint64_t address : addresses) {
    std::uint32_t longest = 0, hop = 0;
    for (const Route& route : routes) {
      if (route.length <= longest || (address ^ route.prefix) >> (64 - route.length) != 0) continue;
      longest = route.length;
      hop = route.hop;
    }
    hops.push_back(hop);
  }
  return hops;
}

std::vector<float> gmm_scores(const Mixtures& set, const std::vector<float>& frame) {
  std::vector<float> scores;
  for (std::size_t m = 0; m < set.mixtures; ++m) {
    double density = 0;
    for (std::size_t c = 0; c < set.components; ++c) {
      double exponent = static_cast<double>(set.weights[c * set.mixtures + m]);
      for (std::size_t f = 0; f < set.features; ++f) {
        const std::size_t at = (c * set.features + f) * set.mixtures + m;
        const double d = static_cast<double>(frame[f]) - static_cast<double>(set.means[at]);
        exponent -= d * d * static_cast<double>(set.precisions[at]);
      }
      density += std::exp2(exponent);
    }
    scores.push_back(static_cast<float>(std::log2(density)));
  }
  return scores;
}

namespace {

/// The word with a letter for each of its own: v, a vowel, or c. After a consonant y is a vowel.
std::string sounds_of(const std::string& word) {
  std::string sounds;
  for (const char letter : word) {
    const bool plain = std::string("aeiou").find(letter) != std::string::npos;
    const bool y = letter == 'y' && !sounds.empty() && sounds.back() == 'c';
    sounds += plain || y ? 'v' : 'c';
  }
  return sounds;
}

bool has_vowel(const std::string& word) { return sounds_of(word).find('v') != std::string::npos; }

unsigned measure(const std::string& word) {
  const std::string sounds = sounds_of(word);
  unsigned groups = 0;
  for (std::size_t at = sounds.find("vc"); at != std::string::npos; at = sounds.find("vc", at + 1)) ++groups;
  return groups;
}

bool ends(const std::string& word, const std::string& with) {
  return word.size() >= with.size() && word.compare(word.size() - with.size(), with.size(), with) == 0;
}

std::string without(const std::string& word, std::size_t letters) {
  return word.substr(0, word.size() - letters);
}

/// After -ed or -ing was cut off.
std::string repaired(const std::string& stem) {
  if (ends(stem, "at") || ends(stem, "bl") || ends(stem, "iz")) return stem + "e";
  const std::size_t n = stem.size();
  const std::string sounds = sounds_of(stem);
  const char last = n > 0 ? stem[n - 1] : ' ';
  if (n >= 2 && stem[n - 2] == last && sounds[n - 1] == 'c' && last != 'l' && last != 's' && last != 'z')
    return without(stem, 1);
  const bool is_short = ends(sounds, "cvc") && last != 'w' && last != 'x' && last != 'y';
  return measure(stem) == 1 && is_short ? stem + "e" : stem;
}

}  // namespace

std::string porter_step1(const std::string& word) {
  std::string w = word;
  if (ends(w, "sses") || ends(w, "ies")) {
    w = without(w, 2);
  } else if (ends(w, "s") && !ends(w, "ss")) {
    w = without(w, 1);
  }
  if (ends(w, "eed")) {
    if (measure(without(w, 3)) > 0) w = without(w, 1);
  } else if (ends(w, "ed") && has_vowel(without(w, 2))) {
    w = repaired(without(w, 2));
  } else if (ends(w, "ing") && has_vowel(without(w, 3))) {
    w = repaired(without(w, 3));
  }
  if (ends(w, "y") && has_vowel(without(w, 1))) w.back() = 'i';
  return w;
}

}  // namespace warpvp::apps::reference
