#!/bin/sh
# run.sh [SECONDS [TARGET]...]: fuzzes every target, or those named, for so many seconds each (default 60), one after another, and prints
# the processor time that it took. Findings end up in artifacts/, what covers more code in corpus/. Needs cargo-fuzz; any Rust will do.
set -eu
seconds="${1:-60}"
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- request ranges datagram framing http vxl
cd "$(dirname "$0")"
for target in "$@"; do
    mkdir -p "corpus/$target"
    cargo fuzz run -s none "$target" "corpus/$target" "seeds/$target" -- \
        -dict=words.dict -max_len=4096 -max_total_time="$seconds" -print_final_stats=1
done
times
