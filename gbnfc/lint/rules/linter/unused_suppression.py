"""
### What it does
Finds `# gbnfc: ignore[CODE]` comments that silence nothing.

### Why is this bad
They will hide the next finding of that kind, which nobody has looked at.

### Example
```gbnf
root ::= "yes" # gbnfc: ignore[COST001] measured, fast enough
```

### Use instead
```gbnf
root ::= "yes"
```
"""

from gbnfc.lint.diagnostic import Severity

CODE = "LNT001"
NAME = "unused-suppression"
SEVERITY = Severity.WARNING
