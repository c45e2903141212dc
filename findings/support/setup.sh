# Sourced by every finding: `need PROGRAM…`, `need_chromium`, `npm_packages NAME@VERSION…`, `pip_packages NAME==VERSION…`. Makes an empty
# folder $work, goes there and removes it at the end. Exit code 2 with one line where the machine lacks something.
set -euo pipefail

support=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

lacking() {
  echo "$1" >&2
  exit 2
}

need() {
  for program in "$@"; do
    command -v "$program" > needs.log || lacking "needs $program"
  done
}

need_chromium() {
  for program in "${CHROME:-}" google-chrome-stable google-chrome chromium chromium-browser; do
    if [ -n "$program" ] && CHROME=$(command -v "$program"); then
      export CHROME
      return
    fi
  done
  lacking 'needs Chrome or Chromium ($CHROME names the program)'
}

npm_packages() {
  need node npm
  echo '{ "type": "module", "private": true }' > package.json
  PUPPETEER_SKIP_DOWNLOAD=1 npm install --no-save --no-audit --no-fund --silent "$@" > npm.log 2>&1 ||
    lacking "cannot install $* with npm: $(tail -n 1 npm.log)"
  cp "$support/browser.mjs" .
}

pip_packages() {
  need python3
  python3 -m pip install --quiet --no-deps --target python "$@" > pip.log 2>&1 ||
    lacking "cannot install $* with pip: $(tail -n 1 pip.log)"
}
