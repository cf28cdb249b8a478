"""One motion on three bodies: retargeting keeps the feet on the floor and the steps in proportion to the legs.

Look at the strides: the tall body's are longer, at the same rhythm.
"""

import walkon

walk = walkon.clean(walkon.studio.walk(speed=1.2, duration=3.0, seed=3))
bodies = [walk.skeleton.scaled(factor) for factor in (0.85, 1.0, 1.15)]
clips = [walkon.retarget(walk, body).clip for body in bodies]
for clip in clips:
    print(f"{walkon.Body.of(clip.skeleton).height:.2f} m tall: {clip.distance / clip.duration:.2f} m/s")
sheet = walkon.drawing.compare_sheet(clips, titles=["small", "average", "tall"], count=5)
walkon.save_png(sheet, "other_bodies.png")
