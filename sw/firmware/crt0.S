# Start-up: stack, global pointer, thread pointer, trap vector, cleared bss, main. The loader has put code and data in
# place.

  .macro start_with function
  .cfi_startproc
  .cfi_undefined ra
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, __stack_top
  la tp, __tls_base
  la t0, __trap_stack_top
  csrw mscratch, t0
  la t0, trap_entry
  csrw mtvec, t0
  la t0, __bss_start  # both multiples of 32
  la t1, __bss_end
  j 2f
1:
  .irp at, 0, 4, 8, 12, 16, 20, 24, 28
  sw zero, \at(t0)
  .endr
  addi t0, t0, 32
2:
  bltu t0, t1, 1b
  call \function
  call _exit
  .cfi_endproc
  .endm

  .section .init, "ax"
  .global _start
  .type _start, @function
_start:
  start_with main
  .size _start, . - _start

# Where the core begins whose hardware starts packets by itself (command_processor.type: assisted).
  .section .start_assisted, "ax"
  .global _start_assisted
  .type _start_assisted, @function
_start_assisted:
  start_with main_assisted
  .size _start_assisted, . - _start_assisted

# Whatever traps ends here: interrupts are never enabled, and this firmware has no exception to recover from. The
# registers go to a stack of their own, since a full stack is one of the reasons to be here.
  .section .text.trap_entry, "ax"
  .global trap_entry
  .type trap_entry, @function
  .balign 4
trap_entry:
  csrrw sp, mscratch, sp
  addi sp, sp, -128
  sw x1, 4(sp)
  .irp n, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  sw x\n, 4*\n(sp)
  .endr
  csrr t0, mscratch
  sw t0, 8(sp)
  mv a0, sp
  call trap_report
  .size trap_entry, . - trap_entry

# Deep enough for the report alone.
  .section .trap_stack, "aw", @nobits
  .balign 16
  .space 512
__trap_stack_top:
