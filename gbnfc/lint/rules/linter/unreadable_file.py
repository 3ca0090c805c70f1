"""
### What it does
Reports files that cannot be read: not UTF-8, no permission, nested beyond what can be held, YAML
without the package that reads it. The other files are checked all the same.

### Why is this bad
Nothing is known about the file; llama.cpp reads grammars and schemas as UTF-8.

### Example
A grammar that an editor saved as UTF-16.

### Use instead
Save the file as UTF-8, or leave it out with `--exclude`.
"""

from gbnfc.lint.diagnostic import Severity

CODE = "LNT003"
NAME = "unreadable-file"
SEVERITY = Severity.ERROR
