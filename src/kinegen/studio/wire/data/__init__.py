"""Data that pages get about a mechanism and the studio, made from what the package has."""
