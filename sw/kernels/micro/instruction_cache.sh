#!/bin/sh
# Prints instruction_cache.ptx: straight code of 80 stretches of 128 independent additions (2 KiB each where an instruction is
# 16 bytes, as on Volta and later), of which a round runs the last `stride` ones. The parameters are those of micro.h.
cat <<'PTX'
// Written by instruction_cache.sh: how long an instruction takes when the code is larger than the instruction caches.

.version 7.5
.target sm_70
.address_size 64

.visible .entry instruction_cache(
	.param .u32 rounds,
	.param .u32 stride,
	.param .u64 memory,
	.param .u64 times,
	.param .u64 sink
)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<10>;
	.reg .b64 	%rd<10>;
	.reg .f32 	a, b, c, d, e, f, g, h, z;
PTX
awk 'BEGIN {
  printf "stretches: .branchtargets S0"
  for (i = 1; i < 80; ++i) printf ", S%d", i
  print ";"
  print "\tld.param.u32 %r1, [rounds];\n\tld.param.u32 %r2, [stride];\n\tsub.u32 %r2, 80, %r2;"
  print "\tcvt.rn.f32.u32 z, %r1;"
  split("a b c d e f g h", names, " ")
  for (i = 1; i <= 8; ++i) printf "\tmov.f32 %s, z;\n", names[i]
  print "\tmov.u32 %r3, %ctaid.x;\n\tmov.u32 %r4, %ntid.x;\n\tmov.u32 %r5, %tid.x;\n\tmad.lo.u32 %r6, %r3, %r4, %r5;"
  print "\tmov.u32 %r9, %r1;\n\tmov.u32 %r1, 1;"  # the first pass is one round, to fill the caches
  print "PASS:\n\tbar.sync 0;\n\tmov.u64 %rd1, %clock64;"
  print "ROUND:\n\tbrx.idx %r2, stretches;"
  for (s = 0; s < 80; ++s) {
    printf "S%d:\n", s
    for (i = 0; i < 128; ++i) printf "add.f32 %s,%s,z;\n", names[i % 8 + 1], names[i % 8 + 1]
  }
  print "\tsub.u32 %r1, %r1, 1;\n\tsetp.ne.u32 %p1, %r1, 0;\n\t@%p1 bra ROUND;"
  print "\tmov.u64 %rd2, %clock64;"
  print "\tmov.u32 %r1, %r9;\n\tmov.u32 %r9, 0;\n\tsetp.ne.u32 %p1, %r1, 0;\n\t@%p1 bra PASS;"
  for (i = 2; i <= 8; ++i) printf "\tadd.f32 a, a, %s;\n", names[i]
}'
cat <<'PTX'
	ld.param.u64 %rd3, [sink];
	cvta.to.global.u64 %rd3, %rd3;
	mul.wide.u32 %rd4, %r6, 4;
	add.s64 %rd3, %rd3, %rd4;
	st.global.f32 [%rd3], a;
	and.b32 %r7, %r5, 31;
	setp.ne.u32 %p2, %r7, 0;
	@%p2 bra DONE;
	shr.u32 %r8, %r6, 5;
	ld.param.u64 %rd5, [times];
	cvta.to.global.u64 %rd5, %rd5;
	mul.wide.u32 %rd6, %r8, 16;
	add.s64 %rd5, %rd5, %rd6;
	st.global.u64 [%rd5], %rd1;
	st.global.u64 [%rd5+8], %rd2;
DONE:
	ret;
}
PTX
