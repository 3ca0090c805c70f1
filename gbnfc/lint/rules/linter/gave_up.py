"""
### What it does
Says that a rule stopped at its budget of steps before it had seen the whole file.

### Why is this bad
The file may hold more findings of that rule. It is said instead of hanging.

### Example
Only very large or very entangled files.

### Use instead
Split the grammar, or ignore the rule for the file.
"""

from gbnfc.lint.diagnostic import Severity

CODE = "LNT002"
NAME = "gave-up"
SEVERITY = Severity.INFO
