#!/bin/sh
# Part of the Containerfiles: unpacks Debian packages into a folder that becomes an image, without package manager and shell.
# What is installed is on record in /var/lib/dpkg/status.d, where scanners for vulnerabilities look for it.
set -eu

if [ $# -lt 2 ] || [ "$1" = --help ]; then
  echo "usage: rootfs.sh FOLDER PACKAGE..." >&2
  exit 2
fi
folder=$1
shift

mkdir -p "$folder/usr/bin" "$folder/usr/lib" "$folder/usr/lib64" "$folder/usr/sbin" "$folder/var/lib/dpkg/status.d"
for name in bin lib lib64 sbin; do
  [ -e "$folder/$name" ] || ln -s "usr/$name" "$folder/$name"
done

archives=$(mktemp -d)
chmod 755 "$archives"
(cd "$archives" && apt-get download --quiet -o APT::Sandbox::User=root "$@")
for archive in "$archives"/*.deb; do
  name=$(dpkg-deb --field "$archive" Package)
  dpkg-deb --field "$archive" >"$folder/var/lib/dpkg/status.d/$name"
  # Debian 12 still has files under /lib: --keep-directory-symlink puts them where the links above lead.
  dpkg-deb --fsys-tarfile "$archive" | tar --extract --keep-directory-symlink --directory "$folder" \
    --exclude './usr/share/man' --exclude './usr/share/info' --exclude './usr/share/locale' \
    --exclude './usr/share/lintian' --exclude './usr/share/doc/*/changelog*' --exclude './usr/share/bug'
done
rm -r "$archives"

mkdir -p "$folder/etc/ssl/certs" "$folder/state" "$folder/media" "$folder/tmp"
cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
echo 'root:x:0:0:root:/:/nonexistent
voxel:x:65532:65532:voxel:/state:/nonexistent' >"$folder/etc/passwd"
echo 'root:x:0:
voxel:x:65532:' >"$folder/etc/group"
chown 65532:65532 "$folder/state"
chmod 700 "$folder/state"
chmod 1777 "$folder/tmp"
