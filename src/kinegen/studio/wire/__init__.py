"""The wire: messages and frames between studio and page."""
