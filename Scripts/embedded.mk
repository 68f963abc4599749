# Compiles the portable core with Embedded Swift to WebAssembly, and links it into programs:
#
#   make -f Scripts/embedded.mk OUT/PROGRAM.wasm
#
# portable-core.wasm runs Tests/Portable, atrest-core.wasm is the browser's. What is up to date
# stays. Exits with an error if the toolchain cannot: see Scripts/embedded-swift.

OUT ?= .build/embedded
OPTIMIZATION ?= -Osize
target := wasm32-unknown-none-wasm
tools := $(dir $(shell readlink -f "$$(command -v swiftc)"))

# Scripts/import-graph reads these lists.
modules := AtrestReplication AtrestDomain AtrestPresentation AtrestWire TrunkDomain TrunkPresentation AtrestSync AtrestTransfer
programs := PortableCore AtrestWeb

# A program is one module with what it is called by: functions of another one would be compiled
# again there, and take as long.
$(foreach module,$(modules),$(eval folders_$(module) := Sources/$(module)))
folders_PortableCore := Tests/Portable/Cases Tests/Portable/WebAssembly
folders_AtrestWeb := Client/web/core Client/web/wasm

sources = $(sort $(shell find $(folders_$(1)) -name '*.swift'))
imports = $(filter $(modules),$(shell sed -n 's/^import //p' $(call sources,$(1)) | sort -u))

# The page defines the outlines of trees, once for all pictures: see Client/web/outlines.mjs.
SWIFT_FLAGS := -target $(target) -enable-experimental-feature Embedded \
	-enable-experimental-feature Extern -D OUTLINES_IN_PAGE -wmo $(OPTIMIZATION) -swift-version 6 \
	-warnings-as-errors -parse-as-library -package-name atrest_sync -I $(OUT)

.PHONY: all
.DELETE_ON_ERROR:
all: $(OUT)/portable-core.wasm $(OUT)/atrest-core.wasm

define compiled
$(OUT)/$(1).o: $(call sources,$(1)) $(foreach name,$(call imports,$(1)),$(OUT)/$(name).o) $(common)
	swiftc $$(SWIFT_FLAGS) -module-name $(1) -emit-module -emit-module-path $$(OUT)/$(1).swiftmodule \
		-c $(call sources,$(1)) -o $$@
endef
common := Scripts/embedded.mk | $(OUT)
$(foreach module,$(modules) $(programs),$(eval $(call compiled,$(module))))

$(OUT):
	@mkdir -p $@

$(OUT)/runtime.o: Client/web/wasm/runtime.c $(common)
	$(tools)clang --target=wasm32 -mbulk-memory -Os -fno-builtin -Wall -Werror -c $< -o $@

objects := $(modules:%=$(OUT)/%.o)
tables := $(tools)../lib/swift/embedded/$(target)/libswiftUnicodeDataTables.a
$(OUT)/portable-core.wasm: $(objects) $(OUT)/PortableCore.o $(OUT)/runtime.o
$(OUT)/atrest-core.wasm: $(objects) $(OUT)/AtrestWeb.o $(OUT)/runtime.o
$(OUT)/%.wasm:
	$(tools)wasm-ld $^ $(tables) --no-entry --strip-all --gc-sections -z stack-size=1048576 -o $@
