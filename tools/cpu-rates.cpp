// How long this machine's CPU takes for the kinds of work that configs/rates/core-i7-930.yaml counts, in
// nanoseconds a unit. Loops of our own that do what the host programs of Parboil do, at the sizes they do it.
//
//   c++ -O2 -pthread tools/cpu-rates.cpp -o cpu-rates && ./cpu-rates [FOLDER FOR FILES]
//
// Two numbers a line: the least of three runs as compiled with optimisation, which is a bound from below for
// an older and slower CPU. Nothing reads this program's output; who changes a rate looks at it.
#include <sys/mman.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

volatile double sink = 0;

void report(const char* name, double units, const std::function<void()>& work) {
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    const auto from = Clock::now();
    work();
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - from).count());
  }
  std::printf("%-18s %8.3f ns\n", name, least / units);
  std::fflush(stdout);
}

struct Sample {
  float real, imag, x, y, z, density;
};

/// Adds what each sample gives to the cells of a grid of 256^3 that are nearer than 2.5, with a weight from a
/// table.
void grid_samples(const std::vector<Sample>& samples, std::vector<float>& grid, std::vector<float>& count,
                  const std::vector<float>& table) {
  const int side = 256;
  const float reach = 2.5f, reach2 = reach * reach, scale = 1 / reach2;
  for (const Sample& s : samples) {
    const int x0 = std::max(0.f, s.x - reach), x1 = std::min(side - 1.f, s.x + reach);
    const int y0 = std::max(0.f, s.y - reach), y1 = std::min(side - 1.f, s.y + reach);
    const int z0 = std::max(0.f, s.z - reach), z1 = std::min(side - 1.f, s.z + reach);
    for (int z = z0; z <= z1; ++z)
      for (int y = y0; y <= y1; ++y) {
        const float yz = (s.z - z) * (s.z - z) + (s.y - y) * (s.y - y);
        if (yz >= reach2) continue;
        for (int x = x0; x <= x1; ++x) {
          const float d = yz + (s.x - x) * (s.x - x);
          if (d >= reach2) continue;
          const float at = d * static_cast<float>(table.size() - 1);
          const auto k = static_cast<unsigned>(at * scale);
          const float rest = at - static_cast<float>(k) / scale;
          const float w = (table[k] + rest * (table[k + 1] - table[k]) / scale) * s.density;
          const std::size_t cell = (static_cast<std::size_t>(z) * side + y) * side + x;
          grid[2 * cell] += w * s.real;
          grid[2 * cell + 1] += w * s.imag;
          count[cell] += 1;
        }
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "/tmp";
  const std::string path = folder + "/cpu-rates.out";
  // A second thread, as the CUDA runtime has some: streams of stdio lock.
  std::thread other([] { std::this_thread::sleep_for(std::chrono::seconds(3600)); });
  other.detach();

  report("file_byte", 64e6, [&] {
    std::vector<char> block(64000000, 'x');
    FILE* f = std::fopen(path.c_str(), "w");
    std::fwrite(block.data(), 1, block.size(), f);
    std::fclose(f);
  });
  report("text_integer", 2e6, [&] {
    FILE* f = std::fopen(path.c_str(), "w");
    for (int i = 0; i < 1000000; ++i) std::fprintf(f, "%d %d\n", i, i & 15);
    std::fclose(f);
  });
  report("text_float", 1e6, [&] {
    std::ofstream f(path);
    float v = 1;
    for (int i = 0; i < 1000000; ++i) {
      v = v * 1.37f;
      if (v > 1000) v /= 1234.5f;
      f << v << ' ';
    }
  });
  report("stdio_byte", 2e7, [&] {
    FILE* f = std::fopen(path.c_str(), "w");
    for (int i = 0; i < 20000000; ++i) putc(i, f);
    std::fclose(f);
  });
  report("stdio_item", 4e6, [&] {
    FILE* f = std::fopen(path.c_str(), "w");
    for (int i = 0; i < 4000000; ++i) std::fwrite(&i, sizeof i, 1, f);
    std::fclose(f);
  });
  report("stdio_read", 2e6, [&] {
    FILE* f = std::fopen(path.c_str(), "r");
    double block[3];
    for (int i = 0; i < 600000 && !std::feof(f); ++i) sink = sink + std::fread(block, sizeof block, 1, f);
    std::fclose(f);
  });
  std::printf("  (stdio_read counts 2e6; 600,000 were read: times 3.33)\n");
  std::remove(path.c_str());
  report("fresh_byte", 128e6, [&] {
    void* p = std::malloc(128000000);
    std::memset(p, 0xff, 128000000);
    sink = sink + static_cast<unsigned char*>(p)[127999999];
    std::free(p);
  });
  {
    void* p = mmap(nullptr, 32 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    report("locked_byte", 2e6, [&] {  // the limit for processes without rights may be small
      if (mlock(p, 2000000) != 0) std::perror("mlock");
      munlock(p, 2000000);
      madvise(p, 32 << 20, MADV_DONTNEED);
    });
    munmap(p, 32 << 20);
  }
  {
    std::vector<float> a(16u << 20, 1.f), b(16u << 20, 1.f);
    report("compared", 16u << 20, [&] {
      std::size_t same = 0;
      while (same < a.size() && a[same] == b[same]) ++same;
      sink = sink + static_cast<double>(same);
    });
  }
  {
    const std::size_t cells = 2160000;
    std::vector<float> grid(20 * cells, 0.05f);
    report("lattice_cell", static_cast<double>(cells), [&] {  // sums, velocity, extremes
      double mass = 0;
      float most = -1e30f, least = 1e30f, fastest = 0;
      for (std::size_t i = 0; i < cells; ++i) {
        float v[19];
        for (int k = 0; k < 19; ++k) v[k] = grid[k * cells + i];
        float rho = 0;
        for (float x : v) rho += x;
        most = std::max(most, rho);
        least = std::min(least, rho);
        mass += rho;
        const float ux = v[3] - v[4] + v[7] + v[8] - v[9] - v[10] + v[15] + v[16] - v[17] - v[18];
        const float uy = v[1] - v[2] + v[7] - v[8] + v[9] - v[10] + v[11] + v[12] - v[13] - v[14];
        const float uz = v[5] - v[6] + v[11] - v[12] + v[13] - v[14] + v[15] - v[16] + v[17] - v[18];
        fastest = std::max(fastest, (ux * ux + uy * uy + uz * uz) / (rho * rho));
      }
      sink = sink + mass + most + least + fastest;
    });
  }
  {
    std::vector<float> lattice(88 * 88 * 88), regions(88 * 88 * 88, 1.f);
    report("lattice_point", 88.0 * 88 * 88, [&] {
      for (int k = 0; k < 88; ++k)
        for (int j = 0; j < 88; ++j)
          for (int i = 0; i < 88; ++i)
            lattice[(k * 88 + j) * 88 + i] += regions[(((k >> 3) * 11 + (j >> 3)) * 11 + (i >> 3)) * 512 +
                                                      ((k & 7) * 8 + (j & 7)) * 8 + (i & 7)];
      sink = sink + lattice[5];
    });
    report("potential", 60.0 * 48 * 48 * 48 * 0.524, [&] {
      for (int atom = 0; atom < 60; ++atom) {
        const float cx = 20 + atom % 24, cy = 22.3f, cz = 21.7f;
        for (int k = 20; k < 68; ++k)
          for (int j = 20; j < 68; ++j) {
            const float yz = (k * 0.5f - cz) * (k * 0.5f - cz) + (j * 0.5f - cy) * (j * 0.5f - cy);
            if (yz >= 144) continue;
            for (int i = 20; i < 68; ++i) {
              const float d = yz + (i * 0.5f - cx) * (i * 0.5f - cx);
              if (d >= 144) continue;
              const float s = 1 - d * (1 / 144.f);
              lattice[(k * 88 + j) * 88 + i] += 0.3f * (1 / std::sqrt(d + 1e-6f)) * s * s;
            }
          }
      }
      sink = sink + lattice[500];
    });
  }
  {
    std::vector<unsigned char> pixels(2000000);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<unsigned char>(i * 7 % 255 + 1);
    std::vector<float> out(pixels.size());
    report("cube_root", static_cast<double>(pixels.size()), [&] {
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        const float v = static_cast<float>(std::cbrt(1 + 63.0 * pixels[i] / 255) / 4);
        out[i] = std::floor(v * 255);
      }
      sink = sink + out[77];
    });
  }
  {
    std::vector<Sample> samples(200000);
    report("sample_floor", 3.0 * static_cast<double>(samples.size()), [&] {
      for (Sample& s : samples) {
        s.x = static_cast<float>(std::floor(s.x * 1.3 + 127.5));
        s.y = static_cast<float>(std::floor(s.y * 1.2 + 127.5));
        s.z = static_cast<float>(std::floor(s.z * 1.1 + 127.5));
      }
      sink = sink + samples[3].x;
    });
    std::vector<float> table(50001, 0.5f), grid(2u << 24), count(1u << 24);
    std::uint64_t state = 1;
    const auto random = [&] {
      return static_cast<float>((state = state * 6364136223846793005u + 1) >> 33) / 2147483648.f;
    };
    // A trajectory: spokes through the middle, sample after sample half a cell further.
    for (std::size_t i = 0; i < samples.size(); ++i) {
      static float dx, dy, dz;
      if (i % 512 == 0) {
        const float a = random() * 6.2832f, c = 2 * random() - 1, r = std::sqrt(1 - c * c);
        dx = r * std::cos(a), dy = r * std::sin(a), dz = c;
      }
      const float t = (static_cast<float>(i % 512) - 256) * 0.49f;
      samples[i] = {1, 1, std::floor(128 + dx * t), std::floor(128 + dy * t), std::floor(128 + dz * t), 1};
    }
    report("gridded (spokes)", static_cast<double>(samples.size()),
           [&] { grid_samples(samples, grid, count, table); });
    for (Sample& s : samples)
      s = {1, 1, std::floor(random() * 256), std::floor(random() * 256), std::floor(random() * 256), 1};
    report("gridded (random)", static_cast<double>(samples.size()),
           [&] { grid_samples(samples, grid, count, table); });
  }
  return 0;
}
