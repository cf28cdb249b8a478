"""The command line: one verb per job. Modules here parse, call, and print; every computation lives below.

Heavy packages are imported inside the commands, so that `walkon --help` answers at once.
"""
