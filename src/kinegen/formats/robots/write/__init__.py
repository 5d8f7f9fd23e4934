"""Writers: mechanism → outline → robot files."""
