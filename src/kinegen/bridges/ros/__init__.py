"""What ROS robots offer, whatever carries it: topics, messages, a trajectory controller."""
