#!/bin/sh
# Makes sure that a Chromium is there for the tests of the page; installs it where that is possible.
set -eu
for name in "${KINEGEN_BROWSER:-}" chromium chromium-browser google-chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "Installing Chromium for the tests of the page …"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null
  exit 0
fi
echo "The tests of the page need Chromium: type 'sudo apt-get install chromium' (macOS: 'brew install chromium')," >&2
echo "or set KINEGEN_BROWSER to the path of a Chromium or Chrome that is there." >&2
exit 1
