#!/bin/sh
# Deploy hook of ACME clients: hands a renewed certificate to the server, whose sessions go on meanwhile.
#
#   certbot:  certbot certonly --standalone -d media.example --deploy-hook /usr/local/bin/acme-hook.sh
#   others:   acme-hook.sh FULLCHAIN.PEM PRIVATE-KEY.PEM
#
# TLS_DIR     where the server reads them              (/etc/voxel/tls)
# TLS_OWNER   who may read the key: a user, or UID:GID  (voxel; of the containers 65532:65532)
# RELOAD      how the server is told, if it runs already (systemctl try-reload-or-restart voxel-quiche; docker kill --signal HUP CONTAINER)
set -eu

case "$#:${1-}" in
  0:) chain=${RENEWED_LINEAGE:?is set by certbot only: name the files of the chain and the key}/fullchain.pem
      key=$RENEWED_LINEAGE/privkey.pem ;;
  2:*) chain=$1 key=$2 ;;
  *) echo "usage: acme-hook.sh [FULLCHAIN.PEM PRIVATE-KEY.PEM]" >&2; exit 2 ;;
esac
folder=${TLS_DIR:-/etc/voxel/tls}
owner=${TLS_OWNER-voxel}

# Under other names first: the server never reads half a file, and takes the pair once it matches.
put() {
  [ -s "$1" ] || { echo "acme-hook.sh: no such file: $1" >&2; exit 1; }
  cp "$1" "$2.new"
  chmod 600 "$2.new"
  [ -z "$owner" ] || chown "$owner" "$2.new"
  mv "$2.new" "$2"
}
mkdir -p "$folder"
put "$key" "$folder/key.pem"
put "$chain" "$folder/certificate.pem"
sh -c "${RELOAD:-systemctl try-reload-or-restart voxel-quiche}"
