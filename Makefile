# nqueensd: make, make run, make test, make bench, make install, make deb. V=1 shows the commands; SAN=address|thread|undefined builds
# with that sanitizer (address includes undefined) in a folder of its own; DEBUG=1 builds for a debugger, DEBUG_LOCKS=1 checks the order
# of locks, as sanitizers do; STRICT=1, as in the tests, makes warnings errors; `make help` lists the targets.

SAN     ?=
STRICT  ?=
OPT     ?= $(if $(DEBUG),-O0,-O3)
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
Q       := $(if $(V),,@)
BUILD   := build$(if $(SAN),-$(SAN),$(if $(DEBUG_LOCKS),-locks,$(if $(DEBUG),-debug)))
DEB     ?= $(BUILD)/deb
LISTEN  ?= 127.0.0.1:8080
# ccache, where it is there, compiles nothing twice.
ifeq ($(origin CC),default)
CC      := $(if $(shell command -v ccache),ccache )gcc
endif
# As many jobs as there are processors, unless the command line or the make that called this one says how many.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

# Folders without HTTP, then what makes them a service. Tests and fuzzers link everything but main. What nqueens.h declares, and what
# that needs, is the library libnqueens.
LIBRARY := base rules board steps formats kernels stores shapes solvers constructions count puzzles statistics sequences library
SERVICE := engine http bench commands
lib_src := $(shell find $(LIBRARY:%=src/%) -name '*.c')
svc_src := $(shell find $(SERVICE:%=src/%) -name '*.c')
# A room's tests are one program. Under the thread sanitizer they are those of threads.
test_src := $(sort $(shell find tests/unit -name 'test_*.c' $(if $(filter thread,$(SAN)),-exec grep -q '^/. CI builds:.* thread ' {} \; -print)))
test_aid := $(wildcard tests/unit/support/*.c)
fuzz_src := $(wildcard tests/fuzz/fuzz_*.c)
fuzz_aid := $(filter-out $(fuzz_src) tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))
fault_src := $(wildcard tests/faults/*.c)
sim_src := $(wildcard tests/sim/*.c)

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
lib_obj := $(call objects,$(lib_src))
svc_obj := $(call objects,$(svc_src))
rooms   := $(sort $(foreach file,$(test_src),$(word 3,$(subst /, ,$(file)))))
tests   := $(rooms:%=$(BUILD)/tests/%)
replays := $(fuzz_src:tests/fuzz/%.c=$(BUILD)/tests/%)
fuzzers := $(fuzz_src:tests/fuzz/%.c=$(BUILD)/fuzz/%)

# What is dated, the manual and the package, has the date of the commit, so that it is the same whenever it is built.
ifndef SOURCE_DATE_EPOCH
epoch    := $(shell git log -1 --format=%ct 2>/dev/null)
ifneq ($(epoch),)
export SOURCE_DATE_EPOCH := $(epoch)
endif
endif

modules  := libmicrohttpd jansson sqlite3 libpng zlib nettle libnats
# Read only when something is compiled: what needs no compiler needs no pkg-config either.
# ISA-L compresses; where it is not there, zlib does.
isal      = $(shell pkg-config --exists libisal && echo libisal)
cflags    = $(shell pkg-config --cflags $(modules) $(isal)) $(if $(isal),-DHAVE_ISAL)
libs      = $(shell pkg-config --libs $(modules) $(isal)) -pthread -lm
sanitize_address   := -fsanitize=address,undefined -fno-sanitize-recover=all
sanitize_undefined := -fsanitize=undefined -fno-sanitize-recover=all
sanitize_thread    := -fsanitize=thread
# for libFuzzer, with CC=clang: see tests/run-long.sh
sanitize_fuzz      := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
sanitize := $(sanitize_$(SAN))
SYMBOLS  := -g
ifneq ($(SAN),)
OPT      := -O1
SYMBOLS  := -g1 # lines for what a sanitizer tells; all of it takes a third longer to build
LDFLAGS  += -fuse-ld=gold # of binutils, too, and five times as fast
else
# What strangers reach is hardened; the sanitizers see more than this does.
harden   := -fstack-protector-strong $(if $(filter -O0,$(OPT)),,-D_FORTIFY_SOURCE=2)
endif
# Tests are run once: -O3 would take twice as long to compile.
$(BUILD)/tests/%.o: OPT := $(if $(DEBUG),-O0,-O1)
$(BUILD)/tests/unit/%.o: CPPFLAGS += -Itests/unit
# Nothing of a stranger's comes to the kernels, and their recursion would pay 4 % for it.
$(BUILD)/src/kernels/%.o: harden :=
# What goes wrong with a pointer the address sanitizer sees; to check it twice, and everything in line, would take as long to compile
# as half of all the rest. The fuzzers are built with all of it. The counting kernels see nothing but what the caller has for itself;
# for CI's two sanitizers they are left as they are, several times as fast.
ifeq ($(SAN),address)
$(BUILD)/src/kernels/%.o: sanitize += -fno-sanitize=undefined --param asan-instrumentation-with-call-threshold=0
endif
ifneq ($(filter address thread,$(SAN)),)
$(BUILD)/src/kernels/kernel_%.o $(BUILD)/src/kernels/rows/%.o: sanitize :=
endif
# What is undefined is looked for in the sources, not in tests: but for those that include a file of them.
ifeq ($(SAN),address)
inside := $(shell grep -rlE '^.include "[a-z_0-9/]+[.]c"' tests/unit --include='*.c')
# What the product does to a test's memory is seen; what the test does there is not, which compiles in three quarters of the time.
redzones := --param asan-instrument-reads=0 --param asan-instrument-writes=0
$(call objects,$(filter-out $(inside),$(test_src) $(test_aid))): sanitize += -fno-sanitize=undefined $(redzones)
endif
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE $(if $(SAN)$(DEBUG_LOCKS),-DLOCK_RANKS)
# -ffp-contract=off: what an estimate says is the same to the last bit everywhere.
CFLAGS   += -std=gnu11 $(OPT) $(SYMBOLS) -fdebug-prefix-map=$(CURDIR)=. -fno-omit-frame-pointer -Wall -Wextra $(if $(STRICT),-Werror) -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wvla -ffp-contract=off -pthread $(harden) $(sanitize)
LDFLAGS  += -Wl,-z,relro,-z,now $(sanitize)
# GnuTLS looks for it in the program: see src/http/server/server.c.
$(BUILD)/nqueensd: LDFLAGS += -Wl,--export-dynamic-symbol=_gnutls_global_init_skip
# The same objects make the server and the shared library. Only what nqueens.h marks with NQ_API can be seen outside of that.
$(LIBRARY:%=$(BUILD)/src/%/%): CFLAGS += -fPIC -fvisibility=hidden -fno-semantic-interposition

# Flags for one file, by its path. kernels/kernels.c picks a kernel at run time; no other file may use such instructions.
ifeq ($(shell uname -m),x86_64)
flags_src/kernels/kernel_avx2.c   := -mavx2 -mbmi2 -mpopcnt
flags_src/kernels/kernel_avx512.c := -mavx512f -mpopcnt
flags_src/kernels/kernel_avx512w.c := -mavx512f -mavx512bw -mavx512vbmi2 -mpopcnt
flags_src/kernels/find_avx2.c     := -mavx2 -mbmi2 -mpopcnt
flags_src/kernels/find_avx512.c   := -mavx512f -mavx512cd -mpopcnt
flags_src/kernels/join_avx2.c     := -mavx2 -mbmi2 -mpopcnt
flags_src/kernels/join_avx512.c   := -mavx512f -mavx512bw -mbmi2 -mpopcnt
flags_src/kernels/join_avx512w.c := -mavx512f -mavx512bw -mavx512vbmi -mavx512bitalg -mavx512vpopcntdq -mgfni -mbmi2 -mpopcnt
flags_src/kernels/rows/rows_avx2.c   := $(flags_src/kernels/kernel_avx2.c)
flags_src/kernels/rows/rows_avx512.c := $(flags_src/kernels/kernel_avx512.c)
flags_src/kernels/rows/rows_avx512w.c := $(flags_src/kernels/kernel_avx512w.c)
flags_src/kernels/torus/torus_avx2.c   := $(flags_src/kernels/kernel_avx2.c)
flags_src/kernels/torus/torus_avx512.c := -mavx512f -mavx512bw -mavx512vpopcntdq -mpopcnt
endif

version := $(shell sed -n 's/^.define NQ_VERSION "\(.*\)"/\1/p' include/nqueens.h 2>/dev/null)
# Which build this is, for one object of the server: BUILD_ID= on the command line, or what docker/build-id.sh finds. The environment has no say.
build_id := $(if $(filter command,$(origin BUILD_ID)),$(BUILD_ID))
# Its number counts incompatible changes of the ABI, not releases.
soname  := libnqueens.so.0
shared  := $(BUILD)/$(soname).$(version)
# A sanitizer's runtime belongs to the program: sanitized builds have no library.
public  := $(if $(SAN),,$(BUILD)/libnqueens.a $(shared) $(BUILD)/nqueens.pc $(BUILD)/man3/nqueens.3)

.PHONY: all run check bless contract mutants test test-long bench screenshots picture install deb clean help format deps deps-test deps-long complete unit fuzz-replay fuzzers faults simulate
all: $(BUILD)/nqueensd $(BUILD)/nqueensd.1 $(public) ## build the server and the library

run: deps ## build and serve on LISTEN; installs packages that are missing
	$(Q)$(MAKE) --no-print-directory all
	$(Q)exec $(BUILD)/nqueensd serve --listen $(LISTEN) $(ARGS)

# T: the tests to run, and no others; see tests/check.sh.
T ?=
check: deps-test ## what to run after each edit, in a minute: T=pool, T=http/stream run one test
	$(Q)tests/check.sh $(T)

test: deps-test ## every test CI runs; installs packages that are missing
	$(Q)tests/run.sh

test-long: deps-long ## what takes longer: fuzzing, soak
	$(Q)tests/run-long.sh

bench: all ## the yardsticks, as ratios within one run
	$(Q)$(BUILD)/nqueensd bench

screenshots: deps-test ## pictures of the explorer: for the documents, and every view in build/gallery
	$(Q)$(MAKE) --no-print-directory all
	$(Q)cd tests && { [ -d node_modules ] || npm ci --silent; } && node web/screenshots.js

bless: deps-test ## writes the lists anew that tests compare with: read the difference before you commit it
	$(Q)$(MAKE) --no-print-directory contract
	$(Q)NQ_BLESS=1 node tests/static/lists.js
	$(Q)NQ_BLESS=1 node tests/web/icons.js
	$(Q)NQ_BLESS=1 node --test $$(grep -l "golden(" tests/*/*.test.js) >/dev/null || echo "bless: a test failed for another reason"

contract: deps-test ## writes openapi.yaml and docs/parameters.md anew, of docs/contract and of the table of parameters
	$(Q)$(MAKE) --no-print-directory all
	$(Q)cd tests && { [ -d node_modules ] || npm ci --silent; }
	$(Q)node tests/static/contract.js --write $(BUILD)
	$(Q)$(MAKE) --no-print-directory all

mutants: deps-test ## changes COUNT lines, one at a time, as SEED says, and tells which tests notice
	$(Q)tests/mutants.sh $(or $(SEED),1) $(or $(COUNT),40) $(FILES)

# For editors and clangd.
compile_commands.json: FORCE ## the compiler's command of each file, for editors
	$(file >$@,[)$(foreach file,$(lib_src) $(svc_src) $(test_aid) $(test_src),$(file >>$@,$(call command,$(file))$(comma)))$(file >>$@,$(call command,src/main.c)])
	@:
comma := ,
command = {"directory": "$(CURDIR)", "file": "$(1)", "command": "gcc $(CPPFLAGS) -Itests/unit $(cflags) $(CFLAGS) $(flags_$(1)) -c $(1)"}
FORCE:

picture: all ## of the rooms, for docs/architecture.md
	$(Q)node tests/static/picture.js >docs/architecture.svg

install: all ## into DESTDIR/PREFIX
	install -Dm755 $(BUILD)/nqueensd $(DESTDIR)$(PREFIX)/bin/nqueensd
	install -Dm644 $(BUILD)/libnqueens.a $(DESTDIR)$(LIBDIR)/libnqueens.a
	install -Dm644 $(shared) $(DESTDIR)$(LIBDIR)/$(notdir $(shared))
	ln -sf $(notdir $(shared)) $(DESTDIR)$(LIBDIR)/$(soname)
	ln -sf $(soname) $(DESTDIR)$(LIBDIR)/libnqueens.so
	install -Dm644 include/nqueens.h $(DESTDIR)$(PREFIX)/include/nqueens.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	install -d $(DESTDIR)$(PREFIX)/share/man/man3 && install -m644 $(BUILD)/man3/*.3 $(DESTDIR)$(PREFIX)/share/man/man3
	sed 's|@prefix@|$(PREFIX)|; s|@libdir@|$(LIBDIR)|' $(BUILD)/nqueens.pc >$(DESTDIR)$(LIBDIR)/pkgconfig/nqueens.pc
	install -Dm644 openapi.yaml $(DESTDIR)$(PREFIX)/share/nqueensd/openapi.yaml
	install -Dm644 $(BUILD)/nqueensd.1 $(DESTDIR)$(PREFIX)/share/man/man1/nqueensd.1
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/bin/|$(PREFIX)/bin/|' docker/nqueensd.service >$(DESTDIR)$(PREFIX)/lib/systemd/system/nqueensd.service
	install -m644 docker/nqueensd.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/nqueensd.socket

deb: all ## Debian packages, in DEB or build/deb
	$(Q)rm -rf $(DEB) && $(MAKE) --no-print-directory install DESTDIR=$(DEB)/root PREFIX=/usr LIBDIR=/usr/lib/$$($(CC) -print-multiarch) >/dev/null
	$(Q)docker/deb.sh $(DEB)

clean: ## remove what was built
	rm -rf compile_commands.json build build-address build-thread build-undefined build-locks build-debug build-fuzz build-container build-mutants

format: ## lay out the sources
	$(Q)clang-format -i $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

help:
	$(Q)sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

deps: ## install the packages that the build needs; deps-test, deps-long: and the tests
	$(Q)docker/install.sh build
deps-test:
	$(Q)docker/install.sh build test
deps-long:
	$(Q)docker/install.sh build test long

# Fails, before anything is compiled, if packages are missing.
missing = $(shell docker/install.sh --missing build)
complete:
	$(if $(missing),$(error Packages are missing: $(missing). `make deps` installs them))

$(BUILD)/nqueensd: $(call objects,src/main.c src/build.c) $(BUILD)/service.a $(BUILD)/rooms.a
	@echo "  LD    $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs)
# Looked for each time, written when it is another one. Without .PHONY, .SECONDARY below takes FORCE for made.
.PHONY: FORCE
$(BUILD)/build-id: FORCE
	@mkdir -p $(@D)
	$(Q)id='$(build_id)'; [ -n "$$id" ] || id=$$(docker/build-id.sh $(version)); [ "$$id" = "$$(cat $@ 2>/dev/null)" ] || echo "$$id" >$@
$(call objects,src/build.c): $(BUILD)/build-id
flags_src/build.c = -DNQ_BUILD_ID='"$(shell cat $(BUILD)/build-id)"'

$(BUILD)/nqueensd.1: $(BUILD)/nqueensd docker/nqueensd.1.in docker/man.sh
	@echo "  MAN   $@"
	$(Q)docker/man.sh $< >$@.part && mv $@.part $@

# The objects that define what nqueens.h declares, and all that these need, as one object in which no other name is global: it is the
# static library, and makes the shared one.
public_names = $(shell grep -oP '^NQ_API [^()]*\Knq_[a-z_]+' include/nqueens.h)
$(BUILD)/nqueens.o: $(BUILD)/rooms.a include/nqueens.h
	@echo "  LD    $@"
	$(Q)$(CC) -r -nostdlib $(public_names:%=-Wl,-u,%) -o $@.part $< && objcopy --localize-hidden $@.part $@ && rm $@.part
$(BUILD)/libnqueens.a: $(BUILD)/nqueens.o
$(shared): $(BUILD)/nqueens.o
	@echo "  LD    $@"
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(soname) -Wl,--no-undefined -Wl,--as-needed -o $@ $< -pthread -lm
$(BUILD)/man3/nqueens.3: include/nqueens.h docker/man3.sh
	@echo "  MAN   $(@D)"
	$(Q)docker/man3.sh $< $(@D)
$(BUILD)/nqueens.pc: docker/nqueens.pc.in include/nqueens.h
	$(Q)sed 's|@version@|$(version)|' $< >$@

# A folder itself is new when a file is gone, whose object must go, too.
$(BUILD)/rooms.a: $(lib_obj) $(shell find $(LIBRARY:%=src/%) -type d)
$(BUILD)/service.a: $(svc_obj) $(shell find $(SERVICE:%=src/%) -type d)
$(BUILD)/aid.a: $(call objects,$(test_aid)) tests/unit/support
%.a:
	@echo "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

$(BUILD)/%.o: %.c Makefile | complete
	@echo "  CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(cflags) $(CFLAGS) $(flags_$<) -MMD -MP -c -o $@ $<

# What is embedded in the binary, with gzip copies: the same in each build.
embedded := build/embedded
$(call objects,src/http/routes/route_openapi.c): openapi.yaml $(embedded)/openapi.yaml.gz $(embedded)/openapi.json $(embedded)/openapi.json.gz
$(call objects,src/http/routes/route_web.c src/http/routes/route_app.c): $(embedded)/web/web_files.h
flags_src/http/routes/route_openapi.c := -Wa,-I$(embedded)
flags_src/http/routes/route_web.c := -I$(embedded)/web -Wa,-I$(embedded)/web
flags_src/http/routes/route_app.c := $(flags_src/http/routes/route_web.c)
$(embedded)/openapi.yaml.gz: openapi.yaml
	@mkdir -p $(@D) && zopfli -c $< >$@.part && mv $@.part $@
$(embedded)/openapi.json: openapi.yaml src/http/routes/openapi.py
	@mkdir -p $(@D)
	$(Q)/usr/bin/python3 src/http/routes/openapi.py <$< >$@.part && mv $@.part $@
$(embedded)/openapi.json.gz: $(embedded)/openapi.json
	@zopfli -c $< >$@.part && mv $@.part $@
# The programs that machines are, see src/steps/listing.h.
$(call objects,$(wildcard src/solvers/*.c src/constructions/*.c)): $(wildcard src/solvers/listings/*)
# The folder itself is new when a file is gone.
$(embedded)/web/web_files.h: src/web $(wildcard src/web/*) | complete
	@echo "  PACK  $(@D)"
	$(Q)src/web/pack.sh $(@D)

# Unit tests, and the fuzz targets with a main that replays their corpus.
unit: $(tests)
fuzz-replay: $(replays)
fuzzers: $(fuzzers)
define room_rule
$(BUILD)/tests/$(1): $(call objects,$(filter tests/unit/$(1)/%,$(test_src)))
endef
$(foreach room,$(rooms),$(eval $(call room_rule,$(room))))
$(tests): $(BUILD)/aid.a $(BUILD)/service.a $(BUILD)/rooms.a
	@echo "  LD    $@"
	@mkdir -p $(@D) && { [ ! -d $@ ] || rm -r $@; } # a folder of that name is of an earlier layout
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(libs) $(shell pkg-config --libs cmocka)
$(replays): $(BUILD)/tests/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/replay.o $(call objects,$(fuzz_aid)) $(BUILD)/service.a $(BUILD)/rooms.a
	@echo "  LD    $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs)
$(fuzzers): $(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(call objects,$(fuzz_aid)) $(BUILD)/service.a $(BUILD)/rooms.a
	@echo "  LD    $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(libs)

# The cluster under a virtual clock: what the product asks of system and broker, the simulation answers. See tests/sim/sim.h.
wrapped := clock_gettime nanosleep getrandom pthread_create pthread_join $(addprefix pthread_mutex_,lock unlock) \
           $(addprefix pthread_cond_,wait timedwait signal broadcast)
simulate: $(BUILD)/tests/simulate
$(BUILD)/tests/simulate: $(call objects,$(sim_src)) $(BUILD)/service.a $(BUILD)/rooms.a
	@echo "  LD    $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(wrapped:%=-Wl,--wrap=%) -o $@ $^ $(libs)

# Libraries that make the system fail under a server: tests/faults loads them before all others.
faults: $(fault_src:tests/faults/%.c=$(BUILD)/faults/%.so)
$(BUILD)/faults/%.so: tests/faults/%.c Makefile | complete
	@echo "  CC    $@"
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE $(filter-out $(sanitize),$(CFLAGS)) -U_FORTIFY_SOURCE -fPIC -shared -o $@ $<

.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
