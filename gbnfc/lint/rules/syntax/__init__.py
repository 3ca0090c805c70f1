"""SYN: texts that do not parse."""
