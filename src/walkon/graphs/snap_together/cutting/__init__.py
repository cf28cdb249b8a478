"""Cutting: common poses of hubs, and clips bent so that they begin and end in them."""
