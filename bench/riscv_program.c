// What riscv_bench measures: a mix of what firmware does, without devices. riscv_program.h holds it as words:
//   riscv64-unknown-elf-gcc -O2 -march=rv32imac_zicsr -mabi=ilp32 -ffreestanding
//   -fno-tree-loop-distribute-patterns
//     -nostdlib -nostartfiles -Ttext=0x80000000 -o program.elf riscv_program.c
//   riscv64-unknown-elf-objcopy -O binary -j .text program.elf program.bin
//   od -An -v -tx4 -w32 program.bin

typedef unsigned u32;

struct node {
  struct node* next;
  u32 key;
};
struct data {
  u32 values[256], matrix[3][12][12];
  struct node nodes[128];
};

static u32 checksum(const u32* words, u32 count) {
  u32 crc = ~0u;
  for (u32 i = 0; i < count; ++i) {
    crc ^= words[i];
    for (u32 bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1u));
  }
  return ~crc;
}

static void sort(u32* v, u32 count) {  // Shell's
  for (u32 gap = count / 2; gap > 0; gap /= 2)
    for (u32 i = gap; i < count; ++i) {
      const u32 x = v[i];
      u32 k = i;
      for (; k >= gap && v[k - gap] > x; k -= gap) v[k] = v[k - gap];
      v[k] = x;
    }
}

static void multiply(struct data* d) {
  for (u32 i = 0; i < 12; ++i)
    for (u32 j = 0; j < 12; ++j) {
      u32 sum = 0;
      for (u32 k = 0; k < 12; ++k) sum += d->matrix[0][i][k] * d->matrix[1][k][j];
      d->matrix[2][i][j] = sum;
    }
}

static u32 walk(struct data* d, u32 seed) {
  for (u32 i = 0; i < 128; ++i) {
    d->nodes[i].next = i + 1 < 128 ? &d->nodes[i + 1] : 0;
    d->nodes[i].key = seed % (i + 3) + seed / (i + 1);
  }
  u32 best = ~0u;
  for (u32 round = 0; round < 8; ++round)
    for (struct node* n = d->nodes; n; n = n->next)
      if ((n->key ^ round) < best) best = n->key ^ round;
  return best;
}

__attribute__((noinline)) static u32 work(struct data* d, u32 seed) {
  for (u32 i = 0; i < 256; ++i) d->values[i] = seed = seed * 1664525u + 1013904223u;
  for (u32 i = 0; i < 12; ++i)
    for (u32 j = 0; j < 12; ++j) {
      d->matrix[0][i][j] = seed + i * j;
      d->matrix[1][i][j] = seed - i + j;
    }
  sort(d->values, 256);
  multiply(d);
  return checksum(d->values, 64) + checksum(d->matrix[2][0], 12) + walk(d, seed);
}

// Sleeps until the software interrupt, does the work ten times, and again.
__attribute__((naked, section(".text.unlikely"))) void _start(void) {
  __asm__("li sp, 0x80010000\n csrwi mie, 8\n j main");
}

int main(void) {
  struct data* d = (struct data*)0x80008000u;
  for (u32 seed = 1;;) {
    __asm__ volatile("wfi" ::: "memory");
    for (u32 i = 0; i < 10; ++i) seed = work(d, seed);
  }
}
