"""The wire of ROS 1: a master, nodes and their topics over XML-RPC and TCPROS."""
