# Programs for the command processor's core that go wrong, one entry each; the linker's --entry picks one. There is
# no run time around them: what they rely on they set up.
  .text

# ---- Traps without a handler: mtvec has never been written.
  .globl illegal_instruction
  .type illegal_instruction, @function
illegal_instruction:
  li a0, 1
  .word 0xffffffff
  .size illegal_instruction, . - illegal_instruction

  .globl null_load
  .type null_load, @function
null_load:
  lw a0, 16(zero)
  .size null_load, . - null_load

  .globl wild_store
  .type wild_store, @function
wild_store:
  li t0, 0x90000000
  sw zero, 0(t0)
  .size wild_store, . - wild_store

  .globl jump_to_null
  .type jump_to_null, @function
jump_to_null:
  jr zero
  .size jump_to_null, . - jump_to_null

  .globl misaligned_load
  .type misaligned_load, @function
misaligned_load:
  la t0, word
  lw a0, 2(t0)
  .size misaligned_load, . - misaligned_load

# The scheduler port's bitmap of ready queues is read only.
  .globl store_to_read_only_register
  .type store_to_read_only_register, @function
store_to_read_only_register:
  li t0, 0x00110000
  lw a0, 0(t0)
  sw zero, 0(t0)
  .size store_to_read_only_register, . - store_to_read_only_register

# ---- A handler that fails itself.
  .globl double_fault
  .type double_fault, @function
double_fault:
  la t0, faulty_handler
  csrw mtvec, t0
  ecall
  .size double_fault, . - double_fault
  .balign 4
  .type faulty_handler, @function
faulty_handler:
  lw a0, 0(zero)
  .size faulty_handler, . - faulty_handler

# ---- Firmware that does not do its work.
  .globl sleep_without_interrupt
  .type sleep_without_interrupt, @function
sleep_without_interrupt:
  csrw mie, zero
1:
  wfi
  j 1b
  .size sleep_without_interrupt, . - sleep_without_interrupt

  .globl spin
  .type spin, @function
spin:
  j spin
  .size spin, . - spin

# Writes to a register that does something, again and again, with another value each time.
  .globl store_for_ever
  .type store_for_ever, @function
store_for_ever:
  li t0, 0x00110070
1:
  sw a0, 0(t0)
  addi a0, a0, 1
  j 1b
  .size store_for_ever, . - store_for_ever

# Reading a register again and again is no progress either.
  .globl poll_for_ever
  .type poll_for_ever, @function
poll_for_ever:
  li t0, 0x00141000
1:
  lw a0, 0(t0)
  j 1b
  .size poll_for_ever, . - poll_for_ever

# Sleeps with its interrupts enabled, wakes, and never takes a packet.
  .globl ignore_everything
  .type ignore_everything, @function
ignore_everything:
  li t0, 0x00142000
  li t1, 15
  sw t1, 4(t0)
  li t2, 0x888
  csrw mie, t2
1:
  wfi
  sw t1, 0(t0)
  j 1b
  .size ignore_everything, . - ignore_everything

# The same, but the interrupt that woke it stays pending: it sleeps no more.
  .globl wake_without_clearing
  .type wake_without_clearing, @function
wake_without_clearing:
  li t0, 0x00142000
  li t1, 15
  sw t1, 4(t0)
  li t2, 0x888
  csrw mie, t2
1:
  wfi
  sw zero, 0(t0)
  j 1b
  .size wake_without_clearing, . - wake_without_clearing

  .globl give_up
  .type give_up, @function
give_up:
  li t0, 0x00145000
  li t1, 42
  sw t1, 0x14(t0)
1:
  j 1b
  .size give_up, . - give_up

  .data
  .balign 4
word:
  .word 1, 2
