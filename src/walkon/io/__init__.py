"""Files to objects and back: BVH motion capture files, libraries, scenes, and trajectories of other tools.

Everything here is the border: units, axes, rates and damage are dealt with once, on the way in, and reported. Nothing
behind it (`walkon.motion` and up) knows what a file is. Names are imported when first used (`__init__.pyi` lists them):
who reads a scene does not import the readers of BVH files and trajectories.
"""

from walkon._base.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__)
