#!/usr/bin/env bash
# Lays the folder that the image is built from: a root with `arb` and what it needs of Debian, as one archive, and the Dockerfile.
#
#   deploy/image/rootfs.sh BINARY FOLDER            the versions of packages.txt; fails where Debian no longer has one
#   deploy/image/rootfs.sh --newest BINARY FOLDER   what Debian has now; prints what packages.txt would be
#
# The same binary and versions give the same archive, byte for byte. Needs apt-get of Debian 12, dpkg-deb, binutils and tar. It installs nothing.
set -euo pipefail
export LC_ALL=C

fail() { printf 'rootfs: %s\n' "$*" >&2; exit 1; }

is_newest=
[ "${1-}" = --newest ] && { is_newest=1; shift; }
[ $# -eq 2 ] || fail "usage: deploy/image/rootfs.sh [--newest] BINARY FOLDER"
binary=$(realpath -e "$1")
mkdir -p "$2"
folder=$(realpath -e "$2")
here=$(realpath -e "$(dirname "$0")")
# Of every file in the image: so that its time depends on no machine.
epoch=${SOURCE_DATE_EPOCH:-1767225600}

root=$folder/rootfs
rm -rf "$root" "$folder/packages"
mkdir -p "$root" "$folder/packages"

candidate() { apt-cache policy "$1" | sed -n 's/^ *Candidate: //p'; }

fetch() { # fetch PACKAGE VERSION
    (cd "$folder/packages" && apt-get download -q "$1=$2" >download.log 2>&1) && return
    cat "$folder/packages/download.log" >&2
    fail "Debian has no $1 $2 here, but $(candidate "$1"). Run apt-get update, or write the newer version into deploy/image/packages.txt"
}

while read -r package version; do
    case $package in '' | '#'*) continue ;; esac
    if [ -n "$is_newest" ]; then
        version=$(candidate "$package")
        printf '%s %s\n' "$package" "$version"
    fi
    fetch "$package" "$version"
    file=$(find "$folder/packages" -name "${package}_*.deb")
    # Licences stay, what nothing reads at run time does not.
    dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" --wildcards --no-wildcards-match-slash \
        --exclude='./usr/share/man' --exclude='./usr/share/locale' --exclude='./usr/share/lintian' --exclude='./usr/share/bug' \
        --exclude='./usr/lib/*/gconv' --exclude='./usr/lib/*/audit' --exclude='./usr/share/zoneinfo/right' --exclude='./usr/share/zoneinfo/posix' \
        --exclude='./usr/sbin' --exclude='./etc/ca-certificates'
    # As scanners of images read it, where there is no database of dpkg.
    mkdir -p "$root/var/lib/dpkg/status.d"
    dpkg-deb --field "$file" >"$root/var/lib/dpkg/status.d/$package"
done <"$here/packages.txt"

find "$root/usr/share/doc" -mindepth 1 ! -name copyright ! -type d -delete
find "$root" -depth -type d -path '*/usr/share/doc/*' -empty -delete

# One file of all authorities, as Debian's own script makes it.
mkdir -p "$root/etc/ssl/certs"
find "$root/usr/share/ca-certificates" -name '*.crt' | sort | xargs cat >"$root/etc/ssl/certs/ca-certificates.crt"
rm -r "$root/usr/share/ca-certificates"

printf 'root:x:0:0:root:/:/sbin/nologin\narb:x:65532:65532:arb:/var/lib/arb:/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\narb:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
mkdir -p "$root/usr/local/bin" "$root/var/lib/arb" "$root/tmp" "$root/proc" "$root/dev" "$root/sys"

strip --strip-all -o "$root/usr/local/bin/arb" "$binary"
objcopy --only-keep-debug "$binary" "$folder/arb.debug"
(cd "$folder" && objcopy --add-gnu-debuglink=arb.debug "$root/usr/local/bin/arb")

chmod -R u=rwX,go=rX "$root"
chmod 1777 "$root/tmp"
chmod 700 "$root/var/lib/arb"
# All in it is root's, but for the folder of the role's files.
archive=(tar --format=gnu --numeric-owner --mtime="@$epoch" --sort=name -C "$root")
"${archive[@]}" --owner=0 --group=0 --exclude=./var/lib/arb -cf "$folder/rootfs.tar" .
"${archive[@]}" --owner=65532 --group=65532 -rf "$folder/rootfs.tar" ./var/lib/arb
rm -rf "$root" "$folder/packages"
cp "$here/Dockerfile" "$folder/Dockerfile"
