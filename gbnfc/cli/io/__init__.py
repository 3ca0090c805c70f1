"""What every command reads and writes: texts, files, messages, progress."""
