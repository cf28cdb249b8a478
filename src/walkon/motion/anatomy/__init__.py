"""What a human body is and may do: its measures, the limits of its joints, and how deep limbs lie in each other."""
