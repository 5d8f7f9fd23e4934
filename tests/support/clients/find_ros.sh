#!/bin/sh
# Finds ROS 1, and installs it where Debian's packages can be used; without it its tests are skipped.
set -e
packages="python3-rospy python3-rostopic python3-actionlib python3-tf2-ros python3-sensor-msgs
    python3-trajectory-msgs python3-std-srvs ros-robot-state-publisher"
command -v rostopic >/dev/null 2>&1 && [ -d /usr/lib/robot_state_publisher ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing ROS 1 …"
    apt-get update -qq
    # shellcheck disable=SC2086 - one word per package
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages \
        >/dev/null || echo "ROS 1 could not be installed: its tests are skipped."
else
    echo "Tests with Debian's ROS 1 are skipped; they need:" $packages
fi
