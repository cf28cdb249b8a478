"""Pictures without a browser or a GPU: a compiled renderer of capsules, contact sheets, videos, plots and reports.

Takes bodies, clips, takes or plain arrays of capsules, boxes, triangles and paint on the floor; gives uint8 pictures
[H, W, 3] and writes them to files; an audit becomes a web page. It draws what it is given and judges nothing: what a
crowd does is decided elsewhere.
"""

from walkon.drawing.audit_report import audit_report, save_audit_report
from walkon.drawing.camera import VIEWS, Camera
from walkon.drawing.clip_pictures import compare_sheet, contact_paint, contact_sheet, plot_contacts, strobe
from walkon.drawing.figures import PALETTE, figures
from walkon.drawing.files import save_animation, save_frames, save_png, save_video
from walkon.drawing.light import Look
from walkon.drawing.picture import draw_bodies, render_capsules
from walkon.drawing.solids import Boxes, FloorPaint, RoundCones
from walkon.drawing.take_picture import Shot, draw_take, shoot, take_frames, take_sheet
from walkon.drawing.triangles import Triangles

__all__ = [
    "PALETTE",
    "VIEWS",
    "Boxes",
    "Camera",
    "FloorPaint",
    "Look",
    "RoundCones",
    "Shot",
    "Triangles",
    "audit_report",
    "compare_sheet",
    "contact_paint",
    "contact_sheet",
    "draw_bodies",
    "draw_take",
    "figures",
    "plot_contacts",
    "render_capsules",
    "save_animation",
    "save_audit_report",
    "save_frames",
    "save_png",
    "save_video",
    "shoot",
    "strobe",
    "take_frames",
    "take_sheet",
]
