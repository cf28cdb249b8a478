"""A cup changes hands: two palms are solved onto it, and it is carried by one arm and then by the other.

Look at the hands around 2 s: both are on the cup, and it neither jumps nor floats as it changes hands.
"""

import numpy as np

import walkon
from walkon.stage import Prop
from walkon.take.posing.props import hold_pose
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

library = walkon.builtin_library()
# Poses are (x, y, z, qw, qx, qy, qz). A palm's x goes to its fingers, its z out of it: these palms look sideways.
SIDEWAYS = quat.about(np.array([1.0, 0.0, 0.0]), -np.pi / 2)
CUP_IN_PALM = np.array([0.02, 0.0, 0.045, *quat.conjugate(SIDEWAYS)])
near, middle = (np.array([*place, *SIDEWAYS]) for place in ((0.30, -0.16, 1.02), (0.45, -0.045, 1.15)))
across, home = (rigid.compose(rigid.from_planar([0.94, 0.0, np.pi]), pose) for pose in (middle, near))  # opposite

with walkon.TakeWriter("hand_over.take") as writer:
    body = writer.add_body(walkon.Body.of(library.skeleton))
    ann = writer.add_character("ann", body=body, colour=(0.78, 0.36, 0.30))
    bob = writer.add_character("bob", body=body, scale=1.04, colour=(0.29, 0.47, 0.66))
    writer.perform(ann, library["idle_neutral"], start=0.0, stop=4.0)
    writer.perform(bob, library["idle_left_leg"], start=0.0, stop=4.0, place=(0.94, 0.0, np.pi))
    cup = writer.add_prop(Prop(name="cup", shape="cylinder", size=(0.075, 0.075, 0.11), keep_level=True))

    # Ann's palm goes from near her body to the middle and waits there; the cup is fixed to her wrist.
    writer.grip(ann, "right", pose=near, start=0.0, stop=0.8)
    writer.grip(ann, "right", pose=middle, start=1.6, stop=2.3, fade_in=0.8, fade_out=0.9)
    in_palm = rigid.compose(near, CUP_IN_PALM)
    carried = hold_pose(writer.take, "ann", joint="RightHand", time=0.4, pose=in_palm)
    writer.attach(cup, ann, "RightHand", pose=carried, start=0.0, stop=2.0)
    writer.shape_hand(ann, "right", "cylinder", start=0.0, stop=2.1)
    # Bob's palm comes to the cup from the other side, and has it from 2 s on.
    on_cup = rigid.relative(rigid.compose(middle, CUP_IN_PALM), across)
    writer.grip(bob, "right", prop=cup, pose=on_cup, start=1.7, stop=2.0, fade_in=0.7, fade_out=0.0)
    writer.shape_hand(bob, "right", "cylinder", start=1.7, stop=4.0)
    writer.grip(bob, "right", pose=across, start=2.0, stop=2.2, fade_in=0.0, fade_out=0.8)
    writer.grip(bob, "right", pose=home, start=3.0, stop=4.0, fade_in=0.8)
    taken = hold_pose(writer.take, "bob", joint="RightHand", time=2.1, pose=rigid.compose(middle, CUP_IN_PALM))
    writer.attach(cup, bob, "RightHand", pose=taken, start=2.0, stop=4.0)
take = writer.take

figures = take.audit(source=False).figures
print(f"palms are at most {1000 * figures['hands']['max_gap_m']:.3f} mm off their grips")
print(f"the cup jumps by {1000 * figures['props']['max_jump_m']:.3f} mm as it changes hands")
walkon.export(take, "hand_over.html")
sheet = walkon.drawing.take_sheet(take, times=[0.4, 1.3, 1.9, 2.1, 2.8, 3.6], columns=3, view="side")
walkon.save_png(sheet, "hand_over.png")
