"""Arms and legs: analytic inverse kinematics of two bones, and how legs, arms and hands are posed by it."""
