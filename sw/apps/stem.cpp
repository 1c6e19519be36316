// The first step of Porter's stemming, of made-up words with English endings.

#include <string>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/job_kernels.h"
#include "sw/apps/reference_jobs.h"

namespace warpvp::apps {
namespace {

constexpr std::size_t kBytes = 16;  // of a word, as in stem.cu

struct StemParams {
  std::uint32_t words = 4096, block = 256;

  void fields(FieldVisitor& v) {
    v.field("words", words, "words", "Words to stem, a thread each.", Constraint::range(1, 1u << 20));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
  }
};

std::string any_word(Inputs& random) {
  static const std::vector<std::string> kBegins = {"b", "st", "gr", "pl", "f", "tr", "w", "", "m", "y"},
                                        kMiddles = {"a", "e", "i", "o", "u", "ee", "y", "at", "bl"},
                                        kCloses = {"nd", "p", "l", "ss", "tt", "z", "x", "k", "y", ""},
                                        kEndings = {"", "s", "sses", "ies", "ed", "eed", "ing", "y", "ss"};
  const auto one = [&](const std::vector<std::string>& of) {
    return of[random.below(static_cast<std::uint32_t>(of.size()))];
  };
  std::string word;
  for (unsigned syllables = 1 + random.below(2); syllables > 0; --syllables) {
    // Drawn one after the other: compilers differ in which operand of + comes first.
    const std::string close = one(kCloses), middle = one(kMiddles), begin = one(kBegins);
    word += begin + middle + close;
  }
  word += one(kEndings);
  return word.size() <= kBytes ? word : word.substr(0, kBytes);
}

std::vector<std::uint8_t> bytes_of(const std::vector<std::string>& words) {
  std::vector<std::uint8_t> bytes(words.size() * kBytes, 0);
  for (std::size_t i = 0; i < words.size(); ++i)
    std::copy(words[i].begin(), words[i].end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * kBytes));
  return bytes;
}

class Stem : public App, public JobKernels {
 public:
  explicit Stem(const StemParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    prepare(device, context);
    const std::uint32_t ctas = (params_.words + params_.block - 1) / params_.block;
    const JobLaunch all = launch("stem_words", params_.words);
    device.launch(all.kernel, rt::Dim3(ctas), rt::Dim3(params_.block), all.args, stream_);
    std::vector<std::string> stems;
    for (const std::string& word : words_) stems.push_back(reference::porter_step1(word));
    const AppResult result = compare("stem", out_.read(stream_), bytes_of(stems));
    in_.reset();
    out_.reset();
    return result;
  }

  void prepare(rt::Runtime& device, const AppContext& context) override {
    Inputs inputs(context.seed, 1);
    words_.resize(params_.words);
    for (std::string& word : words_) word = any_word(inputs);
    bytes_ = bytes_of(words_);
    kernel_ = device.kernel(device.load_module(context.kernel_folder + "stem.ptx"), "stem_words");
    stream_ = device.create_stream();
    in_.emplace(device, bytes_, stream_);
    out_.emplace(device, bytes_.size());
    device.synchronize(stream_);
  }
  JobLaunch launch(const std::string& name, std::uint32_t threads) override {
    require_kernel(name, "stem_words", threads, params_.words);
    return {kernel_, rt::Args::of(in_.pointer(), out_.pointer(), threads)};
  }

 private:
  StemParams params_;
  std::vector<std::string> words_;
  std::vector<std::uint8_t> bytes_;
  rt::Kernel kernel_;
  rt::Stream stream_;
  HeldArray<std::uint8_t> in_, out_;
};

WARPVP_REGISTER_JOB_APP(Stem, StemParams, "stem",
                        "Plurals, -ed and -ing taken off words: the first step of Porter's stemming.");

}  // namespace
}  // namespace warpvp::apps
