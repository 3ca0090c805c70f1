"""RUN: answers that need not end."""
