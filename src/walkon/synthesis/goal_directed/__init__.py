"""Characters that are where they must be, when, in which pose and facing which way (Sung, Kovar, Gleicher 2005)."""
