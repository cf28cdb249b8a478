"""Plain twins of compiled kernels: the same rule once more in NumPy or Python, slow and without tricks.

Tests hold each kernel equal to its twin. None of them is part of the package; the one twin that stays there is
`walkon.take.posing.posing_numpy`, because it is the readable form of the posing rule.
"""
