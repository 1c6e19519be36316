// The first step of Porter's stemming (Program 1980), which takes plurals, -ed and -ing off words. A thread a word; words
// have 16 bytes, zeros after their letters, and end as their stems do.

constexpr int kBytes = 16;

__device__ __forceinline__ bool is_vowel(const char* w, int i) {
  bool vowel = false;
  // y is a vowel after a consonant, and what that is depends on the letter before.
  for (int k = 0; k <= i; ++k) {
    const char c = w[k];
    vowel = c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || (c == 'y' && k > 0 && !vowel);
  }
  return vowel;
}

__device__ __forceinline__ bool has_vowel(const char* w, int length) {
  for (int i = 0; i < length; ++i)
    if (is_vowel(w, i)) return true;
  return false;
}

/// Groups of vowels that a consonant follows.
__device__ __forceinline__ int measure(const char* w, int length) {
  int m = 0;
  bool before = false;
  for (int i = 0; i < length; ++i) {
    const bool vowel = is_vowel(w, i);
    if (before && !vowel) ++m;
    before = vowel;
  }
  return m;
}

__device__ __forceinline__ bool ends(const char* w, int length, const char* with, int n) {
  if (length < n) return false;
  for (int i = 0; i < n; ++i)
    if (w[length - n + i] != with[i]) return false;
  return true;
}

/// Consonant, vowel, consonant other than w, x and y.
__device__ __forceinline__ bool ends_short(const char* w, int length) {
  if (length < 3 || is_vowel(w, length - 1) || !is_vowel(w, length - 2) || is_vowel(w, length - 3)) return false;
  const char last = w[length - 1];
  return last != 'w' && last != 'x' && last != 'y';
}

extern "C" __global__ void stem_words(const char* __restrict__ words, char* __restrict__ stems, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  char w[kBytes];
  int n = 0;
  for (int k = 0; k < kBytes; ++k) {
    w[k] = words[kBytes * i + k];
    if (w[k] != 0) n = k + 1;
  }
  // 1a: plurals.
  if (ends(w, n, "sses", 4) || ends(w, n, "ies", 3)) {
    n -= 2;
  } else if (ends(w, n, "s", 1) && !ends(w, n, "ss", 2)) {
    n -= 1;
  }
  // 1b: -eed, -ed, -ing.
  bool cut = false;
  if (ends(w, n, "eed", 3)) {
    if (measure(w, n - 3) > 0) n -= 1;
  } else if (ends(w, n, "ed", 2) && has_vowel(w, n - 2)) {
    n -= 2;
    cut = true;
  } else if (ends(w, n, "ing", 3) && has_vowel(w, n - 3)) {
    n -= 3;
    cut = true;
  }
  if (cut) {
    if (ends(w, n, "at", 2) || ends(w, n, "bl", 2) || ends(w, n, "iz", 2)) {
      w[n++] = 'e';
    } else if (n >= 2 && w[n - 1] == w[n - 2] && !is_vowel(w, n - 1) && w[n - 1] != 'l' && w[n - 1] != 's' &&
               w[n - 1] != 'z') {
      n -= 1;
    } else if (measure(w, n) == 1 && ends_short(w, n)) {
      w[n++] = 'e';
    }
  }
  // 1c: y to i.
  if (n > 0 && w[n - 1] == 'y' && has_vowel(w, n - 1)) w[n - 1] = 'i';
  for (int k = 0; k < kBytes; ++k) stems[kBytes * i + k] = k < n ? w[k] : 0;
}
