"""The thin shell: tokenizers, sessions, API shapes, files, command line."""
