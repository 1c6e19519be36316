#!/usr/bin/env python3
"""tools/threaded-tests on a build of its own: what it finds among tests with and without threads.

usage: threaded_tests_test.py COMPILER
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static void* run(void* x) { return x; }
int main(int n, char** words) {
  const char* what = n > 1 ? words[1] : "";
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  if (strcmp(what, "child") == 0) return system(words[2]);
  if (strcmp(what, "watches") == 0) pthread_sigmask(SIG_SETMASK, &all, &before);
  if (strcmp(what, "none") != 0 && strcmp(what, "fails") != 0) pthread_create(&thread, 0, run, 0);
  if (strcmp(what, "watches") == 0) pthread_sigmask(SIG_SETMASK, &before, 0);
  return strcmp(what, "fails") == 0;
}
"""
TESTS = """
add_test(none {0} none)
add_test(threads {0} threads)
add_test(watches {0} watches)
add_test(fails {0} fails)
add_test(child {0} child "{0} threads")
add_test(environment {0} threads)
set_tests_properties(environment PROPERTIES ENVIRONMENT "A=b;C=d")
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.c").write_text(PROGRAM)
        subprocess.run([sys.argv[1], "-o", folder / "program", folder / "program.c", "-pthread"], check=True)
        for build, more in ("plain", ""), ("sanitized", f"add_test(new {folder}/program none)\n"):
            (folder / build).mkdir()
            (folder / build / "CTestTestfile.cmake").write_text(more + TESTS.format(folder / "program"))
        done = subprocess.run([ROOT / "tools/threaded-tests", folder / "plain", folder / "sanitized", folder / "out"],
                              text=True, stdout=subprocess.PIPE, check=True)
        wanted = "new\nthreads\nfails\nchild\nenvironment\n5 of 7 tests have threads\n"
        if done.stdout != wanted:
            sys.exit(f"it said\n{done.stdout}instead of\n{wanted}")
        listed = subprocess.run(["ctest", "--test-dir", folder / "sanitized", "-N", "-I", folder / "out"], text=True,
                                stdout=subprocess.PIPE, check=True).stdout
        names = [line.split(": ")[1] for line in listed.splitlines() if line.startswith("  Test")]
        if names != wanted.split()[:5]:
            sys.exit(f"ctest takes {names}")
    # ctest with a preset looks for it from the build's folder, and takes all tests if it is not there.
    made = subprocess.run(["make", "-n", "tsan", "TESTS=threaded"], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout
    path = re.search(r"^ctest --preset tsan .*-I (\S+)$", made, re.M)
    if path is None or not pathlib.Path(path[1]).is_absolute():
        sys.exit(f"make tsan TESTS=threaded gives ctest no absolute path:\n{made}")


main()
