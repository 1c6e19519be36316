// A program that calls cuRAND and checks what it gets. `program CASE`; status 0: all was right, else a line a
// mistake.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>

#include "sw/cuda/rand/abi.h"
#include "tests/cuda/on_device.h"

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t*, curandRngType_t);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t*, curandRngType_t);
curandStatus_t curandDestroyGenerator(curandGenerator_t);
curandStatus_t curandGetVersion(int*);
curandStatus_t curandSetStream(curandGenerator_t, CUstream);
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long);
curandStatus_t curandSetGeneratorOffset(curandGenerator_t, unsigned long long);
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t);
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t, unsigned);
curandStatus_t curandGenerateSeeds(curandGenerator_t);
curandStatus_t curandGenerate(curandGenerator_t, unsigned*, std::size_t);
curandStatus_t curandGenerateLongLong(curandGenerator_t, unsigned long long*, std::size_t);
curandStatus_t curandGenerateUniform(curandGenerator_t, float*, std::size_t);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t, double*, std::size_t);
curandStatus_t curandGenerateNormal(curandGenerator_t, float*, std::size_t, float, float);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t, double*, std::size_t, double, double);
curandStatus_t curandGenerateLogNormal(curandGenerator_t, float*, std::size_t, float, float);
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t, double*, std::size_t, double, double);
curandStatus_t curandGeneratePoisson(curandGenerator_t, unsigned*, std::size_t, double);
curandStatus_t curandGetDirectionVectors32();
}

using namespace warpvp::test;

namespace {

void ok(curandStatus_t status, const std::string& what) {
  expect(status == CURAND_STATUS_SUCCESS, what + ": status " + std::to_string(status));
}

constexpr curandRngType_t kTypes[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                                      CURAND_RNG_PSEUDO_PHILOX4_32_10};

class Generator {
 public:
  Generator(curandRngType_t type, bool on_host, std::uint64_t seed, std::uint64_t offset = 0,
            curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_DEFAULT)
      : on_host_(on_host) {
    ok(on_host ? curandCreateGeneratorHost(&at, type) : curandCreateGenerator(&at, type), "create");
    ok(curandSetPseudoRandomGeneratorSeed(at, seed), "seed");
    ok(curandSetGeneratorOffset(at, offset), "offset");
    ok(curandSetGeneratorOrdering(at, ordering), "ordering");
  }
  Generator(const Generator&) = delete;
  ~Generator() { curandDestroyGenerator(at); }
  /// `n` numbers by a function of the API, called for each of `parts` in turn.
  template <class T>
  std::vector<T> numbers(
      const std::vector<std::size_t>& parts,
      const std::function<curandStatus_t(curandGenerator_t, T*, std::size_t)>& call) const {
    std::size_t n = 0;
    for (const std::size_t part : parts) n += part;
    std::vector<T> here(n);
    OnDevice<T> there(here);
    T* to = on_host_ ? here.data() : static_cast<T*>(there);
    for (const std::size_t part : parts) {
      ok(call(at, to, part), "generate");
      to += part;
    }
    return on_host_ ? here : there.get();
  }
  curandGenerator_t at = nullptr;

 private:
  bool on_host_;
};

/// FNV-1a of 64 bits.
template <class T>
std::uint64_t digest(const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

/// What NVIDIA's libcurand.so.10.4 gave on a host: digests of 100,000 words, of 50,001 uniform floats and of
/// 40,001 doubles, one behind the other from one generator.
struct Known {
  curandRngType_t type;
  std::uint64_t seed, offset;
  curandOrdering_t ordering;
  std::uint64_t words, floats, doubles;
};
const Known kKnown[] = {
    {CURAND_RNG_PSEUDO_XORWOW, 0u, 0u, CURAND_ORDERING_PSEUDO_DEFAULT, 0xede25b7f3b084ff0u,
     0x89824019e42441b9u, 0x47a2484803822cc0u},
    {CURAND_RNG_PSEUDO_XORWOW, 1234567890123456789u, 7001u, CURAND_ORDERING_PSEUDO_LEGACY,
     0x541e36d7383fb489u, 0xe800ac34667958c5u, 0xbd9bf806d7d857d8u},
    {CURAND_RNG_PSEUDO_XORWOW, 42u, 1000003u, CURAND_ORDERING_PSEUDO_BEST, 0x2fecd68ab5fad9a3u,
     0xa5c3c52f01f8de3cu, 0xc552666157f4dc1cu},
    {CURAND_RNG_PSEUDO_MRG32K3A, 0u, 0u, CURAND_ORDERING_PSEUDO_DEFAULT, 0x7ec41bfc9e01c1cu,
     0x655d451836cd89a0u, 0xe19ff41f99b43c30u},
    {CURAND_RNG_PSEUDO_MRG32K3A, 1234567890123456789u, 7001u, CURAND_ORDERING_PSEUDO_LEGACY,
     0x73eb0102212dd2feu, 0xa554353e4f9ff611u, 0x389f9c5d5dc9605bu},
    {CURAND_RNG_PSEUDO_MRG32K3A, 42u, 1000003u, CURAND_ORDERING_PSEUDO_BEST, 0x4bbb96c8f9bb983fu,
     0x2ae022b5067bb29du, 0x5d96126c1498b1c5u},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0u, 0u, CURAND_ORDERING_PSEUDO_DEFAULT, 0x89fe5567306ea33u,
     0x6085ec3486cbbf34u, 0x3301c21b473bc614u},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, 1234567890123456789u, 7001u, CURAND_ORDERING_PSEUDO_LEGACY,
     0x9b492b6d5ad3e796u, 0xd144dd5a9ea4c90bu, 0x4b0f11ead0d97dc4u},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, 42u, 1000003u, CURAND_ORDERING_PSEUDO_BEST, 0x465f6ff630aae9ecu,
     0x8680d9000696481au, 0xe966971402c697eau},
};

void sequences() {
  for (const Known& k : kKnown)
    for (const bool on_host : {true, false}) {
      const Generator g(k.type, on_host, k.seed, k.offset, k.ordering);
      const std::string where = " of type " + std::to_string(k.type) + ", seed " + std::to_string(k.seed) +
                                ", offset " + std::to_string(k.offset) +
                                (on_host ? " on the host" : " on the device");
      expect(digest(g.numbers<unsigned>({100000}, curandGenerate)) == k.words, "words" + where);
      expect(digest(g.numbers<float>({20000, 30001}, curandGenerateUniform)) == k.floats, "floats" + where);
      expect(digest(g.numbers<double>({1, 40000}, curandGenerateUniformDouble)) == k.doubles,
             "doubles" + where);
    }
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<T>& wanted, double tolerance,
                 const std::string& what) {
  expect(got.size() == wanted.size(), what + ": as many");
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::fabs(got[i] - wanted[i]) <= tolerance * std::max(1.0, std::fabs(static_cast<double>(wanted[i]))))
      continue;
    expect(false, what + ": number " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " +
                      std::to_string(wanted[i]));
    return;
  }
}

/// Box and Muller's transform of the generator's own uniform numbers, made anew on the host in double
/// precision.
std::vector<double> transformed(curandRngType_t type, std::size_t count) {
  const Generator g(type, true, 99);
  // As many words or numbers as all sequences give in two turns.
  const std::size_t sequences = type == CURAND_RNG_PSEUDO_XORWOW     ? 4096
                                : type == CURAND_RNG_PSEUDO_MRG32K3A ? 81920
                                                                     : 65536;
  std::vector<double> normals;
  const double two_pi = 2 * std::acos(-1.0);
  const auto add = [&](double u, double v) {
    const double radius = std::sqrt(-2 * std::log(u));
    normals.push_back(radius * std::sin(two_pi * v));
    normals.push_back(radius * std::cos(two_pi * v));
  };
  if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
    const auto words = g.numbers<unsigned>({count}, curandGenerate);
    for (std::size_t i = 0; i < count; i += 2)
      add((words[i] + 0.5) / 4294967296.0, (words[i + 1] + 0.5) / 4294967296.0);
  } else {
    const std::size_t turns = (count / 2 + sequences - 1) / sequences;
    const auto uniforms = g.numbers<float>({2 * turns * sequences}, curandGenerateUniform);
    for (std::size_t i = 0; i < count / 2; ++i) {
      const std::size_t first = i / sequences * 2 * sequences + i % sequences;
      add(uniforms[first], uniforms[first + sequences]);
    }
  }
  return normals;
}

void distributions() {
  for (const curandRngType_t type : kTypes) {
    const std::string name = "of type " + std::to_string(type);
    constexpr std::size_t kCount = 20000;
    const std::vector<double> plain = transformed(type, kCount);
    std::vector<float> wanted, wanted_of_exponentials;
    for (const double v : plain) {
      wanted.push_back(static_cast<float>(0.5 + 2 * v));
      wanted_of_exponentials.push_back(static_cast<float>(std::exp(0.5 + 0.25 * v)));
    }
    for (const bool on_host : {true, false}) {
      const Generator g(type, on_host, 99);
      const auto normal = [](curandGenerator_t by, float* to, std::size_t n) {
        return curandGenerateNormal(by, to, n, 0.5f, 2);
      };
      expect_near(g.numbers<float>({6000, kCount - 6000}, normal), wanted, 3e-5, "normals " + name);
      const Generator again(type, on_host, 99);
      expect_near(again.numbers<float>({kCount},
                                       [](curandGenerator_t by, float* to, std::size_t n) {
                                         return curandGenerateLogNormal(by, to, n, 0.5f, 0.25f);
                                       }),
                  wanted_of_exponentials, 3e-5, "exponentials of normals " + name);
    }
    // Of doubles both sides are compared, and their moments with the distribution's.
    const auto normal = [](curandGenerator_t by, double* to, std::size_t n) {
      return curandGenerateNormalDouble(by, to, n, 3, 2);
    };
    const auto exponential = [](curandGenerator_t by, double* to, std::size_t n) {
      return curandGenerateLogNormalDouble(by, to, n, 0.5, 0.25);
    };
    const Generator here(type, true, 5, 77), there(type, false, 5, 77);
    const auto normals = here.numbers<double>({kCount}, normal);
    expect_near(there.numbers<double>({kCount}, normal), normals, 1e-12, "normal doubles " + name);
    double mean = 0, square = 0;
    for (const double v : normals) {
      mean += v / kCount;
      square += (v - 3) * (v - 3) / kCount;
    }
    expect(std::fabs(mean - 3) < 0.06 && std::fabs(square - 4) < 0.2, "moments of normal doubles " + name);
    expect_near(there.numbers<double>({kCount}, exponential), here.numbers<double>({kCount}, exponential),
                1e-12, "exponentials of normal doubles " + name);
  }
}

/// Counts against the distribution's by chi-squared, for means below and above what is searched at once.
void poissons() {
  for (const curandRngType_t type : kTypes)
    for (const double mean : {0.7, 5.0, 40.0, 130.0})
      for (const bool on_host : {true, false}) {
        const Generator g(type, on_host, 31);
        constexpr std::size_t kCount = 30000;
        const auto made = g.numbers<unsigned>({10000, kCount - 10000},
                                              [mean](curandGenerator_t by, unsigned* to, std::size_t n) {
                                                return curandGeneratePoisson(by, to, n, mean);
                                              });
        std::map<unsigned, std::size_t> counts;
        for (const unsigned v : made) ++counts[v];
        double chi = 0, classes = 0, expected = 0, found = 0, log_p = -mean;
        for (unsigned k = 0; k < 3 * mean + 30; ++k) {
          expected += kCount * std::exp(log_p);
          found += static_cast<double>(counts.count(k) != 0 ? counts[k] : 0);
          log_p += std::log(mean) - std::log(k + 1.0);
          if (expected < 20) continue;  // together with the next
          chi += (found - expected) * (found - expected) / expected;
          ++classes;
          expected = found = 0;
        }
        // Beyond five standard deviations of chi-squared once in some millions.
        expect(chi < classes + 5 * std::sqrt(2 * classes),
               "Poisson's of type " + std::to_string(type) + " with a mean of " + std::to_string(mean) +
                   ": chi-squared " + std::to_string(chi) + " of " + std::to_string(classes));
      }
  const Generator g(CURAND_RNG_PSEUDO_PHILOX4_32_10, false, 31);
  double mean = 0;
  for (const unsigned v : g.numbers<unsigned>({4000}, [](curandGenerator_t by, unsigned*to, std::size_t n) {
         return curandGeneratePoisson(by, to, n, 10000);
       }))
    mean += v / 4000.0;
  expect(std::fabs(mean - 10000) < 10, "Poisson's of a great mean");
}

void streams() {
  CUstream stream = nullptr;
  expect(cuStreamCreate(&stream, 0) == 0, "a stream");
  const Generator in_stream(CURAND_RNG_PSEUDO_DEFAULT, false, 3), here(CURAND_RNG_PSEUDO_XORWOW, true, 3);
  ok(curandSetStream(in_stream.at, stream), "SetStream");
  ok(curandGenerateSeeds(in_stream.at), "GenerateSeeds");
  const auto first = in_stream.numbers<unsigned>({5000}, curandGenerate);
  expect(first == here.numbers<unsigned>({5000}, curandGenerate), "in a stream");
  // The same seed begins anew.
  ok(curandSetPseudoRandomGeneratorSeed(in_stream.at, 3), "seed");
  expect(in_stream.numbers<unsigned>({5000}, curandGenerate) == first, "begun anew");
  // Sequences with seeds of their own are others, and as even.
  const Generator seeded(CURAND_RNG_PSEUDO_XORWOW, false, 3, 0, CURAND_ORDERING_PSEUDO_SEEDED);
  const auto floats = seeded.numbers<float>({20000}, curandGenerateUniform);
  double mean = 0;
  for (const float v : floats) mean += v / 20000;
  expect(std::fabs(mean - 0.5) < 0.015, "sequences with seeds of their own");
}

void mistakes_of_callers() {
  const Generator g(CURAND_RNG_PSEUDO_XORWOW, false, 1), philox(CURAND_RNG_PSEUDO_PHILOX4_32_10, false, 1);
  const OnDevice<float> to(std::vector<float>(16));
  expect(curandGenerateUniform(nullptr, to, 16) == CURAND_STATUS_NOT_INITIALIZED, "no generator");
  expect(curandGenerateNormal(g.at, to, 15, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE, "half a pair");
  ok(curandGenerateNormal(philox.at, to, 15, 0, 1), "half a pair of Philox");
  ok(curandGenerateUniform(g.at, to, 0), "no numbers");
  expect(curandGenerateUniform(g.at, nullptr, 4) == CURAND_STATUS_OUT_OF_RANGE, "nowhere");
  expect(curandGenerateLongLong(g.at, nullptr, 1) == CURAND_STATUS_TYPE_ERROR, "words of 64 bits");
  expect(curandGeneratePoisson(g.at, nullptr, 1, -1) == CURAND_STATUS_OUT_OF_RANGE, "a mean below 0");
  expect(curandSetQuasiRandomGeneratorDimensions(g.at, 2) == CURAND_STATUS_TYPE_ERROR, "dimensions");
  expect(curandSetGeneratorOrdering(philox.at, CURAND_ORDERING_PSEUDO_SEEDED) == CURAND_STATUS_OUT_OF_RANGE,
         "an ordering");
  curandGenerator_t none = nullptr;
  expect(curandCreateGenerator(&none, CURAND_RNG_PSEUDO_MTGP32) == CURAND_STATUS_TYPE_ERROR, "MTGP32");
  expect(curandCreateGenerator(&none, CURAND_RNG_QUASI_DEFAULT) == CURAND_STATUS_TYPE_ERROR,
         "Sobol's numbers");
  expect(curandGetDirectionVectors32() == CURAND_STATUS_TYPE_ERROR, "vectors of Sobol's numbers");
  int version = 0;
  ok(curandGetVersion(&version), "GetVersion");
  expect(version / 1000 == 10, "the version");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const std::map<std::string, void (*)()> cases = {{"sequences", sequences},
                                                   {"distributions", distributions},
                                                   {"poissons", poissons},
                                                   {"streams", streams},
                                                   {"mistakes", mistakes_of_callers}};
  // What is called first makes the context.
  const Generator first(CURAND_RNG_PSEUDO_XORWOW, false, 0);
  const auto found = cases.find(name);
  expect(found != cases.end(), "no case " + name);
  if (found != cases.end()) found->second();
  return mistakes == 0 ? 0 : 1;
}
