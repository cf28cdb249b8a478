"""The coarse plan: everybody as discs in place and time, one after another, before any body is planned."""
