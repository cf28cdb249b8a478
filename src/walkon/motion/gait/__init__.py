"""Gait: events and strides of recorded walks beside published norms, and the pose of a walk from its phase alone."""
