"""Ways through the stage: roadmaps, distance fields, and space-time guides around people who are planned already."""
