"""Every model format as data, one family per file."""
