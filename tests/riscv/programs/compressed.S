# Every instruction of extension C, by its own name; and instructions of 2 and 4 bytes mixed.
        .include "test.inc"
        .option rvc

        .globl  program
program:
        # c.li c.lui c.addi c.addi16sp c.addi4spn c.nop c.mv c.add
        .irp    v, -32, -1, 0, 1, 31
        c.li    a0, \v
        expect  a0, \v
        li      a1, 1000
        .if     \v != 0
        c.addi  a1, \v
        expect  a1, 1000 + \v
        .endif
        .endr
        .irp    v, 1, 31, 0xfffe0, 0xfffff
        c.lui   a0, \v
        expect  a0, \v << 12
        .endr
        mv      s0, sp
        li      sp, 0x10000
        .irp    v, -512, -16, 16, 496
        c.addi16sp sp, \v
        .endr
        expect  sp, 0x10000 - 16
        .irp    v, 4, 8, 16, 64, 1020
        c.addi4spn a5, sp, \v
        expect  a5, 0x10000 - 16 + \v
        .endr
        mv      sp, s0
        c.nop
        li      a0, 77
        c.mv    s5, a0
        expect  s5, 77
        c.add   s5, a0
        expect  s5, 154

        # c.slli c.srli c.srai c.andi c.and c.or c.xor c.sub
        .irp    v, 1, 4, 31
        li      s1, 0x87654321
        c.slli  s1, \v
        expect  s1, 0x87654321 << \v
        li      s1, 0x87654321
        c.srli  s1, \v
        expect  s1, 0x87654321 >> \v
        li      s1, 0x87654321
        c.srai  s1, \v
        expect  s1, 0xffffffff87654321 >> \v
        .endr
        .irp    v, -32, -1, 0, 21, 31
        li      a5, 0x87654321
        c.andi  a5, \v
        expect  a5, 0x87654321 & \v
        .endr
        li      a4, 0x0ff00ff0
        li      a5, 0x87654321
        c.and   a5, a4
        expect  a5, 0x87654321 & 0x0ff00ff0
        li      a5, 0x87654321
        c.or    a5, a4
        expect  a5, 0x87654321 | 0x0ff00ff0
        li      a5, 0x87654321
        c.xor   a5, a4
        expect  a5, 0x87654321 ^ 0x0ff00ff0
        li      a5, 0x87654321
        c.sub   a5, a4
        expect  a5, 0x87654321 - 0x0ff00ff0

        # c.lw c.sw c.lwsp c.swsp over their whole reach
        la      a0, area
        .irp    v, 0, 4, 8, 64, 124
        li      a1, 0x5a000000 + \v
        c.sw    a1, \v(a0)
        lw      a2, \v(a0)
        expect  a2, 0x5a000000 + \v
        c.lw    s0, \v(a0)
        expect  s0, 0x5a000000 + \v
        .endr
        mv      s0, sp
        la      sp, area
        .irp    v, 0, 4, 32, 128, 252
        li      t1, 0x3c000000 + \v
        c.swsp  t1, \v(sp)
        lw      t2, \v(sp)
        expect  t2, 0x3c000000 + \v
        c.lwsp  t3, \v(sp)
        expect  t3, 0x3c000000 + \v
        .endr
        mv      sp, s0

        # c.j c.jal c.jr c.jalr c.beqz c.bnez: 2 bytes long, which shows in the return address
        c.j     1f
        j       fail
2:      j       3f
1:      c.j     2b
3:      c.jal   4f
5:      j       fail
4:      expect_address ra, 5b
        la      a0, 6f
        c.jr    a0
        j       fail
6:      la      a0, 7f
        c.jalr  a0
8:      j       fail
7:      expect_address ra, 8b
        li      a0, 0
        li      a1, 1
        c.bnez  a0, 9f
        c.beqz  a1, 9f
        c.beqz  a0, 10f
9:      j       fail
11:     c.bnez  a1, 12f
        j       fail
10:     c.beqz  a0, 11b
        j       fail
12:
        # Hints are instructions that do nothing.
        li      a0, 5
        .half   0x0001 | 3 << 2                 # c.nop 3
        .half   0x0501                          # c.addi a0, 0
        .half   0x4001 | 3 << 2                 # c.li zero, 3
        .half   0x6001 | 3 << 2                 # c.lui zero, 3
        .half   0x0002 | 3 << 2                 # c.slli zero, 3
        .half   0x8002 | 10 << 2                # c.mv zero, a0
        .half   0x9002 | 10 << 2                # c.add zero, a0
        .half   0x8101                          # c.srli a0, 0
        .half   0x8501                          # c.srai a0, 0
        .half   0x0502                          # c.slli a0, 0
        expect  a0, 5

        # What extension C reserves on a 32-bit machine is illegal. mtval gets the 16 bits.
        .macro  illegal bits
        .balign 4
        li      s1, \bits
        traps   2, s1, .half \bits
        .endm
        illegal 0x0000                          # all zero
        illegal 0x0008                          # c.addi4spn a0, sp, 0
        illegal 0x2000                          # c.fld
        illegal 0x6000                          # c.flw
        illegal 0x8000                          # reserved
        illegal 0xa000                          # c.fsd
        illegal 0xe000                          # c.fsw
        illegal 0x6101                          # c.addi16sp sp, 0
        illegal 0x6281                          # c.lui t0, 0
        illegal 0x9005                          # c.srli with a shift of 33
        illegal 0x9405                          # c.srai with a shift of 33
        illegal 0x9c01                          # c.subw
        illegal 0x9c21                          # c.addw
        illegal 0x9c41                          # reserved
        illegal 0x1286                          # c.slli with a shift of 33
        illegal 0x4002                          # c.lwsp into x0
        illegal 0x8002                          # c.jr through x0
        illegal 0x2002                          # c.fldsp
        illegal 0x6002                          # c.flwsp
        illegal 0xa002                          # c.fsdsp
        illegal 0xe002                          # c.fswsp

        # An instruction of 4 bytes at an odd halfword, also over the edge of what is decoded at once.
        j       1f
        .balign 64
        .skip   60
1:      c.nop
        .option push
        .option norvc
        addi    a0, zero, 1365
        .option pop
        expect  a0, 1365
        j       pass

        .data
        .balign 16
area:   .skip   256
