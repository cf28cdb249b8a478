"""A first walk: the built-in performer, cleaned like any capture, drawn as a contact sheet.

Look at the feet: planted ones have a mark on the floor, and the mark does not move.
"""

import walkon

clip = walkon.clean(walkon.studio.walk(speed=1.2, duration=3.0, seed=1))
print(clip)
walkon.save_png(walkon.contact_sheet(clip, count=6, columns=3), "first_walk.png")
