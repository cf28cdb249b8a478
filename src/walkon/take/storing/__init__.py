"""Takes as files: written whole or grown, read back."""
