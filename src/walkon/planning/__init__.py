"""Who is where when: discs in space and time, and whether a motion meets them. Ground plane only, metres, seconds."""
