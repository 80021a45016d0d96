#!/usr/bin/env bash
# Lays what a release consists of into a folder: the program, its symbols, the image, the chart, the list of what is in it, and checksums of all.
#
#   deploy/release.sh FOLDER                  builds the program, with what Debian has in packages.txt
#   deploy/release.sh --binary FILE FOLDER    takes a program that is built already
#   --newest                                  takes what Debian has now, where packages.txt is old
#   --without-sbom                            leaves out the list of packages (cargo-cyclonedx)
#
# The same sources and tools give the same files, byte for byte, wherever the sources and the folder are: compare SHA256SUMS of two runs.
# Needs what deploy/image/rootfs.sh and build.sh need, and cargo-cyclonedx (cargo install cargo-cyclonedx --locked).
set -euo pipefail
export LC_ALL=C
# Of every file: 2026-01-01, unless the caller says otherwise.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
# What the largest image may have, unpacked.
most_mib=60

fail() { printf 'release: %s\n' "$*" >&2; exit 1; }
step() { printf '\n== %s\n' "$*"; }

binary= newest= sbom=1
while [ $# -gt 1 ]; do
    case $1 in
        --binary) binary=$(realpath -e "$2"); shift 2 ;;
        --newest) newest=--newest; shift ;;
        --without-sbom) sbom=; shift ;;
        *) fail "there is no option $1" ;;
    esac
done
[ $# -eq 1 ] || fail "usage: deploy/release.sh [--binary FILE] [--newest] [--without-sbom] FOLDER"
mkdir -p "$1"
out=$(realpath -e "$1")
[ -z "$(ls -A "$out")" ] || fail "$out is not empty"
cd "$(dirname "$0")/.."

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
target=$(rustc --version --verbose | sed -n 's/^host: //p')
name=arb-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

archive() { # archive FILE FOLDER NAME...: the same bytes for the same files
    local file=$1 folder=$2
    shift 2
    tar --format=gnu --numeric-owner --owner=0 --group=0 --mtime="@$SOURCE_DATE_EPOCH" --sort=name --mode=u=rwX,go=rX \
        -C "$folder" -c "$@" | gzip -9 -n >"$file"
}

if [ -z "$binary" ]; then
    step "the program"
    folder=${CARGO_TARGET_DIR:-$PWD/target}
    cargo=${CARGO_HOME:-$HOME/.cargo}
    # Where the sources lie is in no message and no symbol.
    maps=("$PWD=/arb" "$cargo=/cargo" "$folder=/target" "$(rustc --print sysroot)=/rust")
    RUSTFLAGS="${maps[*]/#/--remap-path-prefix=}" CFLAGS="${maps[*]/#/-ffile-prefix-map=}" CXXFLAGS="${maps[*]/#/-ffile-prefix-map=}" \
        cargo build --release --locked --package arb
    binary=$folder/release/arb
fi

step "the image"
deploy/image/rootfs.sh $newest "$binary" "$work/image"
deploy/image/build.sh "$work/image" "$version"
mkdir "$work/root"
tar -xf "$work/image/rootfs.tar" -C "$work/root"
mib=$(du --bytes --summarize "$work/root" | awk '{print int(($1 + 1048575) / 1048576)}')
printf '%s MiB unpacked\n' "$mib"
[ "$mib" -le "$most_mib" ] || fail "the image has $mib MiB unpacked, more than $most_mib"
gzip -9 -n <"$work/image/image.tar" >"$out/arb-$version-image.tar.gz"

step "the archives"
mkdir -p "$work/$name/bin" "$work/$name/deploy"
cp "$work/root/usr/local/bin/arb" "$work/$name/bin/"
cp -r docs CHANGELOG.md LICENSE-APACHE LICENSE-MIT NOTICES README.md "$work/$name/"
cp -r deploy/compose deploy/grafana deploy/helm deploy/prometheus deploy/systemd "$work/$name/deploy/"
# What documents name and the archive does not have, such as a file of the sources, stays as text.
find "$work/$name" -name '*.md' -print0 | xargs -0 perl -MFile::Basename -i -pe \
    's{\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)}{ my ($text, $path) = ($1, $2); $path =~ m{^[a-z]+:} || -e dirname($ARGV) . "/$path" ? $& : $text }ge'
rm -f "$work/$name/deploy/compose/.env"
archive "$out/$name.tar.gz" "$work" "$name"
archive "$out/$name-symbols.tar.gz" "$work/image" arb.debug
archive "$out/arb-chart-$version.tgz" deploy/helm arb

if [ -n "$sbom" ]; then
    step "the list of packages"
    command -v cargo-cyclonedx >/dev/null || fail "cargo-cyclonedx is missing: cargo install cargo-cyclonedx --locked"
    # Written beside the manifest of each package, so in a copy of the manifests and sources.
    mkdir "$work/sources"
    git ls-files -z -- Cargo.toml Cargo.lock rust-toolchain.toml '*/Cargo.toml' '*.rs' | xargs -0 cp --parents -t "$work/sources"
    (cd "$work/sources" && cargo cyclonedx --quiet --manifest-path deploy/Cargo.toml --format json --target "$target" --override-filename sbom)
    # The paths of this machine are none of the reader's business.
    sed "s#$work/sources#/arb#g" "$work/sources/deploy/sbom.json" >"$out/$name.cdx.json"
fi

step "checksums"
(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
