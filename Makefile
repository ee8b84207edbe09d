# nqueensd: make, make run, make test, make bench, make install, make deb. V=1 shows the commands; SAN=address|thread|undefined builds
# with that sanitizer (address includes undefined) in a folder of its own; `make help` lists the targets.

SAN     ?=
OPT     ?= -O3
PREFIX  ?= /usr/local
DESTDIR ?=
Q       := $(if $(V),,@)
BUILD   := build$(if $(SAN),-$(SAN))
LISTEN  ?= 127.0.0.1:8080
ifeq ($(origin CC),default)
CC      := gcc
endif
# As many jobs as there are processors, unless the command line or the make that called this one says how many.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

# Folders of the library (no HTTP, no threads of its own), then what makes it a service. Tests and fuzzers link everything but main.
LIBRARY := base board steps formats kernels stores solvers constructions count
SERVICE := engine http bench
lib_src := $(wildcard $(LIBRARY:%=src/%/*.c))
svc_src := $(wildcard $(SERVICE:%=src/%/*.c)) src/config.c src/healthcheck.c src/newkey.c src/signals.c src/work.c
test_src := $(wildcard tests/unit/test_*.c)
test_aid := $(filter-out $(test_src),$(wildcard tests/unit/*.c))
fuzz_src := $(wildcard tests/fuzz/fuzz_*.c)
fuzz_aid := $(filter-out $(fuzz_src) tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))
fault_src := $(wildcard tests/faults/*.c)

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
lib_obj := $(call objects,$(lib_src))
svc_obj := $(call objects,$(svc_src))
tests   := $(test_src:tests/unit/%.c=$(BUILD)/tests/%)
replays := $(fuzz_src:tests/fuzz/%.c=$(BUILD)/tests/%)
fuzzers := $(fuzz_src:tests/fuzz/%.c=$(BUILD)/fuzz/%)

modules  := libmicrohttpd jansson sqlite3 libpng nettle libnats
# Read only when something is compiled: the packages may have been installed a moment ago.
cflags    = $(shell pkg-config --cflags $(modules))
libs      = $(shell pkg-config --libs $(modules)) -pthread -lm
sanitize_address   := -fsanitize=address,undefined -fno-sanitize-recover=all
sanitize_undefined := -fsanitize=undefined -fno-sanitize-recover=all
sanitize_thread    := -fsanitize=thread
# for libFuzzer, with CC=clang: see tests/run-long.sh
sanitize_fuzz      := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
sanitize := $(sanitize_$(SAN))
DEBUG    := -g
ifneq ($(SAN),)
OPT      := -O1
DEBUG    := -g1 # lines for what a sanitizer tells; all of it takes a third longer to build
LDFLAGS  += -fuse-ld=gold # of binutils, too, and five times as fast
else
# What strangers reach is hardened; the sanitizers see more than this does.
harden   := -fstack-protector-strong $(if $(filter -O0,$(OPT)),,-D_FORTIFY_SOURCE=2)
endif
# Tests are run once: -O3 would take twice as long to compile.
$(BUILD)/tests/%.o: OPT := -O1
# Nothing of a stranger's comes to the kernels, and their recursion would pay 4 % for it.
$(BUILD)/src/kernels/%.o: harden :=
# What goes wrong with a pointer the address sanitizer sees; to check it twice, and everything in line, would take as long to compile
# as half of all the rest. The fuzzers are built with all of it. The counting kernels see nothing but what the caller has for itself;
# for CI's two sanitizers they are left as they are, several times as fast.
ifeq ($(SAN),address)
$(BUILD)/src/kernels/%.o: sanitize += -fno-sanitize=undefined --param asan-instrumentation-with-call-threshold=0
endif
ifneq ($(filter address thread,$(SAN)),)
$(BUILD)/src/kernels/kernel_%.o: sanitize :=
endif
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE
# -ffp-contract=off: what an estimate says is the same to the last bit everywhere.
CFLAGS   += -std=gnu11 $(OPT) $(DEBUG) -fno-omit-frame-pointer -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wvla -ffp-contract=off -pthread $(harden) $(sanitize)
LDFLAGS  += -Wl,-z,relro,-z,now $(sanitize)

# Flags for one file, by its path. kernels/kernels.c picks a kernel at run time; no other file may use such instructions.
ifeq ($(shell uname -m),x86_64)
flags_src/kernels/kernel_avx2.c   := -mavx2 -mbmi2 -mpopcnt
flags_src/kernels/kernel_avx512.c := -mavx512f -mpopcnt
flags_src/kernels/kernel_avx512w.c := -mavx512f -mavx512bw -mavx512vbmi2 -mpopcnt
flags_src/kernels/find_avx2.c     := -mavx2 -mbmi2 -mpopcnt
flags_src/kernels/find_avx512.c   := -mavx512f -mavx512cd -mpopcnt
flags_src/kernels/join_avx2.c     := -mavx2 -mbmi2 -mpopcnt
flags_src/kernels/join_avx512.c   := -mavx512f -mavx512bw -mbmi2 -mpopcnt
flags_src/kernels/join_avx512w.c := -mavx512f -mavx512bw -mavx512vbmi -mavx512vpopcntdq -mgfni -mbmi2 -mpopcnt
endif

.PHONY: all run test test-long bench screenshots install deb clean help format packages-build packages-test packages-long unit fuzz-replay fuzzers faults
all: $(BUILD)/nqueensd $(BUILD)/libnqueens.a $(BUILD)/nqueensd.1 ## build the server

run: all ## build and serve on LISTEN
	$(Q)exec $(BUILD)/nqueensd serve --listen $(LISTEN)

test: packages-test ## every test CI runs
	$(Q)tests/run.sh

test-long: packages-long ## what takes longer: fuzzing, soak
	$(Q)tests/run-long.sh

bench: all ## the yardsticks, as ratios within one run
	$(Q)$(BUILD)/nqueensd bench

screenshots: all packages-test ## the pictures of the explorer that the README shows
	$(Q)cd tests && { [ -d node_modules ] || npm ci --silent; } && node web/screenshots.js

install: all ## into DESTDIR/PREFIX
	install -Dm755 $(BUILD)/nqueensd $(DESTDIR)$(PREFIX)/bin/nqueensd
	install -Dm644 $(BUILD)/libnqueens.a $(DESTDIR)$(PREFIX)/lib/libnqueens.a
	install -Dm644 include/nqueens.h $(DESTDIR)$(PREFIX)/include/nqueens.h
	install -Dm644 openapi.yaml $(DESTDIR)$(PREFIX)/share/nqueensd/openapi.yaml
	install -Dm644 $(BUILD)/nqueensd.1 $(DESTDIR)$(PREFIX)/share/man/man1/nqueensd.1
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/bin/|$(PREFIX)/bin/|' docker/nqueensd.service >$(DESTDIR)$(PREFIX)/lib/systemd/system/nqueensd.service
	install -m644 docker/nqueensd.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/nqueensd.socket

deb: all ## a Debian package, in build/deb
	$(Q)rm -rf $(BUILD)/deb && $(MAKE) --no-print-directory install DESTDIR=$(BUILD)/deb/root PREFIX=/usr >/dev/null
	$(Q)docker/deb.sh $(BUILD)/deb

clean: ## remove what was built
	rm -rf build build-address build-thread build-undefined build-fuzz build-container

format: ## lay out the sources
	$(Q)clang-format -i $(shell git ls-files '*.c' '*.h')

help:
	$(Q)sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

packages-build packages-test packages-long: packages-%:
	$(Q)docker/install.sh $*
packages-test: packages-build # one after the other: there is one package manager
packages-long: packages-test

$(BUILD)/nqueensd: $(call objects,src/main.c) $(BUILD)/service.a $(BUILD)/libnqueens.a
	@echo "  LD    $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs)

$(BUILD)/nqueensd.1: $(BUILD)/nqueensd docker/nqueensd.1.in docker/man.sh
	@echo "  MAN   $@"
	$(Q)docker/man.sh $< >$@.part && mv $@.part $@

$(BUILD)/libnqueens.a: $(lib_obj)
$(BUILD)/service.a: $(svc_obj)
$(BUILD)/aid.a: $(call objects,$(test_aid))
%.a:
	@echo "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/%.o: %.c Makefile | packages-build
	@echo "  CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(cflags) $(CFLAGS) $(flags_$<) -MMD -MP -c -o $@ $<

$(call objects,src/http/route_openapi.c): openapi.yaml
$(call objects,src/http/route_web.c): $(wildcard src/web/*)

# Unit tests, and the fuzz targets with a main that replays their corpus.
unit: $(tests)
fuzz-replay: $(replays)
fuzzers: $(fuzzers)
$(tests): $(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(BUILD)/aid.a $(BUILD)/service.a $(BUILD)/libnqueens.a
	@echo "  LD    $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs) $(shell pkg-config --libs cmocka)
$(replays): $(BUILD)/tests/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/replay.o $(call objects,$(fuzz_aid)) $(BUILD)/service.a $(BUILD)/libnqueens.a
	@echo "  LD    $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs)
$(fuzzers): $(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(call objects,$(fuzz_aid)) $(BUILD)/service.a $(BUILD)/libnqueens.a
	@echo "  LD    $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(libs)

# Libraries that make the system fail under a server: tests/faults loads them before all others.
faults: $(fault_src:tests/faults/%.c=$(BUILD)/faults/%.so)
$(BUILD)/faults/%.so: tests/faults/%.c Makefile | packages-build
	@echo "  CC    $@"
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE $(filter-out $(sanitize),$(CFLAGS)) -U_FORTIFY_SOURCE -fPIC -shared -o $@ $<

.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
