#!/usr/bin/env bash
# Checks the units as systemd reads them, on a machine that need not run it, and how exposed a role is: at most 3.0 of 10.
#
#   deploy/systemd/check.sh
set -euo pipefail
here=$(realpath -e "$(dirname "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Nothing is installed: a program of that name stands where the unit looks for it.
mkdir -p "$folder/usr/local/bin" "$folder/etc/systemd/system" "$folder/etc/arb"
install -m 755 /bin/true "$folder/usr/local/bin/arb"
cp "$here/arb@.service" "$here/arb.target" "$folder/etc/systemd/system/"
cp -r --parents /usr/lib/systemd/system "$folder/"

for role in ingest process accounts serve sink deliver settle bots; do
    unit=arb@$role.service
    cp "$here/arb@.service" "$folder/etc/systemd/system/$unit"
    # What is wrong is printed, and not always an exit code.
    said=$(systemd-analyze verify --root="$folder" --man=no --generators=no "$unit" arb.target 2>&1) || { printf '%s\n' "$said" >&2; exit 1; }
    said=$(printf '%s\n' "$said" | grep -v -E "Unknown key (name )?'Restart(Steps|MaxDelaySec)'|^$" || true)
    [ -z "$said" ] || { printf '%s\n' "$said" >&2; exit 1; }
done
systemd-analyze security --offline=true --threshold=30 --no-pager --root="$folder" "arb@process.service" 2>/dev/null | tail -n 1
