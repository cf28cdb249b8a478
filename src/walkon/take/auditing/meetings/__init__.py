"""Measures of bodies and props that meet: each other, the stage, hands and what they hold."""
