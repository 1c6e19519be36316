/* Programs with C++ in them: constructors come before main (build.sh links them with --wrap). */
extern void (*const __init_array_start[])(void), (*const __init_array_end[])(void);
int __real_main(void), __real_main_assisted(void);
int __wrap_main(void), __wrap_main_assisted(void);

static void construct(void) {
  for (void (*const *constructor)(void) = __init_array_start; constructor != __init_array_end; ++constructor)
    (*constructor)();
}

int __wrap_main(void) {
  construct();
  return __real_main();
}

int __wrap_main_assisted(void) {
  construct();
  return __real_main_assisted();
}
