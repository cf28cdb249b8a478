"""The running crowd: scenes performed, many characters at once."""
