#!/bin/sh
# First process of a machine that is a folder: machine.sh FOLDER [SHARED-FOLDER PLACE]...
# In namespaces of its own it mounts what a machine has, makes the folder the root, so that nothing else of this machine is seen, and waits.
set -eu
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
# Settings of the kernel are those of the machine that it runs on.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
# Link emulators mount one of their own in a user's namespace, which the kernel allows only where there is one of which nothing is hidden.
mkdir -p "$root/opt/newcomer/proc"
mount -t proc proc "$root/opt/newcomer/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
# As udev leaves it on a Debian: for everybody.
mount -t tmpfs tmpfs "$root/dev/net"
mknod -m 666 "$root/dev/net/tun" c 10 200
mount -t tmpfs tmpfs "$root/run"
while [ $# -gt 0 ]; do
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  shift 2
done
hostname debian
cd "$root"
pivot_root . mnt
exec chroot . /bin/sh -c 'umount -l /mnt; echo ready; exec sleep infinity'
