#!/usr/bin/env bash
# Builds `arb` and `arb-bench` as they are shipped and measured: optimised by a profile of the benchmarks.
#
# A binary that counts how often each branch is taken runs the benchmarks once; the compiler lays out and inlines the code of the second
# build by these counts (docs/adr/070-profile-guided-builds.md). It takes some 25 minutes on two cores. What comes of it is in
# target/profiled/TARGET/release; `cargo build --release` gives the same program without the profile.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'build-release: %s\n' "$*" >&2; exit 1; }
step() { printf '\n== %s\n' "$*"; }

compiler() { rustc --version --verbose | sed -n "s/^$1: //p"; }
target=$(compiler host)
llvm=$(compiler 'LLVM version')
llvm=${llvm%%.*}

# The tool that adds profiles up is of the compiler's own version of LLVM: an older one cannot read them.
profdata() {
    local tool
    for tool in "$(rustc --print sysroot)/lib/rustlib/$target/bin/llvm-profdata" "llvm-profdata-$llvm" llvm-profdata; do
        if command -v "$tool" >/dev/null && "$tool" show --version 2>&1 | grep -q "LLVM version $llvm"; then
            printf '%s' "$tool"
            return
        fi
    done
    return 1
}
profdata=$(profdata) || fail "llvm-profdata of LLVM $llvm is missing; install it with
    rustup component add llvm-tools
or on Debian: apt-get install llvm-$llvm"

folder=$PWD/target/profiled
counts=$folder/counts
built=$folder/$target/release
profile=$folder/arb.profdata

build() { # build FLAGS...: both programs
    RUSTFLAGS="$*" cargo build --release --package arb --package arb-bench --target "$target" --target-dir "$folder"
}

step "1 of 3: build the programs that count"
rm -rf "$counts"
build "-Cprofile-generate=$counts"

step "2 of 3: run the benchmarks once"
for part in engine pipeline sink board sse webhooks picks; do
    # A machine that is too slow for a measurement with counting has still counted what it ran.
    "$built/arb-bench" "$part" --rounds 1 >"$folder/counted.txt" || printf 'no figures of %s\n' "$part" >&2
done
"$profdata" merge --output "$profile" "$counts"

step "3 of 3: build what is shipped"
# Not what an earlier profile was used for.
rm -rf "${folder:?}/$target"
ARB_BUILD="profile-guided" build "-Cprofile-use=$profile"
printf '\n%s\n%s\n' "$built/arb" "$built/arb-bench"
