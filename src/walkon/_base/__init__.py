"""What every other package stands on: errors, checked arrays, compiled kernels, atomic files.

Nothing here knows about motion. Other packages import the modules of this one directly.
"""
