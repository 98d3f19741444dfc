"""The pure core: records, tables and step functions. It imports nothing of ours but itself."""
