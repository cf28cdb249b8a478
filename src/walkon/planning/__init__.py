"""Ways through places where others are: how far obstacles are, who is where when, and roadmaps. Ground plane only."""
