# Everything a newcomer types. `make help` lists it. The build itself is CMake's (CMakePresets.json).
JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help packages test-packages clang-packages build install deb debug check-debug demo test check style cycles asan tsan sanitize fuzz fuzz-ptx firmware riscv-tests qemu-test bench bench-store paired profile performance clean

help:
	@echo "make demo    compare warp schedulers on real kernels (configs/experiments/qaws_quick.yaml)"
	@echo "make test    build and run all tests"
	@echo "make check   layout, clang-tidy and unit tests of what differs from main, or from BASE=COMMIT"
	@echo "make style   the same without tests"
	@echo "make cycles  store simulated cycles anew and print which a change moves, as a table for its commit"
	@echo "make build   build/release/warpvp, without tests"
	@echo "make install PREFIX=DIR: the program, its data, and what plugins and embedding programs are built against"
	@echo "make deb     a Debian package in build/package"
	@echo "make debug   build/debug/warpvp, without optimisation"
	@echo "make check-debug: release and debug build must simulate the same, digit for digit"
	@echo "make asan    all tests with address and undefined-behaviour checks"
	@echo "make tsan    all tests with thread checks (hours), or with TESTS=threaded those that have threads"
	@echo "make sanitize: PTX and base with address checks, what has threads with thread checks"
	@echo "make fuzz    feed the readers of foreign bytes with mutated input, FUZZ_SECONDS (10) each, and run random programs"
	@echo "make fuzz-ptx: compare PROGRAMS (5000) random PTX programs with a scalar interpreter, from SEED on (the time)"
	@echo "make firmware: rebuild the command processor's firmware (sw/firmware/prebuilt) from its sources"
	@echo "make riscv-tests RISCV_TESTS=DIR: run the official instruction set tests found in DIR"
	@echo "make qemu-test: boot QEMU (10.1 or later; QEMU_ROOT=DIR for that of another Debian release) with the device, a driver and programs"
	@echo "make bench   simulation speed, beside the anchors and what is stored (bench/history.tsv), and micro benchmarks"
	@echo "make paired BASE=COMMIT: this tree's speed over that commit's (main), timed in turn, ROUNDS (5) times"
	@echo "make bench-store: add this commit to bench/history.tsv"
	@echo "make performance: measure docs/performance.md anew (ten minutes of a quiet machine)"
	@echo "make profile where host time goes, part by part, for each warp instruction and transaction"
	@echo "make clean   remove build/; results in runs/ stay"
	@echo "Packages that are missing are installed first (packages.txt); JOBS=N limits parallel work."

packages:
	@tools/install-packages build

clang-packages:
	@tools/install-packages build clang

test-packages:
	@tools/install-packages build package firmware browser slurm python style

# CMake runs once a preset; later changes to CMake files are noticed by the build itself.
build/%/build.ninja: | packages
	cmake --preset $*

build/tsan/build.ninja: | clang-packages

# What runs need, and no test.
build: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target program

PREFIX ?= /usr/local
install: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target installation
	cmake --install build/release --prefix "$(PREFIX)"

deb: build/release/build.ninja
	@tools/install-packages package
	cmake --build --preset release -j $(JOBS) --target installation
	cpack --config build/release/CPackConfig.cmake -G DEB -B build/package

debug: build/debug/build.ninja
	cmake --build --preset debug -j $(JOBS)

check-debug: build debug
	tools/compare-results build/release/warpvp build/debug/warpvp

demo: build
	build/release/warpvp run configs/experiments/qaws_quick.yaml --jobs $(JOBS)

# Configured anew, so that compilers which have come since the first time are found. Some tests wait, so one more runs.
test: test-packages
	cmake --preset release
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $$(($(JOBS) + 1))

BASE ?=
CHECK = tools/check $(if $(BASE),--base $(BASE))
check style: build/release/build.ninja
	@tools/install-packages style
	@cmake --build --preset release --target warpvp_abi_version
	$(CHECK) $(if $(filter style,$@),--style-only)

cycles: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target program platform_tests
	tools/cycles

asan: test-packages build/asan/build.ninja
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)

# Where threads do not run at once there is no race to find, and all tests take two hours of two processors: TESTS=threaded takes
# those that have threads, as they say themselves in the ordinary build.
TESTS ?= all
THREADED = $(CURDIR)/build/tsan/threaded_tests.txt
tsan: test-packages build/tsan/build.ninja $(if $(filter threaded,$(TESTS)),build/release/build.ninja)
	cmake --build --preset tsan -j $(JOBS)
ifeq ($(TESTS),threaded)
	cmake --build --preset release -j $(JOBS)
	tools/threaded-tests -j $(JOBS) build/release build/tsan $(THREADED)
endif
	ctest --preset tsan -j $(JOBS) $(if $(filter threaded,$(TESTS)),-I $(THREADED))

# A part of both. Tests that are not built have no label, but those that need the program itself have.
NOT_BUILT = '^Fuzz'
sanitize: test-packages build/asan/build.ninja build/tsan/build.ninja
	cmake --build --preset asan -j $(JOBS) --target base_test ptx_front_test ptx_exec_test
	ctest --preset asan -j $(JOBS) -L unit -E $(NOT_BUILT)
	cmake --build --preset tsan -j $(JOBS) --target gdb_unit_tests interconnect_unit_tests
	ctest --preset tsan -j $(JOBS) -L unit -E $(NOT_BUILT)

FUZZ_SECONDS ?= 10
fuzz: clang-packages
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS) --target fuzzers
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target ptx_preemption_fuzz program
	tests/fuzz/run build/fuzz $(FUZZ_SECONDS) build/release

SEED ?= $(shell date +%s)
PROGRAMS ?= 5000
fuzz-ptx: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target ptx_fuzz
	build/release/tests/ptx_reference/ptx_fuzz $(SEED) $(PROGRAMS)

firmware:
	@tools/install-packages firmware
	sw/firmware/build.sh

RISCV_TESTS ?=
riscv-tests: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target riscv_test_runner
	tests/riscv/run_official build/release "$(RISCV_TESTS)"

# A root folder of a Debian release with QEMU 10.1 or later, made by debootstrap; empty: the QEMU that is installed.
QEMU_ROOT ?=
qemu-test: build/release/build.ninja
	@tools/install-packages build driver
	cmake --build --preset release -j $(JOBS) --target program qemu_guest_programs
	tests/qemu/run.py build/release build/qemu "$(QEMU_ROOT)"

bench: build
	cmake --build --preset release -j $(JOBS) --target bench_all
	bench/anchors.py build/release/warpvp
	@echo; bench/policy_cost.py build/release/warpvp
	@echo; bench/serve.py build/release/warpvp
	@tools/install-packages bench
	@echo; bench/history.py build/release/warpvp || true
	@for program in build/release/bench/*_bench; do echo; echo "== $$program"; $$program || exit 1; done

bench-store: build
	@tools/install-packages bench
	bench/history.py build/release/warpvp --store

# The program of another commit is built below build/base, from a worktree of its own.
BASE_COMMIT = $(shell git rev-parse --short=12 $(or $(BASE),main))
paired: build
	@test -d build/base/$(BASE_COMMIT) || git worktree add --detach build/base/$(BASE_COMMIT) $(BASE_COMMIT)
	cd build/base/$(BASE_COMMIT) && cmake --preset release > /dev/null && cmake --build --preset release -j $(JOBS) --target program
	bench/paired.py build/base/$(BASE_COMMIT)/build/release/warpvp build/release/warpvp $(ROUNDS)

profile: build
	bench/profile.py build/release/warpvp

performance: build
	bench/performance.py build/release/warpvp > build/performance.md
	mv build/performance.md docs/performance.md

clean:
	rm -rf build
	@git worktree prune 2>/dev/null || true
