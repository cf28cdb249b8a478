"""Pictures without a browser or a GPU: a compiled renderer of capsules, contact sheets and plots.

Takes bodies, clips or plain arrays of capsules, boxes and paint on the floor; gives uint8 pictures [H, W, 3] and
writes them to files. It draws what it is given and judges nothing: what a crowd does is decided elsewhere.
"""

from walkon.drawing.camera import VIEWS, Camera
from walkon.drawing.contact_sheet import compare_sheet, contact_paint, contact_sheet, strobe
from walkon.drawing.figures import PALETTE, figures
from walkon.drawing.files import save_animation, save_frames, save_png
from walkon.drawing.floor_paint import FloorPaint
from walkon.drawing.light import Look
from walkon.drawing.picture import draw_bodies, draw_clip_frame, render, render_capsules
from walkon.drawing.plots import plot_contacts
from walkon.drawing.solids import Boxes, Capsules

__all__ = [
    "PALETTE",
    "VIEWS",
    "Boxes",
    "Camera",
    "Capsules",
    "FloorPaint",
    "Look",
    "compare_sheet",
    "contact_paint",
    "contact_sheet",
    "draw_bodies",
    "draw_clip_frame",
    "figures",
    "plot_contacts",
    "render",
    "render_capsules",
    "save_animation",
    "save_frames",
    "save_png",
    "strobe",
]
