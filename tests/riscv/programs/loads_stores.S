# lb lh lw lbu lhu sb sh sw
        .include "test.inc"

        .macro  ld_ op, offset, value
        la      a0, data
        \op     a1, \offset(a0)
        expect  a1, \value
        la      a0, data + 2047
        \op     a0, (\offset - 2047)(a0)
        expect  a0, \value
        la      a0, data - 2040
        \op     zero, (\offset + 2040)(a0)
        expect  zero, 0
        .endm

        .globl  program
program:
        ld_     lb, 0, 0x00000001
        ld_     lb, 1, 0xffffff80
        ld_     lb, 2, 0xffffffff
        ld_     lb, 3, 0x0000007f
        ld_     lbu, 0, 0x00000001
        ld_     lbu, 1, 0x00000080
        ld_     lbu, 2, 0x000000ff
        ld_     lbu, 3, 0x0000007f
        ld_     lh, 0, 0xffff8001
        ld_     lh, 2, 0x00007fff
        ld_     lhu, 0, 0x00008001
        ld_     lhu, 2, 0x00007fff
        ld_     lw, 0, 0x7fff8001
        ld_     lw, 4, 0xdeadbeef

        # A store changes its bytes and no others.
        la      a0, scratch
        li      a1, 0x11223344
        li      a2, 0xffffffff
        .irp    offset, 0, 1, 2, 3
        sw      a1, 0(a0)
        sb      a2, \offset(a0)
        lw      a3, 0(a0)
        expect  a3, 0x11223344 | 0xff << (8 * \offset)
        .endr
        .irp    offset, 0, 2
        sw      a1, 0(a0)
        sh      a2, \offset(a0)
        lw      a3, 0(a0)
        expect  a3, 0x11223344 | 0xffff << (8 * \offset)
        .endr
        sw      a1, -4(a0)
        sw      a2, 0(a0)
        lw      a3, -4(a0)
        expect  a3, 0x11223344
        lw      a3, 0(a0)
        expect  a3, 0xffffffff
        lw      a3, 4(a0)
        expect  a3, 0
        sw      zero, 0(a0)
        lw      a3, 0(a0)
        expect  a3, 0
        # What is stored is stored, also the base register.
        sw      a0, 0(a0)
        lw      a3, 0(a0)
        expect_address a3, scratch
        # To and fro over a whole range.
        la      a0, area
        li      a1, 64
        li      a2, 0x01010101
1:      sw      a2, 0(a0)
        addi    a2, a2, 0x101
        addi    a0, a0, 4
        addi    a1, a1, -1
        bnez    a1, 1b
        la      a0, area + 63 * 4
        lw      a3, 0(a0)
        expect  a3, 0x01010101 + 63 * 0x101
        la      a0, area
        lw      a3, 0(a0)
        expect  a3, 0x01010101
        j       pass

        .data
        .balign 4
        .word   0
data:   .word   0x7fff8001, 0xdeadbeef
        .word   0
scratch: .word  0, 0
area:   .skip   256
