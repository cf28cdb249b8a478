"""Goal-directed motion for crowds: from marks to walks on a snap-together graph that meet them exactly (Sung 2005)."""
