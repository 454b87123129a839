"""What takes more than one context."""
