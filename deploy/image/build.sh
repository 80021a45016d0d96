#!/usr/bin/env bash
# Builds the image from the folder that rootfs.sh has filled, without a container engine, and writes it beside it:
#
#   deploy/image/build.sh FOLDER VERSION
#
# FOLDER/image.tar is for `docker load`, `podman load` or a registry; FOLDER/oci is the same as a layout that umoci unpacks. Needs buildah.
set -euo pipefail

folder=$(realpath -e "$1")
version=$2
epoch=${SOURCE_DATE_EPOCH:-1767225600}
# Layers and containers of this build alone.
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
export BUILDAH_ISOLATION=chroot
buildah=(buildah --root "$store/root" --runroot "$store/run" --storage-driver vfs)

# The format of docker, because that of OCI has no health check.
"${buildah[@]}" build -q --format docker --timestamp "$epoch" --label "org.opencontainers.image.version=$version" \
    --tag "arb:$version" "$folder" >/dev/null
rm -rf "$folder/image.tar" "$folder/oci"
"${buildah[@]}" push -q "arb:$version" "docker-archive:$store/built.tar:arb:$version"

# The container in which it was built has a random name, which is in the image's settings: taken out, so that the same root gives the same image.
mkdir "$store/built" "$store/image"
tar -xf "$store/built.tar" -C "$store/built"
layer=$(basename "$store"/built/*.tar)
config=$(basename "$store"/built/[0-9a-f]*.json)
mv "$store/built/$layer" "$store/image/"
sed -E 's/"(container|Hostname)":"[0-9a-f]+"/"\1":""/g' "$store/built/$config" >"$store/image/config"
config=$(sha256sum "$store/image/config" | cut -d ' ' -f 1).json
mv "$store/image/config" "$store/image/$config"
printf '[{"Config":"%s","RepoTags":["arb:%s"],"Layers":["%s"]}]' "$config" "$version" "$layer" >"$store/image/manifest.json"
tar --format=gnu --numeric-owner --owner=0 --group=0 --mtime="@$epoch" --sort=name --mode=u=rw,go=r -C "$store/image" \
    -cf "$folder/image.tar" "$config" "$layer" manifest.json
# What is unpacked is what is loaded.
image=$("${buildah[@]}" pull -q "docker-archive:$folder/image.tar")
"${buildah[@]}" push -q "$image" "oci:$folder/oci:$version"
