# fence fence.tso fence.i, and code that changes itself
        .include "test.inc"

        .globl  program
program:
        fence
        fence   rw, w
        fence   i, o
        fence.tso
        .word   0x0ff08f8f                      # reserved fields of a fence are ignored
        .word   0x00008f8f | 1 << 12            # and of fence.i
        fence.i
        # Code is copied to data and run from there: li a0, 1; ret.
        la      s0, code
        li      a0, 0x00100513
        sw      a0, 0(s0)
        li      a0, 0x00008067
        sw      a0, 4(s0)
        fence.i
        jalr    s0
        expect  a0, 1
        # Changed, as a word, a halfword, a byte; and by an atomic operation.
        li      a1, 0x00200513
        sw      a1, 0(s0)
        fence.i
        jalr    s0
        expect  a0, 2
        li      a1, 0x0030
        sh      a1, 2(s0)
        fence.i
        jalr    s0
        expect  a0, 3
        li      a1, 0x40
        sb      a1, 2(s0)
        fence.i
        jalr    s0
        expect  a0, 4
        li      a1, 0x00100000
        amoadd.w zero, a1, (s0)
        fence.i
        jalr    s0
        expect  a0, 5
        # At an odd halfword, the second half in the next word.
        li      a1, 0x00010001                  # c.nop; c.nop
        sw      a1, 0(s0)
        li      a1, 0x0513
        sh      a1, 2(s0)
        li      a1, 0x0060
        sh      a1, 4(s0)
        li      a1, 0x8082                      # c.jr ra
        sh      a1, 6(s0)
        fence.i
        jalr    s0
        expect  a0, 6
        li      a1, 0x0070
        sh      a1, 4(s0)
        fence.i
        jalr    s0
        expect  a0, 7
        j       pass

        .data
        .balign 64
code:   .skip   64
