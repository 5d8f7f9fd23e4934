"""The wire of ROS 2: what a node declares to zenoh."""
