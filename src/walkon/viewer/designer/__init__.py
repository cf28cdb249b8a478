"""The graph designer: hubs of a snap-together graph chosen by eye, on a page that talks to a server on this machine.

`DesignSession` is what is being designed, with undo; `quick_look` says at once what a change would do; `DesignServer`
lets a page watch and change it through a web socket. See docs/designer.md.

Reference: Gleicher, Shin, Kovar, Jepsen 2003, "Snap-Together Motion", section 5 and figure 10.
"""

from walkon.viewer.designer.server import DesignServer, serve_designer
from walkon.viewer.designer.session import DesignSession

__all__ = ["DesignServer", "DesignSession", "serve_designer"]
