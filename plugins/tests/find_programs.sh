#!/bin/sh
# Finds FreeCAD and Blender, and installs them where Debian's packages can be used.
set -e
missing=""
command -v freecadcmd >/dev/null 2>&1 || missing="$missing freecad"
command -v blender >/dev/null 2>&1 || missing="$missing blender"
[ -z "$missing" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing$missing …"
    apt-get update -qq
    # shellcheck disable=SC2086 - one word per package
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "The plug-ins are tested in$missing: please install them, then run make test-plugins again."
    exit 1
fi
